"""`python -m lab.switches --dir D`: the process that holds all switches of an instance. Needs root."""

import argparse
import json
import signal
import socketserver
import sys
import threading
from pathlib import Path
from typing import Any

from lab.errors import LabError, text
from lab.instance import Instance, load
from lab.pki import Authority
from lab.switches import cabled
from lab.switches.namespaces import WiringError
from lab.switches.yard import SwitchYard


class _Control(socketserver.ThreadingUnixStreamServer):
    """One command per connection: a JSON object in a line, answered by one."""

    daemon_threads = True
    yard: SwitchYard


class _Command(socketserver.StreamRequestHandler):
    server: _Control  # pyright: ignore[reportIncompatibleVariableOverride]

    def handle(self) -> None:
        try:
            answer: dict[str, Any] = {"ok": True, **self.server.yard.command(json.loads(self.rfile.readline()))}
        except LabError as error:
            answer = {"ok": False, **{key: getattr(error, key) for key in ("id", "where", "found", "limit", "fix")}}
        except (ValueError, AttributeError) as error:
            place = {"id": "LAB-013", "where": "control socket", "limit": "a JSON object", "fix": ""}
            answer = {"ok": False, **place, "found": str(error)[:200]}
        self.wfile.write(json.dumps(answer).encode() + b"\n")


def serve(instance: Instance) -> None:
    """Runs until SIGTERM or SIGINT. Raises LabError, WiringError, OSError."""
    leave = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: leave.set())
    facts = cabled.declared(instance)
    authority = Authority(instance.pki, f"railyard lab {instance.site}")
    place = instance.switch_socket
    place.unlink(missing_ok=True)
    with SwitchYard(instance.dir / "switches", facts, instance.credential("switch-admin"), authority) as yard:
        links = cabled.links(instance)
        yard.open(links)
        with _Control(str(place), _Command) as control:
            control.yard = yard
            place.chmod(0o600)
            threading.Thread(target=control.serve_forever, daemon=True).start()
            print(f"{len(facts)} switches, {len(links)} cables", flush=True)
            leave.wait()
            control.shutdown()
    place.unlink(missing_ok=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m lab.switches")
    parser.add_argument("--dir", type=Path, required=True)
    instance = load(parser.parse_args().dir)
    if instance is None:
        return 2
    try:
        serve(instance)
    except LabError as error:
        print(text(error), file=sys.stderr)
        return 2
    except (WiringError, OSError) as error:
        print(error, file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
