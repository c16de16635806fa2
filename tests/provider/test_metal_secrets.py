"""A BMC that sends back what it was sent: no password and no token of a medium leaves the provider."""

import re

import pytest

from tests.provider.conftest import INSTALLATION, MACHINE
from tests.provider.plugin import Failed

TOKEN = re.compile(r"[\w-]{8,}\.[0-9a-f]{64}")


def secrets(yard) -> dict[str, str]:
    """Every password of the instance."""
    found = {}
    for path in (yard.dir / "secrets").iterdir():
        for line in path.read_text().splitlines():
            if line.startswith("password: "):
                found[path.name] = line.removeprefix("password: ")
    assert {"bmc-account", "bmc-factory", "provision-admin"} <= found.keys()
    return found


def told(plugin, failed: Failed) -> str:
    """Everything that the engine (and so the user, the log and the state) got to see."""
    partial = str(failed.partial) if failed.partial else ""
    return "\n".join([failed.text, partial, *plugin.log.lines])


def fails(plugin, yard, kind, inputs) -> str:
    with pytest.raises(Failed) as failed:
        plugin.create(kind, inputs)
    text = told(plugin, failed.value)
    leaked = [name for name, secret in secrets(yard).items() if secret in text]
    assert not leaked, text
    assert not TOKEN.search(text), text
    return text


@pytest.mark.requirement("X4")
@pytest.mark.parametrize("path", ["*/Sessions", "*/AccountService/Accounts*"])
def test_no_password_comes_back(yard, plugin, path):
    one = yard.machine(5)
    yard.fault(one["identity"]["serial"], kind="echo", path=path)
    text = fails(plugin, yard, MACHINE, one)
    assert "METAL-013" in text
    assert re.search(r"The value '\*\*\*' for the property Password is not a format", text)
    assert "'railyard' for the property UserName" in text


@pytest.mark.requirement("X4")
def test_no_token_of_a_medium_comes_back(yard, plugin):
    plugin.create(MACHINE, yard.machine(5))
    one = yard.installation(5)
    yard.fault(one["serial"], kind="echo", path="*/VirtualMedia*")
    text = fails(plugin, yard, INSTALLATION, one)
    assert "METAL-013" in text
    assert "/v1/media/***/install.iso' for the property Image" in text
