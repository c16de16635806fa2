"""A real provisioning service per test: its own process, TLS, journal, images."""

import datetime
import hashlib
import hmac
import ipaddress
import json
import re
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
import requests
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

ROOT = Path(__file__).resolve().parents[3]
IMAGE = b"an operating system"
IMAGE_SHA256 = hashlib.sha256(IMAGE).hexdigest()
CANARY = "canary-admin-password"


@dataclass
class Service:
    """A running service. `call` is an admin's request."""

    folder: Path
    port: int
    process: subprocess.Popen | None = None

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    def argv(self) -> list[str]:
        argv = [sys.executable, "-m", "services.provision", "--listen", f"127.0.0.1:{self.port}", "--images", str(self.folder)]
        for name in ("cert", "key"):
            argv += [f"--{name}", str(self.folder / f"{name}.pem")]
        return [*argv, "--journal", str(self.folder / "journal.jsonl"), "--admin-ref", f"file:{self.folder / 'admin'}"]

    def start(self) -> "Service":
        log = (self.folder / "log").open("ab")
        self.process = subprocess.Popen(self.argv(), cwd=ROOT, stdout=log, stderr=log)
        for _ in range(200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return self
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise AssertionError((self.folder / "log").read_text())

    def kill(self, number: int = signal.SIGKILL) -> int:
        self.process.send_signal(number)
        return self.process.wait(10)

    def call(self, method: str, path: str, **more) -> requests.Response:
        session = requests.Session()
        session.trust_env = False
        url = path if path.startswith("https:") else self.url + path
        return session.request(method, url, verify=str(self.folder / "cert.pem"), timeout=10, **more)

    def admin(self, method: str, path: str, **more) -> requests.Response:
        return self.call(method, path, auth=("provision", CANARY), **more)

    def issue(self, serial="SN1", generation=1, **more) -> requests.Response:
        seed = {"hostname": "lab-su001-gpu01", "labels": {"railyard.dev/rack": "lab-r001"}}
        body = {"serial": serial, "generation": generation, "name": "lab-su001-gpu01", "image": "os.img"}
        return self.admin(
            "POST", "/v1/installations", json={**body, "imageSha256": IMAGE_SHA256, "seed": seed, "deadlineS": 60, **more}
        )

    def seed(self, media_url: str) -> dict:
        image = self.call("GET", media_url)
        assert image.status_code == 200, image.text
        return json.loads(re.search(rb'\{\n "call.*?\n\}\n', image.content, re.DOTALL)[0])

    def call_home(self, seed: dict, phase: str, key: str | None = None, attempt: str | None = "SHA256:abc") -> int:
        body = json.dumps({"phase": phase, "name": seed["name"], "hostKeyFingerprint": attempt}).encode()
        signature = hmac.new(bytes.fromhex(key or seed["callHomeKey"]), body, hashlib.sha256).hexdigest()
        return self.call("POST", seed["callHomeUrl"], data=body, headers={"X-Railyard-Signature": signature}).status_code


def certificate(folder: Path) -> None:
    """A self-signed certificate for 127.0.0.1."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test")])
    now = datetime.datetime.now(datetime.UTC)
    cert = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    (folder / "cert.pem").write_bytes(cert.public_bytes(serialization.Encoding.PEM))
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )  # fmt: skip
    (folder / "key.pem").write_bytes(private)


def free_port() -> int:
    """A port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def service(tmp_path):
    certificate(tmp_path)
    (tmp_path / "os.img").write_bytes(IMAGE)
    (tmp_path / "admin").write_text(f"username: provision\npassword: {CANARY}\n")
    running = Service(tmp_path, free_port()).start()
    yield running
    if running.process.poll() is None:
        running.kill()
