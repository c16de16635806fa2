"""What the service does, without HTTP: issue, media, call home, changes."""

import hashlib
import json
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

from pydantic import Field, ValidationError

from railyard.model.base import Noun, Sha256
from services.provision import iso
from services.provision.journal import Installation, Journal
from services.provision.tokens import Issue, Tokens

LABEL = "RAILYARD"
GRACE_S = 60


class Refused(Exception):  # noqa: N818  (an answer, not a failure)
    """An answer with a status and a text for a person."""

    def __init__(self, status: int, text: str, **more: Any) -> None:
        self.status = status
        self.body = {"error": text, **more}
        super().__init__(text)


class IssueRequest(Noun):
    """Body of `POST /v1/installations`."""

    serial: Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[!-~]+$")]
    generation: Annotated[int, Field(ge=1, le=1_000_000)]
    name: Annotated[str, Field(pattern=r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$")]
    image: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$")]
    image_sha256: Sha256
    seed: Annotated[dict[str, Any], Field(default_factory=dict)]
    deadline_s: Annotated[int, Field(ge=1, le=86_400)] = 3600
    renew: bool = False


class CallHome(Noun):
    """Body of a call home. The fingerprint of the host key names the attempt: it's made anew at each start of an installer."""

    phase: Annotated[str, Field(pattern="^(begun|finished)$")]
    name: str = ""
    host_key_fingerprint: Annotated[str, Field(min_length=1, max_length=200)]


@dataclass(frozen=True, slots=True)
class Settings:
    """`public_url` without a slash at its end; `ca_pem` goes into the seed."""

    images: Path
    public_url: str
    ca_pem: str | None = None


class Site:
    """One journal and its secret. Thread-safe."""

    def __init__(self, journal: Journal, tokens: Tokens, settings: Settings) -> None:
        self.journal = journal
        self.tokens = tokens
        self.settings = settings
        self._issue = threading.Lock()
        self._hashes: dict[str, tuple[tuple[int, int], str]] = {}

    def issue(self, body: bytes) -> dict[str, Any]:
        """Issues a medium, or gives the one that is out. Raises Refused 400, 409 (also once it has begun), 422."""
        request = _parse(IssueRequest, body)
        self._check_image(request.image, request.image_sha256)
        with self._issue:
            item = self._issued(request, int(time.time()))
        token = self.tokens.media(issue_of(item))
        url = f"{self.settings.public_url}/v1/media/{token}/install.iso"
        left = max(0, item.expires - int(time.time()))
        return {"mediaUrl": url, "expiresS": left, "state": item.state, "journalId": self.journal.id}

    def _issued(self, request: IssueRequest, now: int) -> Installation:
        known = self.journal.newest(request.serial)
        wanted = Installation(
            request.serial, request.generation, "issued", request.name, request.image, request.image_sha256,
            now + request.deadline_s + GRACE_S, request.seed,
        )  # fmt: skip
        if known and known.generation > request.generation:
            raise Refused(409, f"generation {known.generation} is newer than {request.generation}", **self._shown(known))
        if known and known.generation == request.generation:
            if known.state != "issued":
                text = f"this installation has {known.state}: raise the generation to install again"
                raise Refused(409, text, **self._shown(known))
            same = (known.name, known.image_sha256, known.seed) == (wanted.name, wanted.image_sha256, wanted.seed)
            if same and known.expires > now and not request.renew:
                return known
        written = self.journal.issue(wanted, known)
        # A machine that called home in between was faster: the answer is the one for what it has done.
        return written or self._issued(request, now)

    def record(self, serial: str) -> dict[str, Any]:
        """The newest record of a machine. Raises Refused 404."""
        item = self.journal.newest(serial)
        if item is None:
            raise Refused(404, f"nothing was ever issued for {serial}", journalId=self.journal.id)
        return self._shown(item)

    def changes(self, after: int, wait_s: float) -> dict[str, Any]:
        """Records that changed after a position."""
        position, items = self.journal.after(after, min(max(wait_s, 0.0), 25.0))
        return {"next": position, "installations": [item.record() for item in items], "journalId": self.journal.id}

    def _shown(self, item: Installation) -> dict[str, Any]:
        return {**item.record(), "journalId": self.journal.id}

    def medium(self, token: str) -> bytes:
        """The image of a token. Raises Refused 404, 410."""
        known = self.tokens.read_media(token)
        if known is None:
            raise Refused(404, "no such medium")
        item = self.journal.newest(known.serial)
        if item is None or issue_of(item) != known or known.expires <= time.time():
            raise Refused(410, "this medium has expired, or a newer one was issued")
        if item.state != "issued":  # an installer that starts once more must find nothing
            raise Refused(410, f"this installation has {item.state}")
        return iso.build(LABEL, self._files(item))

    def call_home(self, serial: str, generation: int, body: bytes, signature: str) -> None:
        """Notes `begun` or `finished`. Raises Refused 400, 401 (also by the key of a medium that was issued anew), 409."""
        item = self.journal.newest(serial)
        if item is None or item.generation != generation or not self.tokens.signed(issue_of(item), body, signature):
            raise Refused(401, "wrong signature: not the newest medium of this machine")
        call = _parse(CallHome, body)
        if self.journal.advance(item, call.phase, call.host_key_fingerprint) is None:
            raise Refused(409, f"{call.phase} is not the next step of this attempt to install {serial}: stop")

    def _files(self, item: Installation) -> Mapping[str, bytes]:
        base = self.settings.public_url
        seed = {
            **item.seed,
            "serial": item.serial,
            "generation": item.generation,
            "name": item.name,
            "callHomeUrl": f"{base}/v1/callhome/{quote(item.serial, safe='')}/{item.generation}",
            "callHomeKey": self.tokens.call_home_key(issue_of(item)),
            "imageUrl": f"{base}/v1/images/{quote(item.image)}",
            "imageSha256": item.image_sha256,
        }
        if self.settings.ca_pem:
            seed["caPem"] = self.settings.ca_pem
        text = json.dumps(seed, sort_keys=True, indent=1) + "\n"
        return {"seed.json": text.encode(), "image.sha256": f"{item.image_sha256}  {item.image}\n".encode()}

    def image_path(self, name: str) -> Path:
        """The file of an image. Raises Refused 404 (also for anything that isn't a plain name)."""
        path = self.settings.images / name
        if "/" in name or name.startswith(".") or not path.is_file():
            raise Refused(404, f"no image {name}")
        return path

    def _check_image(self, name: str, wanted: str) -> None:
        try:
            path = self.image_path(name)
        except Refused:
            raise Refused(422, f"image {name} is not in {self.settings.images}") from None
        status = path.stat()
        stamp = (status.st_mtime_ns, status.st_size)
        known = self._hashes.get(name)
        if known is None or known[0] != stamp:
            with path.open("rb") as stream:
                known = (stamp, hashlib.file_digest(stream, "sha256").hexdigest())
            self._hashes[name] = known
        if known[1] != wanted:
            raise Refused(422, f"image {name} has SHA-256 {known[1]}, the plan says {wanted}")


def issue_of(item: Installation) -> Issue:
    """The newest medium of an installation."""
    return Issue(item.serial, item.generation, item.issue, item.expires)


def _parse(model: type[Any], body: bytes) -> Any:
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        wrong = [f"{'.'.join(map(str, item['loc'])) or 'body'}: {item['msg']}" for item in error.errors(include_input=False)]
        raise Refused(400, "; ".join(wrong)) from None
