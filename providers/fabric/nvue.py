"""A Cumulus switch by its NVUE REST API: revision, patch, apply with a confirm time, look, confirm.

Paths, states and bodies: Cumulus Linux 5.14, NVUE API (revision, patch, `auto-prompt`, transition and issues); the confirm time
(`state-controls`) and the states `confirm`, `confirm_yes`, `confirm_no`, `confirm_fail` are those of its OpenAPI model, as
public clients use them. Nobody has run this against a real switch: docs/reference/coverage.md says so.
"""

import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Self
from urllib.parse import quote

from providers.fabric import errors
from providers.fabric.https import Https, Lost
from providers.fabric.switch import BUSY_S, Health, Times, missing
from providers.fabric.tree import Tree, additions, removals
from providers.kit.errors import Cancelled

API = "/nvue_v1"
YES = {"ays": "ays_yes"}
APPLIED = {"applied", "applied_and_saved", "auto_save", "auto_saving", "saved"}
# Nobody else's change may be started while one is in these.
UNDER_WAY = {
    "apply",
    "checking",
    "checked",
    "ready",
    "readying",
    "verifying",
    "verified",
    "reloading",
    "reloaded",
    "ays",
    "confirm",
}
UNDER_WAY |= {"confirm_yes", "confirm_no", "ignore_fail"}
REFUSED = {"invalid", "ays_fail", "verify_error", "ready_error"}
TRIES = 4
POLL_S = 0.5
APPLY_S = 300.0  # switchd may restart
MARGIN_S = 20.0  # after its timer a switch needs a moment to be back


class NvueSwitch:
    """See `switch.Switch`."""

    def __init__(self, link: Https) -> None:
        self.link = link
        self.where = link.where

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.link.close()

    # --- looking

    def serial(self) -> str:
        return str(self._show("platform").get("serial-number") or "")

    def tree(self) -> Tree:
        return self._object("?rev=applied&filled=false")

    def health(self) -> Health:
        bgp = self._show("vrf/default/router/bgp/neighbor")
        links, lldp = self._show("interface"), self._show("service/lldp/neighbor")
        return Health(
            {name: str(row.get("state", "")).lower() == "established" for name, row in bgp.items()},
            {port: found for port, row in lldp.items() if (found := _neighbour(row))},
            {port: int(row["link"]["mtu"]) for port, row in links.items() if "mtu" in row.get("link", {})},
        )

    def widths(self, prefixes: Iterable[str]) -> dict[str, int]:
        routes = self._show("vrf/default/router/rib/ipv4/route")
        return {prefix: _width(routes.get(prefix, {})) for prefix in prefixes}

    def _show(self, path: str) -> Tree:
        """An operational object; {} where the switch has none."""
        return self._object(f"/{path}?rev=operational", absent={})

    def _object(self, path: str, absent: Tree | None = None) -> Tree:
        status, body = self.link.get(f"{API}{path}" if path.startswith("/") else f"{API}/{path}")
        if status == 404 and absent is not None:
            return absent
        if status != 200:
            raise errors.answer(self.where, f"GET {path}", status, _detail(body))
        if not isinstance(body, dict):
            raise errors.malformed(self.where, f"GET {path}", "no object")
        return body

    # --- changing

    def free(self) -> None:
        start = time.monotonic()
        while True:
            rows = self._object("/revision", absent={})
            busy = [f"revision {name} is {row['state']}" for name, row in rows.items() if row.get("state") in UNDER_WAY]
            if not busy:
                return
            if time.monotonic() - start > min(BUSY_S, self.link.deadline.limit_s) or self.link.deadline.passed():
                raise errors.busy(self.where, f"another change is under way: {busy[0]}", time.monotonic() - start)
            self.link.cancel.wait(1.0, self.where)

    def change(self, old: Mapping[str, Any], new: Mapping[str, Any], times: Times) -> None:
        actual, before = self.tree(), self.health()
        gone, more = list(removals(actual, old, new)), additions(actual, new)
        if not gone and not more:
            self._keep(old, new)
            return
        revision = self._create()
        for path in gone:
            self._write(revision, "DELETE", f"{API}/{'/'.join(quote(part, safe='') for part in path)}?rev={revision}")
        if more:
            self._write(revision, "PATCH", f"{API}/?rev={revision}", more)
        body = {"state": "apply", "auto-prompt": YES, "state-controls": {"confirm": round(times.confirm_s)}}
        began = time.monotonic()
        try:
            self._write(revision, "PATCH", f"{API}/revision/{revision}", body)
            self._settle(revision, before, new, times, began)
        except Cancelled:
            raise errors.cancelled(self.where) from None
        self._keep(old, new)

    def _keep(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
        """Saves, unless auto-save did: a run that ended right after its confirmation leaves that to the next."""
        for attempt in range(TRIES):
            saved = self._object("?rev=startup&filled=false")
            if not additions(saved, new) and not list(removals(saved, old, new)):
                return
            body = {"state": "save", "auto-prompt": YES}
            with suppress(Lost):
                self.link.mutate("PATCH", f"{API}/revision/applied", body)
            self.link.cancel.wait(POLL_S * 2**attempt, self.where)
        raise errors.not_saved(self.where)

    def _create(self) -> str:
        """A revision that nobody has seen yet: one that got lost does no harm, so this may be tried again."""
        for attempt in range(TRIES):
            try:
                status, body = self.link.mutate("POST", f"{API}/revision")
            except Lost as lost:
                if attempt == TRIES - 1:
                    raise errors.unreachable(self.where, str(lost), 0) from None
            else:
                if status in {200, 201} and isinstance(body, dict) and body:
                    return str(next(iter(body)))
                if status != 503 or attempt == TRIES - 1:
                    raise errors.answer(self.where, "POST revision", status, _detail(body))
            self.link.cancel.wait(0.5 * 2**attempt, self.where)
        raise AssertionError("unreachable")

    def _write(self, revision: str, method: str, path: str, body: Any = None) -> None:
        """A change of our own pending revision. Again only while the revision is still pending: then it isn't in force."""
        for attempt in range(TRIES):
            reason = ""
            try:
                status, answer = self.link.mutate(method, path, body)
            except Lost as lost:
                reason = str(lost)
            else:
                if status in {200, 201, 202, 204} or (method == "DELETE" and status == 404):
                    return
                if status == 400:
                    raise errors.invalid(self.where, _detail(answer))
                if status not in {503, 429}:
                    raise errors.answer(self.where, f"{method} {path}", status, _detail(answer))
                reason = f"{status}, still busy"
            if attempt == TRIES - 1:
                raise errors.unreachable(self.where, reason, 0)
            self.link.cancel.wait(0.5 * 2**attempt, self.where)
            if self._state(revision, patience_s=10)[0] != "pending":
                return  # it did arrive
        raise AssertionError("unreachable")

    def _settle(self, revision: str, before: Health, new: Mapping[str, Any], times: Times, began: float) -> None:
        """From apply to confirmation. The switch's own timer is the other way out."""
        state, text = self._until(revision, UNDER_WAY - {"confirm"}, began + APPLY_S + times.confirm_s)
        if state in REFUSED:
            raise errors.invalid(self.where, text)
        if state == "confirm":
            self.link = self.link.fresh()
            state, text = self._confirm(revision, before, new, times, began)
        if state in {"confirm_fail", "confirm_no"}:
            raise errors.rolled_back(self.where, time.monotonic() - began)
        if state not in APPLIED:
            raise errors.not_applied(self.where, f"revision {revision} is {state} {text}".strip())

    def _confirm(self, revision: str, before: Health, new: Mapping[str, Any], times: Times, began: float) -> tuple[str, str]:
        """Keeps the change if all that was alive is alive again; the revision's last state."""
        limit = began + times.confirm_s + MARGIN_S
        try:
            lost = self._gone(before, new, times, began)
        except errors.SwitchError as error:
            if error.kind not in {"unreachable", "busy"}:
                raise
            return self._until(revision, UNDER_WAY, limit)
        state, text = self._decide(revision, "confirm_no" if lost else "confirm_yes", limit)
        if lost:
            raise errors.lost(self.where, lost, times.settle_s)
        return state, text

    def _gone(self, before: Health, new: Mapping[str, Any], times: Times, began: float) -> list[str]:
        """What doesn't come back within `settle_s`; never waits beyond the switch's own timer."""
        limit = min(time.monotonic() + times.settle_s, began + times.confirm_s - 2)
        while True:
            lost = missing(before, self.health(), _neighbours(new), _ports_up(new))
            if not lost or time.monotonic() > limit:
                return lost
            self.link.cancel.wait(POLL_S, self.where)

    def _decide(self, revision: str, answer: str, limit: float) -> tuple[str, str]:
        while True:
            with suppress(Lost):
                self.link.mutate("PATCH", f"{API}/revision/{revision}", {"state": answer, "auto-prompt": YES})
            state, text = self._until(revision, UNDER_WAY - {"confirm"}, limit)
            if state != "confirm" or time.monotonic() > limit:
                return state, text
            self.link.cancel.wait(POLL_S, self.where)

    def _until(self, revision: str, passing: set[str], limit: float) -> tuple[str, str]:
        """The first state that isn't in `passing`. A switch that can't be reached is asked until `limit`: it may roll back."""
        start = time.monotonic()
        while True:
            try:
                state, text = self._state(revision, patience_s=2)
            except errors.SwitchError as error:
                if error.kind not in {"unreachable", "busy"}:
                    raise
                if time.monotonic() > limit:
                    raise errors.gone(self.where, time.monotonic() - start) from None
            else:
                if state not in passing:
                    return state, text
                if time.monotonic() > limit:
                    raise errors.busy(self.where, f"revision {revision} is {state}", time.monotonic() - start)
            self.link.cancel.wait(POLL_S, self.where)

    def _state(self, revision: str, patience_s: float) -> tuple[str, str]:
        status, body = self.link.get(f"{API}/revision/{revision}", patience_s)
        if status >= 500:  # its own server starts anew during an apply: that says nothing about the revision
            raise errors.busy(self.where, f"GET revision/{revision}: {status}", patience_s)
        if status != 200 or not isinstance(body, dict):
            # A switch that was powered off forgets its revisions; what it has in force is the saved configuration.
            return ("confirm_fail", "") if status == 404 else ("apply_fail", _detail(body))
        body = body.get(revision, body)
        issues = body.get("transition", {}).get("issue", {})
        text = "; ".join(str(one.get("message", "")).strip() for one in issues.values()) if isinstance(issues, dict) else ""
        return str(body.get("state", "")), text


def _neighbours(tree: Mapping[str, Any]) -> list[str]:
    found: Any = tree
    for key in ("vrf", "default", "router", "bgp", "neighbor"):
        found = found.get(key, {})
    return list(found)


def _ports_up(tree: Mapping[str, Any]) -> list[str]:
    """Ports of the tree that aren't switched off."""
    rows = tree.get("interface", {}).items()
    return [
        name
        for name, row in rows
        if "down" not in str(row.get("link", {}).get("state", row.get("link", {}).get("admin-status")))
    ]


def _neighbour(row: Any) -> str:
    """`device/port` of the only neighbour of a port; of several, all, so that nobody takes it for the planned one."""
    found = row.get("neighbor", {}) if isinstance(row, dict) else {}
    return ", ".join(
        f"{one.get('chassis', {}).get('system-name', name)}/{one.get('port', {}).get('name', '')}"
        for name, one in sorted(found.items())
    )


def _width(route: Mapping[str, Any]) -> int:
    entries = route.get("route-entry", {})
    best = next((one for one in entries.values() if one.get("selected")), next(iter(entries.values()), {}))
    return sum(1 for hop in best.get("via", {}).values() if hop.get("fib", True))


def _detail(body: Any) -> str:
    return str(body.get("detail") or body.get("title") or "") if isinstance(body, dict) else ""
