"""A connection between browser and server that a test breaks and repairs."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Relay:
    """Passes bytes on between a port of its own and a server's, until it is cut."""

    def __init__(self, server: str) -> None:
        host, port = server.removeprefix("http://").split(":")
        self._server = (host, int(port))
        self._port = 0
        self._open: list[socket.socket] = []
        self._listener: socket.socket | None = None

    @property
    def address(self) -> str:
        """Return the address at which a browser finds the server."""
        return f"http://127.0.0.1:{self._port}"

    def connect(self) -> None:
        """Accept connections, at the same port as before."""
        self._listener = socket.create_server(("127.0.0.1", self._port))
        self._port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, args=[self._listener], daemon=True).start()

    def cut(self) -> None:
        """Close every connection and refuse new ones."""
        if self._listener:
            with suppress(OSError):
                self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
        while self._open:
            one = self._open.pop()
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                inside, _ = listener.accept()
                outside = socket.create_connection(self._server)
                self._open += [inside, outside]
                for source, target in ((inside, outside), (outside, inside)):
                    threading.Thread(target=_pass_on, args=[source, target], daemon=True).start()


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while read := source.recv(65_536):
            target.sendall(read)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


@contextmanager
def relay(server: str) -> Iterator[Relay]:
    """Open a relay to a server, cut at the end."""
    opened = Relay(server)
    opened.connect()
    yield opened
    opened.cut()
