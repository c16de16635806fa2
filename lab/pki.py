"""The instance's own certificate authority (EC P-256). Nothing outside the instance trusts it."""

import datetime
import ipaddress
from collections.abc import Sequence
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from lab import files

YEARS = 10


class Authority:
    """A CA whose key lies in `folder`/ca.key; made on first use."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder
        self.certificate_path = folder / "ca.crt"
        key_path = folder / "ca.key"
        if key_path.exists() and self.certificate_path.exists():
            self.key = load_key(key_path)
            self.certificate = x509.load_pem_x509_certificate(self.certificate_path.read_bytes())
            return
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.certificate = _self_signed(self.key, name)
        write_key(key_path, self.key)
        files.write(self.certificate_path, self.certificate.public_bytes(serialization.Encoding.PEM))

    def issue(
        self,
        name: str,
        *,
        ips: Sequence[str] = (),
        dns: Sequence[str] = (),
        common_name: str | None = None,
        organizations: Sequence[str] = (),
    ) -> tuple[Path, Path]:
        """Writes `<folder>/<name>.crt` and `.key` (server and client use) unless both are there; returns both paths."""
        certificate_path, key_path = self.folder / f"{name}.crt", self.folder / f"{name}.key"
        if certificate_path.exists() and key_path.exists():
            return certificate_path, key_path
        key = ec.generate_private_key(ec.SECP256R1())
        builder = self._leaf(common_name or name, organizations, key)
        names = [x509.IPAddress(ipaddress.ip_address(ip)) for ip in ips] + [x509.DNSName(text) for text in dns]
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        write_key(key_path, key)
        pem = builder.sign(self.key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
        files.write(certificate_path, pem)
        return certificate_path, key_path

    def _leaf(self, common_name: str, organizations: Sequence[str], key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
        subject = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, text) for text in organizations]
        subject.append(x509.NameAttribute(NameOID.COMMON_NAME, common_name))
        usages = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
        return (
            _builder(x509.Name(subject), self.certificate.subject, key)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage(sign=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage(usages), critical=False)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key()), critical=False)
        )


def load_key(path: Path) -> ec.EllipticCurvePrivateKey:
    """The EC key in a PEM file."""
    key = serialization.load_pem_private_key(path.read_bytes(), password=None)
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise TypeError(f"{path}: not an EC key")
    return key


def write_key(path: Path, key: ec.EllipticCurvePrivateKey) -> None:
    """Writes a private key, readable by its owner only."""
    form, plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    files.write(path, key.private_bytes(serialization.Encoding.PEM, form, plain), mode=0o600)


def _self_signed(key: ec.EllipticCurvePrivateKey, name: str) -> x509.Certificate:
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    return (
        _builder(subject, subject, key)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(sign=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )


def _builder(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
    # A day back: the clocks of a container and its host may differ.
    now = datetime.datetime.now(datetime.UTC)
    start = now - datetime.timedelta(days=1)
    builder = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key.public_key())
    builder = builder.serial_number(x509.random_serial_number())
    return builder.not_valid_before(start).not_valid_after(now + datetime.timedelta(days=365 * YEARS))


def _usage(*, sign: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=sign,
        crl_sign=sign,
        encipher_only=False,
        decipher_only=False,
    )
