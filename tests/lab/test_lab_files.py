"""Copies of inventory and stack file, /16 locks, ports, and the wall between lab and product."""

import ast
import os
import socket
from pathlib import Path

import pytest

from lab import inventory, network, processes, rewrite
from lab.errors import LabError
from lab.instance import ROOT, Instance
from tests.lab.emulated import inventory_text


def made(folder: Path, **rest: object) -> Instance:
    return Instance(dir=folder, site="lab", stack="lab", network="127.120", inventory=folder / "i.yaml", **rest)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("bmc: 127.77.1.4:8443", "bmc: 127.120.1.4:18443"),
        ("url: https://127.77.0.11:8443/x", "url: https://127.120.0.11:9443/x"),
        ("endpoint: https://127.77.0.10:6443", "endpoint: https://127.120.0.10:6443"),
        ("oob: 127.77.1.0/24 # BMCs", "oob: 127.120.1.0/24 # BMCs"),
        ("peer: https://127.78.0.11:8443", "peer: https://127.78.0.11:8443"),
        ("other: 127.0.77.1, 1127.77.0.1, 127.770.0.1", "other: 127.0.77.1, 1127.77.0.1, 127.770.0.1"),
    ],
)
def test_addresses_move(tmp_path: Path, source: str, wanted: str) -> None:
    assert rewrite.text(source, "127.77", made(tmp_path, ports={"bmc": 18443, "provision": 9443})) == wanted


def test_paths_move_into_the_instance(tmp_path: Path) -> None:
    source = "a: file:.lab/lab/secrets/x\nb: .lab/lab/pki/ca.crt\nc: .lab/lab-b/pki\nd: x.lab/lab/y\n"
    source += "inventory: sites/lab/inventory.yaml"
    lines = rewrite.paths(source, made(tmp_path)).splitlines()
    assert lines[0] == f"a: file:{tmp_path}/secrets/x"
    assert lines[1] == f"b: {tmp_path}/pki/ca.crt"
    assert lines[2:4] == ["c: .lab/lab-b/pki", "d: x.lab/lab/y"]
    assert lines[4] == f"inventory: {tmp_path}/inventory.yaml"
    home = made(ROOT / ".lab" / "lab")
    assert rewrite.paths("caFile: .lab/lab/pki/ca.crt", home) == "caFile: .lab/lab/pki/ca.crt"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", "inventory.yaml"),
        ("site: [", "inventory.yaml"),
        ("site: x\nmachines: 3", "inventory.yaml"),
        ("site: x\nmachines: [3]", "machines[0]"),
        ("site: x\nmachines: [{name: a}]", "machines[0]"),
        (inventory_text(1).replace("127.77.1.1", "10.0.0.1"), "machines[0].bmc"),
        (inventory_text(1).replace("T0001", "../x"), "machines[0].serial"),
        (inventory_text(1).replace("role: gpu", "role: cpu"), "machines[0].role"),
        (inventory_text(2).replace("T0002", "T0001"), "machines[1].serial"),
        (inventory_text(2).replace("127.77.1.2", "127.77.1.1"), "machines[1].bmc"),
    ],
)
def test_bad_inventories_are_refused_with_their_place(tmp_path: Path, text: str, where: str) -> None:
    path = tmp_path / "inventory.yaml"
    path.write_text(text)
    with pytest.raises(LabError) as error:
        inventory.read(path)
    assert error.value.where.endswith(where)
    assert error.value.id in {"LAB-006", "LAB-007"}


def test_one_owner_per_network(tmp_path: Path) -> None:
    name, first = network.pick(None, tmp_path / "one")
    try:
        assert network.lock(name, tmp_path / "two") is None
        assert network.owner(name) == str(tmp_path / "one")
        other, second = network.pick(name, tmp_path / "two")
        os.close(second)
        assert other != name
    finally:
        os.close(first)


def test_ports_in_use_are_named_and_avoided(tmp_path: Path) -> None:
    name, lock = network.pick(None, tmp_path / "ports")
    with socket.socket() as taken:
        taken.bind((f"{name}.0.11", 8443))
        taken.listen()
        picked = network.pick_ports(name, {"bmc": 8443, "provision": 8443}, [f"{name}.1.1"])
        assert picked["bmc"] == 8443
        assert picked["provision"] > 8443
        assert processes.listener(f"{name}.0.11", 8443).startswith(f"pid {os.getpid()} ")
    os.close(lock)


def test_pid_alone_is_no_identity() -> None:
    own = processes.Process.of(os.getpid())
    assert own is not None
    assert own.alive()
    assert not processes.Process(own.pid, own.start + 1).alive()


def test_lab_imports_nothing_of_the_product() -> None:
    for path in (ROOT / "lab").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            bad = [
                one
                for one in names
                if one.split(".")[0] in {"railyard", "providers", "services", "components", "policies", "engine"}
            ]
            assert not bad, f"{path}: {bad}"
