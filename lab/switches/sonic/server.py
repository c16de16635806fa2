"""SSH of one SONiC switch: a host key of its own, password login, one command per channel. No terminal, no forwarding."""

import logging
import socket
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import paramiko

from lab.bmc.faults import Fault
from lab.switches.agent import Agent
from lab.switches.door import reset
from lab.switches.sonic.commands import Done, Shell
from lab.switches.sonic.meaning import intended

logging.getLogger("paramiko").setLevel(logging.CRITICAL)  # a client that goes away is no error
MAX_STDIN = 16 * 1024 * 1024
STDIN_S = 30.0


class SonicAgent(Agent):
    """A SONiC switch. `key` is its host key."""

    key: paramiko.PKey
    shell: Shell

    def boot(self) -> None:
        tables = self.saved() or self._delivered()
        self.shell = Shell(self.device, self.facts.serial, tables, self.act, self.save, self.saved)
        self.act(intended(tables))

    def _delivered(self) -> dict[str, Any]:
        return {
            "DEVICE_METADATA": {"localhost": {"hostname": "sonic", "type": "LeafRouter"}},
            "MGMT_INTERFACE": {f"eth0|{self.facts.host}/8": {}},
            "MGMT_PORT": {"eth0": {"admin_status": "up", "alias": "eth0"}},
        }

    def edit(self, change: Any) -> None:
        self.shell.edit(change)

    def serve(self, connection: socket.socket, peer: str) -> None:  # noqa: ARG002
        transport = _Transport(connection)
        transport.add_server_key(self.key)
        server = _Server(self, connection, transport)
        try:
            transport.start_server(server=server)
            kept: list[paramiko.Channel] = []  # a channel that nobody refers to is closed
            while transport.is_active():
                taken = transport.accept(1.0)
                kept = [one for one in [*kept, taken] if one is not None and not one.closed]
        except (paramiko.SSHException, EOFError):
            pass
        finally:
            transport.close()


class _Transport(paramiko.Transport):
    """Starts a command after the client was told that it is accepted: a quick one would close its channel before that."""

    def __init__(self, connection: socket.socket) -> None:
        super().__init__(connection)
        self.accepted: list[threading.Thread] = []

    def _send_user_message(self, data: Any) -> None:
        super()._send_user_message(data)  # pyright: ignore[reportAttributeAccessIssue]
        while self.accepted:
            self.accepted.pop().start()


class _Server(paramiko.ServerInterface):
    """The logins and commands of one connection."""

    def __init__(self, agent: SonicAgent, connection: socket.socket, transport: _Transport) -> None:
        self.agent, self.connection, self.transport = agent, connection, transport

    def get_allowed_auths(self, username: str) -> str:  # noqa: ARG002
        return "password"

    def check_auth_password(self, username: str, password: str) -> int:
        good = self.agent.admitted(username, password)
        if not good:
            self.agent.record("LOGIN", username, 401, time.time(), [])
        return paramiko.AUTH_SUCCESSFUL if good else paramiko.AUTH_FAILED

    def check_channel_request(self, kind: str, chanid: int) -> int:  # noqa: ARG002
        return paramiko.OPEN_SUCCEEDED if kind == "session" else paramiko.OPEN_FAILED_ADMINISTRATIVELY_PROHIBITED

    def check_channel_exec_request(self, channel: paramiko.Channel, command: bytes) -> bool:
        work = threading.Thread(target=self._exec, args=(channel, command.decode(errors="replace")), daemon=True)
        self.transport.accepted.append(work)
        return True

    def _exec(self, channel: paramiko.Channel, line: str) -> None:
        try:
            self._one(channel, line)
        except (OSError, EOFError, paramiko.SSHException):
            pass
        finally:
            with suppress(OSError, EOFError, paramiko.SSHException):
                channel.close()

    def _one(self, channel: paramiko.Channel, line: str) -> None:
        agent, started = self.agent, time.time()
        hit: Mapping[str, Fault] = {one.kind: one for one in agent.faults.take("EXEC", line)}
        stdin = _stdin(channel) if " tee " in f" {line} " else ""
        if "slow" in hit:
            time.sleep(float(hit["slow"].spec["delayS"]))
        early = "reset" in hit and hit["reset"].spec.get("when", "before") == "before"
        if "status" in hit:
            done = Done(1, err=f"Error: {hit['status'].spec['status']}: try again\n")
        else:
            done = Done() if early else agent.shell.run(line, stdin)
        agent.record("EXEC", line, done.status, started, list(hit.values()))
        if "reset" in hit:
            reset(self.connection)
            return
        out = done.out
        if "drop" in hit:
            channel.sendall(out[: hit["drop"].spec.get("afterBytes", len(out) // 2)].encode())
            reset(self.connection)
            return
        channel.sendall(out.encode())
        channel.sendall_stderr(done.err.encode())
        channel.send_exit_status(done.status)


def _stdin(channel: paramiko.Channel) -> str:
    """What the client sends until it closes its side."""
    channel.settimeout(STDIN_S)
    raw = b""
    while part := channel.recv(65536):
        raw += part
        if len(raw) > MAX_STDIN:
            raise OSError("too much")
    return raw.decode(errors="replace")
