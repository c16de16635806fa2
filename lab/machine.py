"""An emulated machine. It knows its disk, its NICs, its boot list and what lies in its CD drive; nothing of the plan.

Power-on: POST, then the boot list. A CD with label RAILYARD is an installer: it reads `/seed.json`, makes a host key (the
name of this attempt), calls home `begun` (stops unless that is accepted), wipes and writes the disk, calls home `finished`,
and starts what is now on the disk.
"""

import asyncio
import base64
import hashlib
import hmac
import json
import secrets
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from lab import files, hosts
from lab.fetch import FetchError, Origin, Reply
from lab.iso import NotIsoError, Volume, mount

LABEL = "RAILYARD"
BLOCK = 64 * 1024
RETRY_S = (0.2, 2.0)  # calling home is tried again while the network doesn't answer


@dataclass(frozen=True)
class Hardware:
    """What the machine is made of, as its firmware reports it."""

    serial: str
    macs: tuple[str, ...]
    gpus: int


class Board(Protocol):
    """What the mainboard gives to the machine. The BMC implements it."""

    def hardware(self) -> Hardware: ...
    def boot_devices(self) -> list[str]: ...
    def cd(self) -> str | None: ...
    def blocked(self, what: str) -> bool: ...
    def trust(self) -> ssl.SSLContext: ...


class InstallError(Exception):
    """The installer stops; the machine stays on and shows an error on a screen that nobody reads."""


class Machine:
    """One machine. `timing` in seconds: postS, installS. `record(event, generation)` writes the log of installs."""

    def __init__(
        self,
        folder: Path,
        board: Board,
        timing: dict[str, float],
        record: Callable[..., None],
        watcher: hosts.Watcher | None = None,
    ) -> None:
        self.folder, self.board, self.timing = folder, board, timing
        self.record, self.watcher = record, watcher
        self.os_up = False
        self._task: asyncio.Task[None] | None = None

    # Power -------------------------------------------------------------------------------------------------------------
    def start(self) -> None:
        """Current flows."""
        self.stop()
        self._task = asyncio.get_running_loop().create_task(self._run())

    def stop(self) -> None:
        """Current is gone, at once."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
        self._os_down()

    async def _run(self) -> None:
        try:
            await asyncio.sleep(self.timing["postS"])
            await self._boot()
        except asyncio.CancelledError:
            raise
        except Exception as error:  # noqa: BLE001 (a machine that breaks is a machine that hangs, not a broken lab)
            self.record("machine-error", error=f"{type(error).__name__}: {error}")

    async def _boot(self) -> None:
        for device in self.board.boot_devices():
            if device == "Cd" and await self._boot_cd():
                return
            if device == "Hdd" and self._boot_disk():
                return
        self.record("no-boot-device")

    def _boot_disk(self) -> bool:
        disk = files.read_json(self.folder / hosts.DISK)
        if not isinstance(disk, dict):
            return False
        hardware = self.board.hardware()
        shown = ("serial", "generation", "hostname", "labels", "addresses")
        running = {key: disk.get(key) for key in shown}
        running |= {"gpus": hardware.gpus, "macs": list(hardware.macs), "bootId": secrets.token_hex(8)}
        files.write_json(self.folder / hosts.RUNNING, running)
        self.os_up = True
        self.record("boot-disk", disk.get("generation"), hostname=disk.get("hostname"))
        if self.watcher:
            self.watcher(self.folder.name, running)
        return True

    def _os_down(self) -> None:
        (self.folder / hosts.RUNNING).unlink(missing_ok=True)
        if self.os_up and self.watcher:
            self.watcher(self.folder.name, None)
        self.os_up = False

    # Installer ---------------------------------------------------------------------------------------------------------
    async def _boot_cd(self) -> bool:
        """True when there was an installer on the CD (whether it succeeded or stopped); False: next boot device."""
        url = self.board.cd()
        if url is None:
            return False
        disc = Disc(url, self.board)
        try:
            volume = await mount(disc.read)
            if volume.label != LABEL:
                self.record("no-installer", label=volume.label)
                return False
            seed = json.loads(await volume.content("seed.json"))
        except (FetchError, NotIsoError, KeyError, ValueError) as error:
            self.record("media-error", error=f"{type(error).__name__}: {error}"[:200].replace(url, "<media>"))
            return False
        finally:
            disc.close()
        try:
            await self._install(seed, volume)
        except InstallError as error:
            generation = seed.get("generation") if isinstance(seed, dict) else None
            self.record("install-stopped", generation, error=str(error))
            return True
        self._boot_disk()
        return True

    async def _install(self, seed: Any, volume: Volume) -> None:
        serial, generation = self.board.hardware().serial, _field(seed, "generation", int)
        if _field(seed, "serial", str) != serial:
            raise InstallError(f"the seed is for {seed['serial']}, this is {serial}")
        home = Home(seed, self.board)
        fingerprint = _host_key()
        try:
            image = await home.image()  # before anything is wiped: a missing image must not cost the old system
            await home.call("begun", fingerprint)
            self.record("begun", generation)
            # From here on the disk's old content is gone, whatever happens.
            (self.folder / hosts.DISK).unlink(missing_ok=True)
            await asyncio.sleep(self.timing["installS"])
            self._write_disk(seed, fingerprint, image, volume)
            await home.call("finished", fingerprint)
            self.record("finished", generation)
        finally:
            home.close()

    def _write_disk(self, seed: dict[str, Any], fingerprint: str, image: str | None, volume: Volume) -> None:
        kept = {key: seed[key] for key in ("serial", "generation", "labels", "addresses", "storage") if key in seed}
        kept |= {"hostname": seed.get("hostname") or seed.get("name"), "hostKeyFingerprint": fingerprint}
        kept |= {"imageSha256": image, "volume": volume.label, "installed": time.time()}
        files.write_json(self.folder / hosts.DISK, kept)


class Disc:
    """The CD drive: reads the medium by HTTP ranges, in blocks that it remembers while the disc is in use."""

    def __init__(self, url: str, board: Board) -> None:
        self.board, self.url = board, url
        self.origin: Origin | None = None
        self._blocks: dict[int, bytes] = {}

    async def read(self, offset: int, length: int) -> bytes:
        """`length` bytes from `offset` (fewer at the end of the medium). Raises FetchError."""
        first, last = offset // BLOCK, (offset + max(length, 1) - 1) // BLOCK
        data = b"".join([await self._block(index) for index in range(first, last + 1)])
        start = offset - first * BLOCK
        return data[start : start + length]

    async def _block(self, index: int) -> bytes:
        if index not in self._blocks:
            if self.board.blocked("media"):
                raise FetchError("HTTP 404")
            start = index * BLOCK
            self.origin = self.origin or Origin(self.url, self.board.trust())
            reply = await self.origin.request("GET", {"Range": f"bytes={start}-{start + BLOCK - 1}"})
            if reply.status == 416:
                self._blocks[index] = b""
            elif reply.status == 206:
                self._blocks[index] = reply.body
            elif reply.status == 200:  # a server without ranges: the whole medium
                self._blocks[index] = reply.body[start : start + BLOCK]
            else:
                raise FetchError(f"HTTP {reply.status}")
        return self._blocks[index]

    def close(self) -> None:
        if self.origin is not None:
            self.origin.close()


class Home:
    """The installer's network: calls home and fetches the image, trusting the CA on its seed."""

    def __init__(self, seed: dict[str, Any], board: Board) -> None:
        self.seed, self.board = seed, board
        self.url, self.name = _field(seed, "callHomeUrl", str), _field(seed, "name", str)
        try:
            self.key = bytes.fromhex(_field(seed, "callHomeKey", str))
            pem = seed.get("caPem")
            self.trust = ssl.create_default_context(cadata=pem) if pem else board.trust()
        except (ValueError, ssl.SSLError) as error:
            raise InstallError(f"unusable seed: {type(error).__name__}") from error
        self._origin: Origin | None = None

    async def call(self, phase: str, fingerprint: str) -> None:
        """Reports `phase` until it's heard. Raises InstallError when the answer is anything but 204."""
        body = json.dumps({"phase": phase, "name": self.name, "hostKeyFingerprint": fingerprint}).encode()
        signature = hmac.new(self.key, body, hashlib.sha256).hexdigest()
        headers = {"Content-Type": "application/json", "X-Railyard-Signature": signature}
        wait_s = RETRY_S[0]
        while True:
            reply = await self._try(headers, body, phase)
            if reply is not None and reply.status == 204:
                return
            if reply is not None and reply.status < 500 and reply.status != 429:
                raise InstallError(f"call home {phase}: HTTP {reply.status}")
            await asyncio.sleep(wait_s)
            wait_s = min(wait_s * 2, RETRY_S[1])

    async def _try(self, headers: dict[str, str], body: bytes, phase: str) -> Reply | None:
        if self.board.blocked(f"call-home:{phase}"):
            return None
        try:
            self._origin = self._origin or Origin(self.url, self.trust)
            return await self._origin.request("POST", headers, body)
        except FetchError:
            return None

    async def image(self) -> str | None:
        """Fetches the operating system image, if the seed names one, and checks it; its SHA-256. Raises InstallError."""
        url, wanted = self.seed.get("imageUrl"), self.seed.get("imageSha256")
        if not url:
            return wanted
        origin = Origin(url, self.trust)
        try:
            reply = await origin.request("GET")
        except FetchError as error:
            raise InstallError(f"image: {error}") from error
        finally:
            origin.close()
        found = hashlib.sha256(reply.body).hexdigest()
        if reply.status != 200 or found != wanted:
            raise InstallError(f"image: HTTP {reply.status}, SHA-256 {found}, the seed says {wanted}")
        return found

    def close(self) -> None:
        if self._origin is not None:
            self._origin.close()


def _field(seed: Any, key: str, kind: type) -> Any:
    if not isinstance(seed, dict) or not isinstance(seed.get(key), kind):
        raise InstallError(f"the seed has no {key}")
    return seed[key]


def _host_key() -> str:
    """The fingerprint of a new SSH host key, as OpenSSH prints it."""
    public = Ed25519PrivateKey.generate().public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
    digest = hashlib.sha256(base64.b64decode(public.split()[1])).digest()
    return f"SHA256:{base64.b64encode(digest).decode().rstrip('=')}"
