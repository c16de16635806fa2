"""Waiting that ends: on Cancel, when the parent is gone, or at a deadline. Every sleep of a provider goes through here."""

import threading
import time

from providers.kit.errors import Cancelled


class Cancel:
    """One flag for all calls of the process. `wait` and `check` raise Cancelled once it is set."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._others: list[threading.Event] = []
        self._lock = threading.Lock()

    def set(self) -> None:
        """Ends every wait, now and later."""
        with self._lock:
            self._event.set()
            for event in self._others:
                event.set()

    def is_set(self) -> bool:
        """True after `set`."""
        return self._event.is_set()

    def check(self, what: str = "the run") -> None:
        """Raises Cancelled if the run was cancelled."""
        if self._event.is_set():
            raise Cancelled(what)

    def wait(self, seconds: float, what: str = "the run") -> None:
        """Sleeps at most `seconds`; raises Cancelled as soon as the run is cancelled."""
        if self._event.wait(max(0.0, seconds)):
            raise Cancelled(what)

    def wait_for(self, event: threading.Event, seconds: float, what: str = "the run") -> bool:
        """Waits for another event without polling (512 machines may wait at once). True if it came in time."""
        with self._lock:
            self._others.append(event)
        try:
            self.check(what)
            event.wait(seconds)
            self.check(what)
            return event.is_set()
        finally:
            with self._lock:
                self._others.remove(event)


class Deadline:
    """A monotonic point in time. `limit_s` is kept for messages."""

    def __init__(self, limit_s: float) -> None:
        self.limit_s = limit_s
        self._end = time.monotonic() + limit_s

    def left(self) -> float:
        """Seconds left, never negative."""
        return max(0.0, self._end - time.monotonic())

    def passed(self) -> bool:
        """True once no time is left."""
        return self.left() <= 0

    def shorter(self, limit_s: float) -> "Deadline":
        """A deadline of at most `limit_s` from now that doesn't outlast this one."""
        return Deadline(min(limit_s, self.left()))
