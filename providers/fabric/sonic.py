"""A SONiC switch over SSH: checkpoint, dry run, a rollback armed on the switch, apply, look over a new connection, disarm.

The commands are SONiC's own (generic configuration updater: `config checkpoint`, `apply-patch`, `rollback`) and systemd's
(`systemd-run --on-active`). Nobody has run this against a real switch: docs/reference/coverage.md says so.
"""

import json
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Self

from providers.fabric import errors
from providers.fabric.ssh import Done, Lost, Ssh
from providers.fabric.switch import BUSY_S, Health, Times, missing
from providers.fabric.tree import Tree, additions, json_patch, removals
from providers.kit.errors import Cancelled

NAME = "railyard-rollback"  # one name on every switch: systemd refuses a second timer, so two changes can't overlap
PATCH = "/tmp/railyard-patch.json"  # noqa: S108 (on the switch)
RUNNING = "sudo sonic-cfggen -d --print-data"
SAVED = "sudo sonic-cfggen -j /etc/sonic/config_db.json --print-data"
MARGIN_S = 20.0
POLL_S = 0.5


class SonicSwitch:
    """See `switch.Switch`."""

    def __init__(self, ssh: Ssh) -> None:
        self.ssh = ssh
        self.where = ssh.where

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.ssh.close()

    # --- looking

    def serial(self) -> str:
        return self._want("sudo decode-syseeprom -s").out.strip()

    def tree(self) -> Tree:
        return self._json(RUNNING)

    def health(self) -> Health:
        bgp = self._json("vtysh -c 'show bgp summary json'").get("ipv4Unicast", {}).get("peers", {})
        links = self._json("ip -j link show", rows=True)
        return Health(
            {name: row.get("state") == "Established" for name, row in bgp.items()},
            _neighbours(self._json("sudo lldpctl -f json0")),
            {row["ifname"]: int(row["mtu"]) for row in links},
        )

    def widths(self, prefixes: Iterable[str]) -> dict[str, int]:
        routes = self._json("vtysh -c 'show ip route json'")
        return {prefix: _width(routes.get(prefix, [])) for prefix in prefixes}

    def _want(self, command: str, patience_s: float = 12.0) -> Done:
        done = self.ssh.look(command, patience_s)
        if done.status != 0:
            raise errors.answer(self.where, command, done.status, done.text)
        return done

    def _json(self, command: str, *, rows: bool = False) -> Any:
        text = self._want(command).out
        try:
            value = json.loads(text or ("[]" if rows else "{}"))
        except ValueError:
            raise errors.malformed(self.where, command, "no JSON") from None
        if not isinstance(value, list if rows else dict):
            raise errors.malformed(self.where, command, "another kind of JSON")
        return value

    def _armed(self, patience_s: float = 12.0) -> bool:
        return self._unit(f"{NAME}.timer", patience_s) == "active"

    def _unit(self, name: str, patience_s: float = 12.0) -> str:
        return self.ssh.look(f"sudo systemctl is-active {name}", patience_s).out.strip()

    # --- changing

    def free(self) -> None:
        start = time.monotonic()
        while self._armed():
            if time.monotonic() - start > min(BUSY_S, self.ssh.deadline.limit_s) or self.ssh.deadline.passed():
                raise errors.busy(self.where, f"another change is under way: {NAME}.timer is armed", time.monotonic() - start)
            self.ssh.cancel.wait(1.0, self.where)

    def change(self, old: Mapping[str, Any], new: Mapping[str, Any], times: Times) -> None:
        actual, before = self.tree(), self.health()
        operations = json_patch(actual, old, new)
        if not operations:
            self._keep(old, new)
            return
        self._stage(json.dumps(operations))
        checked = self._do(f"sudo config apply-patch --dry-run {PATCH}")
        if checked.status != 0:
            raise errors.invalid(self.where, checked.text)
        self._arm(times.confirm_s)
        began = time.monotonic()
        try:
            self._apply(before, old, new, times, began)
        except Cancelled:
            raise errors.cancelled(self.where) from None
        self._keep(old, new)
        with suppress(Lost):
            self.ssh.act(f"rm -f {PATCH}")
            self.ssh.act(f"sudo config delete-checkpoint {NAME}")

    def _keep(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
        """Saves, unless that is done: a run that ended after its confirmation leaves it to the next."""
        if not self._is_in(SAVED, old, new):
            self._do("sudo config save -y", "save")

    def _stage(self, patch: str) -> None:
        """Puts the patch and a fresh checkpoint onto the switch. Nothing of it is in force, so it may be sent again."""
        if self._do(f"tee {PATCH}", "upload", stdin=patch).out != patch:
            raise errors.malformed(self.where, f"upload of {PATCH}", "it arrived differently")
        names = self._want("sudo config list-checkpoints").out
        if f'"{NAME}"' in names:
            self._do(f"sudo config delete-checkpoint {NAME}", "checkpoint")
        self._do(f"sudo config checkpoint {NAME}", "checkpoint")

    def _do(self, command: str, must: str = "", stdin: str = "") -> Done:
        """A command that may be repeated without harm. `must`: it has to succeed, and is called that in the error."""
        for attempt in range(3):
            try:
                done = self.ssh.act(command, stdin)
            except Lost as lost:
                if attempt == 2:
                    raise errors.unreachable(self.where, str(lost), 0) from None
                self.ssh.cancel.wait(0.5 * 2**attempt, self.where)
                continue
            if must and done.status != 0 and not (attempt and "taken" in done.text):
                raise errors.answer(self.where, must, done.status, done.text)
            return done
        raise AssertionError("unreachable")

    def _arm(self, confirm_s: float) -> None:
        # systemd's timers are a minute late by default, and a failed rollback would keep the name taken for ever.
        how = f"--on-active={confirm_s:.0f}s --timer-property=AccuracySec=1s --collect --unit={NAME}"
        command = f"sudo systemd-run {how} /usr/local/bin/config rollback {NAME}"
        try:
            done = self.ssh.act(command)
        except Lost as lost:
            if not self._armed():
                raise errors.unreachable(self.where, str(lost), 0) from None
            return
        if done.status != 0:
            raise errors.busy(self.where, f"the rollback can't be armed: {done.text}", 0)

    def _apply(self, before: Health, old: Mapping[str, Any], new: Mapping[str, Any], times: Times, began: float) -> None:
        try:
            done = self.ssh.act(f"sudo config apply-patch {PATCH}")
        except Lost:
            done = None  # perhaps because of what was changed: look
        if done is not None and done.status != 0:
            self._undo()
            raise errors.not_applied(self.where, done.text)
        self.ssh.close()  # what goes over a new connection proves that the switch can be reached now
        lost = self._alive(before, old, new, times, began)
        if lost:
            self._undo()
            raise errors.lost(self.where, lost, times.settle_s)
        self._disarm()
        if not self._is_in(RUNNING, old, new):
            raise errors.rolled_back(self.where, time.monotonic() - began)

    def _disarm(self) -> None:
        """Stops the timer; a rollback that it started a moment ago goes on nevertheless, so its end is waited for."""
        self._do(f"sudo systemctl stop {NAME}.timer")
        while self._unit(f"{NAME}.service") in {"active", "activating"}:
            self.ssh.cancel.wait(POLL_S, self.where)

    def _alive(self, before: Health, old: Mapping[str, Any], new: Mapping[str, Any], times: Times, began: float) -> list[str]:
        """What is missing after the change, seen while the rollback is still armed."""
        while True:
            self._reach(times, began)
            try:
                return self._gone(before, old, new, times, began)
            except errors.SwitchError as error:
                if error.kind != "unreachable":
                    raise

    def _reach(self, times: Times, began: float) -> None:
        """Waits for the switch. Raises SWITCH-017 if it comes back only after its timer, SWITCH-021 if it doesn't at all."""
        limit = began + times.confirm_s + MARGIN_S
        while True:
            try:
                if self._armed(patience_s=2):
                    return
                raise errors.rolled_back(self.where, time.monotonic() - began)
            except errors.SwitchError as error:
                if error.kind != "unreachable":
                    raise
                if time.monotonic() > limit:
                    raise errors.gone(self.where, time.monotonic() - began) from None
            self.ssh.cancel.wait(POLL_S, self.where)

    def _is_in(self, where: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
        """True if RUNNING or SAVED hold what is wanted and nothing that isn't any more."""
        actual = self._json(where)
        return not additions(actual, new) and not list(removals(actual, old, new))

    def _gone(self, before: Health, old: Mapping[str, Any], new: Mapping[str, Any], times: Times, began: float) -> list[str]:
        """What doesn't come back within `settle_s`; the change itself, if apply got lost and it isn't in force."""
        limit = min(time.monotonic() + times.settle_s, began + times.confirm_s - 2)
        while True:
            lost = [] if self._is_in(RUNNING, old, new) else ["the new configuration"]
            lost += missing(before, self.health(), _peers(new), _ports_up(new))
            if not lost or time.monotonic() > limit:
                return lost
            self.ssh.cancel.wait(POLL_S, self.where)

    def _undo(self) -> None:
        """Rolls back at once and disarms; if that doesn't work, the timer does it."""
        with suppress(errors.SwitchError):
            if self._do(f"sudo config rollback {NAME}").status == 0:
                self._do(f"sudo systemctl stop {NAME}.timer")


def _peers(tables: Mapping[str, Any]) -> list[str]:
    return [key.partition("|")[2] for key in tables.get("BGP_NEIGHBOR", {})]


def _ports_up(tables: Mapping[str, Any]) -> list[str]:
    return [name for name, row in tables.get("PORT", {}).items() if row.get("admin_status") == "up"]


def _neighbours(value: Mapping[str, Any]) -> dict[str, str]:
    """Port -> `device/port`; of several neighbours on a port all, so that nobody takes it for the planned one."""
    found: dict[str, list[str]] = {}
    for table in value.get("lldp", []):
        for row in table.get("interface", []):
            name = row["chassis"][0].get("name", [{"value": ""}])[0]["value"]
            found.setdefault(row["name"], []).append(f"{name}/{row['port'][0]['id'][0]['value']}")
    return {port: ", ".join(sorted(names)) for port, names in found.items()}


def _width(entries: list[dict[str, Any]]) -> int:
    best = next((one for one in entries if one.get("selected")), {})
    return sum(1 for hop in best.get("nexthops", []) if hop.get("fib"))
