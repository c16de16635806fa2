"""What comes with the switch: a host key and a certificate. Both follow from the serial number and the instance's authority."""

import base64
import hashlib
import io
import ssl

import paramiko
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519

from lab.inventory import SwitchFacts
from lab.pki import Authority


def host_key(serial: str) -> paramiko.Ed25519Key:
    """The SSH host key of an emulated switch: made of its serial, so that a committed inventory can hold its fingerprint."""
    seed = hashlib.sha256(f"railyard lab host key {serial}".encode()).digest()
    private = ed25519.Ed25519PrivateKey.from_private_bytes(seed)
    pem = private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.OpenSSH, serialization.NoEncryption()
    ).decode()
    return paramiko.Ed25519Key(file_obj=io.StringIO(pem))


def fingerprint(serial: str) -> str:
    """Its fingerprint as ssh-keygen -l prints it: `SHA256:…`."""
    digest = hashlib.sha256(host_key(serial).asbytes()).digest()
    return "SHA256:" + base64.b64encode(digest).decode().rstrip("=")


def tls_context(authority: Authority, facts: list[SwitchFacts]) -> ssl.SSLContext:
    """One certificate for all NVUE switches; its name changes with their addresses, as issued files are kept."""
    hosts = sorted({one.host for one in facts})
    name = f"switches-{hashlib.sha256(' '.join(hosts).encode()).hexdigest()[:8]}"
    certificate, key = authority.issue(name, ips=hosts)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context
