"""The management port of one switch: listens while the switch's own configuration lets it, one thread per connection."""

import contextlib
import socket
import struct
import threading
from collections.abc import Callable

LINGER_RST = struct.pack("ii", 1, 0)
BACKLOG = 64


class Door:
    """`serve(connection, peer)` handles a connection until its end; `admits(peer)` is the access list."""

    def __init__(
        self, address: str, port: int, serve: Callable[[socket.socket, str], None], admits: Callable[[str], bool]
    ) -> None:
        self.address, self.port = address, port
        self._serve, self._admits = serve, admits
        self._listener: socket.socket | None = None
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()

    def open(self) -> None:
        """Listens, if it doesn't yet. Raises OSError."""
        with self._lock:
            if self._listener is None:
                self._listener = socket.create_server((self.address, self.port), backlog=BACKLOG)
                threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def shut(self) -> None:
        """Stops listening and resets every connection: the cable is out."""
        with self._lock:
            listener, self._listener = self._listener, None
            left = list(self._open)
        if listener is not None:
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()
        for connection in left:
            reset(connection)

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, peer = listener.accept()
            except OSError:
                return
            if not self._admits(peer[0]):
                reset(connection)
                continue
            threading.Thread(target=self._one, args=(connection, peer[0]), daemon=True).start()

    def _one(self, connection: socket.socket, peer: str) -> None:
        handle = connection.dup()  # TLS takes the socket itself over
        with self._lock:
            self._open.add(handle)
        try:
            connection.settimeout(60)
            self._serve(connection, peer)
        except (OSError, EOFError):
            pass
        finally:
            with self._lock:
                self._open.discard(handle)
            for one in (connection, handle):
                with contextlib.suppress(OSError):
                    one.close()


def reset(connection: socket.socket) -> None:
    """Ends a connection with a TCP RST. Another thread may be reading from it, so it is shut down, not only closed."""
    with contextlib.suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER_RST)
        connection.shutdown(socket.SHUT_RDWR)
