"""Whose probe a Job is: each run has an id, from which another run can tell whether the first one can still be at work."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from providers.kube.probe import KEEP_S, OURS, RUN, holds


def run_id() -> str:
    """`host-pid-start-random`, a value that a label may have. `host` is one kernel and one space of process ids."""
    return f"{_host()}-{os.getpid()}-{_started(os.getpid()) or 0}-{secrets.token_hex(4)}"


def is_left_over(job: Mapping[str, Any], name: str, mine: str, now: datetime) -> bool:
    """A probe of this gate that no run is waiting for: of another run, and finished, too old, or of a process that is gone."""
    labels = job["metadata"].get("labels") or {}
    run = str(labels.get(RUN) or "")
    if labels.get(OURS) != name or run == mine:
        return False
    return holds(job, "Complete") or holds(job, "Failed") or _too_old(job, now) or _is_gone(run)


def created(job: Mapping[str, Any]) -> datetime:
    """When the API server made it, by the server's clock."""
    return datetime.strptime(job["metadata"]["creationTimestamp"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)


def _too_old(job: Mapping[str, Any], now: datetime) -> bool:
    """Older than its own run's timeout, which the Job carries with it."""
    limit_s = job["spec"].get("activeDeadlineSeconds", KEEP_S) - KEEP_S
    return (now - created(job)).total_seconds() > limit_s


def _is_gone(run: str) -> bool:
    """True only if it was a process of this very host that doesn't live any more; of others nothing is known."""
    host, _, rest = run.partition("-")
    pid, _, rest = rest.partition("-")
    start = rest.partition("-")[0]
    if host != _host() or host == "unknown" or not pid.isdigit():
        return False
    return str(_started(int(pid))) != start


def _host() -> str:
    try:
        kernel = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        space = Path("/proc/self/ns/pid").readlink()
    except OSError:
        return "unknown"
    return hashlib.sha256(f"{kernel} {space}".encode()).hexdigest()[:12]


def _started(pid: int) -> int | None:
    """When a process started, in ticks since boot; None if there is none of that id (or a dead one that nobody waited for)."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else int(fields[19])
