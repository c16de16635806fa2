"""When this process must end: its parent is gone, SIGINT or SIGTERM came. Waits end at once; a mutation is finished first."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from providers.kit.cancel import Cancel

POLL_S = 0.25
LONGEST_MUTATION_S = 10.0

_lock = threading.Lock()
_mutations = 0


@contextmanager
def mutation() -> Iterator[None]:
    """Marks one step that changes something outside: the process doesn't exit in the middle of it."""
    global _mutations
    with _lock:
        _mutations += 1
    try:
        yield
    finally:
        with _lock:
            _mutations -= 1


def busy() -> bool:
    """True while a mutation is in flight."""
    with _lock:
        return _mutations > 0


def end(cancel: Cancel, code: int = 0) -> None:
    """Cancels all waits, lets the mutations in flight finish (bounded), and ends the process."""
    cancel.set()
    limit = time.monotonic() + LONGEST_MUTATION_S
    while busy() and time.monotonic() < limit:
        time.sleep(0.05)
    os._exit(code)


def watch(cancel: Cancel) -> None:
    """Starts the watchdog: a killed CLI leaves its providers running, and an orphan would act beside the next run's."""
    parent = os.getppid()

    def poll() -> None:
        while os.getppid() == parent:
            time.sleep(POLL_S)
        end(cancel)

    threading.Thread(target=poll, name="parent-watch", daemon=True).start()
    # Ctrl-C doesn't reach us (each plugin runs in a process group of its own; the engine tells us by Cancel). SIGINT is how the
    # engine ends a plugin after every run. Five seconds later it kills, so ignoring it makes every run that much longer.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda got, _: threading.Thread(target=end, args=(cancel, 128 + got), daemon=True).start())
