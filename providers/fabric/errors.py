"""What can go wrong with a switch: ids SWITCH-001 and up."""

from providers.kit.errors import KindError


class SwitchError(KindError):
    """One problem with one switch. `kind` is for code that branches."""


_error = SwitchError.of


def other_switch(where: str, found: str, planned: str) -> SwitchError:
    """SWITCH-001: the serial is another one. Nothing was written."""
    fix = "correct serial or managementAddress of this switch in the inventory; read the serial on its label"
    return _error("identity", "SWITCH-001", where, f"serial {found or '(none shown)'}", f"serial {planned} (planned)", fix)


def unreachable(where: str, reason: str, tried_s: float) -> SwitchError:
    """SWITCH-010: no connection."""
    fix = (
        "check power and management port of the switch, managementAddress in the inventory, the route to it and its access list"
    )
    return _error("unreachable", "SWITCH-010", where, f"no answer: {reason}", f"an answer within {tried_s:.0f} s", fix)


def refused_login(where: str, user: str) -> SwitchError:
    """SWITCH-011: user or password is wrong. Tried once: failures lock accounts."""
    fix = "correct the file that credentialRef names, or the account on the switch"
    return _error("login", "SWITCH-011", where, f"login refused for {user}, one try", "a login with credentialRef", fix)


def busy(where: str, what: str, waited_s: float) -> SwitchError:
    """SWITCH-012: the switch says later, or somebody else's change is under way on it."""
    fix = "wait until that has ended (an unconfirmed change rolls back by itself), then run up again"
    return _error("busy", "SWITCH-012", where, what, f"free within {waited_s:.0f} s", fix)


def held(where: str, holder: str, waited_s: float) -> SwitchError:
    """SWITCH-013: another process on this host works on this switch."""
    fix = "wait for it or end it; two runs on one switch are never allowed"
    return _error("held", "SWITCH-013", where, f"held by {holder}", f"free within {waited_s:.0f} s", fix)


def untrusted(where: str, found: str, limit: str) -> SwitchError:
    """SWITCH-014: TLS certificate or SSH host key. No credential was sent."""
    fix = "find out why it differs (a replaced switch? somebody in between?), then correct caFile or hostKeySha256"
    return _error("trust", "SWITCH-014", where, found, limit, fix)


def invalid(where: str, text: str) -> SwitchError:
    """SWITCH-015: the switch doesn't take the configuration; nothing changed on it."""
    fix = "correct the plan at the place that the switch names, or report it: what railyard renders must be taken"
    return _error("invalid", "SWITCH-015", where, f"refused: {text}", "a configuration that the switch takes", fix)


def not_applied(where: str, text: str) -> SwitchError:
    """SWITCH-016: taken, but it failed while it was made effective; the switch is back at what it was."""
    return _error("apply", "SWITCH-016", where, f"apply failed: {text}", "applied", "see the switch's log; then run up again")


def rolled_back(where: str, waited_s: float) -> SwitchError:
    """SWITCH-017: the change cut the management path; the switch's own timer restored the old configuration."""
    found = f"not reachable after the change; the switch rolled back by its own timer after {waited_s:.0f} s"
    fix = "look at what the preview shows for the management port, its address and its access list; nothing is changed now"
    return _error("rolled-back", "SWITCH-017", where, found, "reachable after the change", fix)


def lost(where: str, what: list[str], waited_s: float) -> SwitchError:
    """SWITCH-018: sessions or neighbours that were there before the change didn't come back; rolled back."""
    found = f"after the change, not there: {'; '.join(what)}; rolled back"
    fix = "compare ASN, port and peer of these in the preview with the switch at the other end"
    return _error("lost", "SWITCH-018", where, found, f"all that were there before, within {waited_s:.0f} s", fix)


def malformed(where: str, what: str, found: str) -> SwitchError:
    """SWITCH-019: not what the interface promises."""
    return _error("malformed", "SWITCH-019", where, f"{what}: {found}", "JSON of that interface", "check release and address")


def not_stored(where: str, paths: list[str]) -> SwitchError:
    """SWITCH-020: confirmed, but it reads back differently."""
    shown = ", ".join(paths[:8]) + (f" and {len(paths) - 8} more" if len(paths) > 8 else "")
    fix = "set it on the switch by hand once and see whether it stays; the release may spell it differently"
    return _error("not-stored", "SWITCH-020", where, f"reads back differently: {shown}", "what was sent", fix)


def gone(where: str, waited_s: float) -> SwitchError:
    """SWITCH-021: not reachable after the change, and not after the time of its rollback either."""
    fix = "look at its console (nv config history, config list-checkpoints); a power cycle loads the saved, old configuration"
    found = "not reachable after the change, nor after the time when it should have rolled back"
    return _error("gone", "SWITCH-021", where, found, f"reachable within {waited_s:.0f} s", fix)


def answer(where: str, what: str, status: int, text: str) -> SwitchError:
    """SWITCH-022: an error answer; the text is the switch's own."""
    return _error("answer", "SWITCH-022", where, f"{what}: {status} {text or 'without a text'}", "success", "see what it says")


def not_saved(where: str) -> SwitchError:
    """SWITCH-024: in force and confirmed, but not saved; the next run saves it."""
    fix = "run up again; if it stays, save on the switch (nv config save) and look at its disk"
    return _error("not-saved", "SWITCH-024", where, "in force, but not saved: a reboot would lose it", "saved", fix)


def cancelled(where: str) -> SwitchError:
    """SWITCH-023: cancelled between apply and confirmation."""
    found = "cancelled before the change was confirmed"
    fix = "nothing to do: the switch rolls back by itself; then run up again"
    return _error("cancelled", "SWITCH-023", where, found, "a confirmation", fix)


def held_back(where: str, other: str) -> SwitchError:
    """SWITCH-025: another switch's change of this run was rolled back; nothing was sent to this one."""
    fix = f"look at what {other} says first; then run up again: nothing else begins before its change is good"
    return _error(
        "held-back", "SWITCH-025", where, f"not begun: the change of {other} was rolled back", "no rollback before it", fix
    )
