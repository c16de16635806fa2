"""`python -m lab.bmc --dir D`: the process that holds all emulated BMCs and machines of an instance."""

import argparse
import asyncio
import json
import signal
import sys
from pathlib import Path
from typing import Any

from lab import inventory
from lab.bmc.yard import Yard
from lab.errors import LabError, text
from lab.instance import Instance, load


async def serve(instance: Instance) -> None:
    """Runs until SIGTERM or SIGINT. Raises LabError, OSError."""
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(_quiet)
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    yard = Yard(instance)
    socket = instance.control_socket
    try:
        await yard.open(inventory.read(instance.machines_file)[1])
        socket.unlink(missing_ok=True)
        control = await asyncio.start_unix_server(lambda reader, writer: _control(yard, reader, writer), socket)
        socket.chmod(0o600)
        print(f"{len(yard.servers)} BMCs listen on {instance.network}.0.0/16", flush=True)
        await stop.wait()
        control.close()
    finally:
        socket.unlink(missing_ok=True)
        await yard.close()


async def _control(yard: Yard, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """One command per connection: a JSON object in a line, answered by one."""
    try:
        answer: dict[str, Any] = {"ok": True, **await yard.command(json.loads(await reader.readline()))}
    except LabError as error:
        answer = {"ok": False, **{key: getattr(error, key) for key in ("id", "where", "found", "limit", "fix")}}
    except (ValueError, AttributeError) as error:
        answer = {
            "ok": False,
            "id": "LAB-013",
            "where": "control socket",
            "found": str(error)[:200],
            "limit": "a JSON object",
            "fix": "",
        }
    writer.write(json.dumps(answer).encode() + b"\n")
    await writer.drain()
    writer.close()


def _quiet(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Clients that break a handshake are normal here; anything else is printed."""
    error = context.get("exception")
    if not isinstance(error, OSError):
        loop.default_exception_handler(context)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m lab.bmc")
    parser.add_argument("--dir", type=Path, required=True)
    options = parser.parse_args()
    instance = load(options.dir)
    if instance is None:
        print(f"{options.dir}: no lab instance", file=sys.stderr)
        return 2
    try:
        asyncio.run(serve(instance))
    except LabError as error:
        print(text(error), file=sys.stderr)
        return 2
    except OSError as error:
        print(f"LAB-005 {error}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
