"""`python -m services.provision`: see PROTOCOL.md."""

import argparse
import os
import re
import signal
import ssl
import sys
import threading
from pathlib import Path

from services.provision.http import Server, run
from services.provision.journal import Journal, JournalError
from services.provision.site import Settings, Site
from services.provision.tokens import Tokens


def read_credential(ref: str) -> tuple[str, str]:
    """(user, password) behind `file:PATH` or `env:NAME`. Raises ValueError with a text for a person."""
    kind, _, rest = ref.partition(":")
    if kind == "env":
        user, colon, password = os.environ.get(rest, "").partition(":")
        if not (user and colon and password):
            raise ValueError(f"environment variable {rest} must hold username:password")
        return user, password
    if kind != "file":
        raise ValueError("--admin-ref must be file:PATH or env:NAME")
    found = dict(
        re.findall(r"^(username|password)\s*:\s*[\"']?(.*?)[\"']?\s*$", Path(rest).read_text(encoding="utf-8"), re.MULTILINE)
    )
    if not found.get("username") or not found.get("password"):
        raise ValueError(f"{rest} must hold two lines, `username: NAME` and `password: SECRET`")
    return found["username"], found["password"]


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m services.provision", description="install media and call home")
    parser.add_argument("--listen", required=True, metavar="HOST:PORT")
    parser.add_argument("--cert", required=True, type=Path)
    parser.add_argument("--key", required=True, type=Path)
    parser.add_argument("--journal", required=True, type=Path)
    parser.add_argument("--images", required=True, type=Path)
    parser.add_argument("--admin-ref", required=True)
    parser.add_argument("--ca", type=Path)
    parser.add_argument("--public-url")
    return parser.parse_args(argv)


def make(options: argparse.Namespace) -> Server:
    """The server, listening. Raises ValueError, OSError, JournalError."""
    host, _, port = options.listen.rpartition(":")
    admin = read_credential(options.admin_ref)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(options.cert, options.key)
    server = Server((host, int(port)), context, admin)  # bound first: a second start must not touch the first one's journal
    try:
        server.site = open_site(options)
    except BaseException:
        server.server_close()
        raise
    return server


def open_site(options: argparse.Namespace) -> Site:
    """Journal and secret."""
    options.journal.parent.mkdir(parents=True, exist_ok=True)
    journal = Journal(options.journal)
    if journal.cut_bytes:
        print(f"journal: cut {journal.cut_bytes} bytes of an unfinished last line", file=sys.stderr, flush=True)
    ca_pem = options.ca.read_text(encoding="ascii") if options.ca else None
    public = (options.public_url or f"https://{options.listen}").rstrip("/")
    tokens = Tokens(options.journal.with_name(options.journal.name + ".key"), journal.id)
    return Site(journal, tokens, Settings(options.images, public, ca_pem))


def main() -> int:
    """Runs until SIGTERM or SIGINT; the exit codes are in PROTOCOL.md."""
    options = arguments()
    try:
        server = make(options)
    except JournalError as error:
        print(f"provision: {error}", file=sys.stderr)
        return 4
    except OSError as error:
        busy = error.errno in {98, 99}
        print(f"provision: {options.listen if busy else error.filename or ''}: {error.strerror or error}", file=sys.stderr)
        return 3 if busy else 2
    except ValueError as error:
        print(f"provision: {error}", file=sys.stderr)
        return 2
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: threading.Thread(target=server.shutdown, daemon=True).start())
    print(f"listening on https://{options.listen}", flush=True)
    run(server)
    server.server_close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
