"""The secrets of a yard, in every spelling, and the places that they must not have got to."""

import base64
import gzip
import json
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, quote_plus

import requests

from tests.engine.yard import Yard

TOKEN = re.compile(rb"[A-Za-z0-9_-]{8,}(?:\.|%2E)[0-9a-f]{64}(?![0-9a-f])")  # of a medium, whichever
SHORTEST = 12


@dataclass
class Canaries:
    """name -> secret."""

    values: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, secret: str) -> None:
        assert len(secret) >= SHORTEST, name
        self.values[name] = secret

    def found(self, content: bytes) -> list[str]:
        """Names of the secrets in it; a medium's token counts by its form, so also one that we have never seen."""
        names = [name for name, secret in self.values.items() if any(form in content for form in spellings(secret))]
        return names + [f"token {match[0][:60]!r}" for match in TOKEN.finditer(content)]

    def in_files(self, *places: Path, leave_out: tuple[str, ...] = ()) -> tuple[list[str], int]:
        """(leaks, how many files were read) below these places."""
        leaks, read = [], 0
        for path in (path for place in places for path in files(place)):
            if path.name in leave_out:
                continue
            try:
                content = path.read_bytes()
            except FileNotFoundError:  # a log that was rotated, a lock that was freed
                continue
            read += 1
            if content[:2] == b"\x1f\x8b":
                content = gzip.decompress(content)
            leaks += [f"{name} in {path}" for name in self.found(content)]
        return leaks, read


def files(place: Path) -> Iterator[Path]:
    return (path for path in place.rglob("*") if path.is_file())


def spellings(secret: str) -> set[bytes]:
    """As it is, in JSON, in a URL, and inside of base64 of something longer, wherever in it the secret begins."""
    raw = secret.encode()
    found = {raw, json.dumps(secret)[1:-1].encode(), quote(secret, safe="").encode(), quote_plus(secret).encode()}
    for before in range(3):
        coded = base64.b64encode(b"\0" * before + raw)
        inner = coded[(0, 2, 3)[before] : len(coded) - 4].rstrip(b"=")
        found |= {inner, inner.translate(bytes.maketrans(b"+/", b"-_"))}
    return found


def of(yard: Yard) -> Canaries:
    """Passwords, the kubeconfig's key (in base64, and a line of its PEM), the provisioning service's own secret."""
    canaries = Canaries()
    for path in (yard.instance / "secrets").iterdir():
        for line in path.read_text().splitlines():
            if line.startswith("password: "):
                canaries.add(path.name, line.removeprefix("password: "))
    text = (yard.instance / "kubeconfig").read_text()
    for kind, value in re.findall(r"(client-key-data|token): (\S+)", text):
        canaries.add(f"kubeconfig {kind}", value)
        if kind == "client-key-data":
            canaries.add("kubeconfig client key", base64.b64decode(value).decode().splitlines()[1])
    for path in (yard.instance / "state" / "provision").glob("*.key"):
        canaries.add("secret of the provisioning service", path.read_text().strip())
    return canaries


class Watch:
    """While it is open: the command lines of all processes, and what lies in the emulated CD drives."""

    def __init__(self, yard: Yard, canaries: Canaries) -> None:
        self.yard = yard
        self.canaries = canaries
        self.command_lines: set[bytes] = set()
        self.media: set[str] = set()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "Watch":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join(30)

    def _run(self) -> None:
        while not self._end.wait(0.1):
            for entry in Path("/proc").iterdir():
                if entry.name.isdigit():
                    self._look(entry / "cmdline")
            for path in self.yard.instance.glob("state/*/bmc.json"):
                for url in re.findall(r"https://[^\"]+/v1/media/[^\"]+", path.read_text()):
                    self._keep(path.parent.name, url)

    def _look(self, path: Path) -> None:
        try:
            self.command_lines.add(path.read_bytes())
        except OSError:
            return

    def _keep(self, serial: str, url: str) -> None:
        """The token of a medium, and the key in it: only who holds the URL can read the key."""
        if url in self.media:
            return
        answer = requests.get(url, verify=str(self.yard.instance / "pki" / "ca.crt"), timeout=10)
        key = re.search(rb'"callHomeKey": ?"([0-9a-f]{64})"', answer.content)
        self.media.add(url)
        number = len(self.media)
        self.canaries.add(f"medium {number} of {serial}", url.split("/v1/media/")[1].split("/")[0])
        if key:
            self.canaries.add(f"call-home key {number} of {serial}", key[1].decode())


def wait_media(watch: Watch, seconds: float) -> None:
    """Until a medium was seen."""
    end = time.monotonic() + seconds
    while not watch.media:
        assert time.monotonic() < end, "no medium was ever in a drive"
        time.sleep(0.1)
