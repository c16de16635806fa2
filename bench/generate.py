"""Inventories that nobody types: the example sites' and the bench stack's, made of names alone, the same on every run.

python bench/generate.py sites                    # writes sites/*/inventory.yaml again
python bench/generate.py bench DIR [--nodes N]    # DIR/stacks/Pulumi.bench.yaml, DIR/sites/bench/inventory.json
"""

import argparse
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FOOTER = "# Written by bench/generate.py; serials and MACs are made of the names. A real one comes from the delivery notes."

FOOTER_INIT = "# Serials and MACs are placeholders made of the site's name: replace them by the delivery notes'."


@dataclass(frozen=True)
class Yard:
    """What an inventory is made of. `bmc` is the first BMC's address; the others follow it."""

    site: str
    nodes: int
    nodes_per_unit: int
    storage: int
    bmc: str
    storage_bmc: str
    port: int | None = None
    rails: int = 8
    head: str = ""


YARDS = (
    Yard("lab", 4, 32, 2, "127.77.1.1", "127.77.1.5", 8443,
         head="The emulated site. Each BMC has a loopback address of its own; `python -m lab up` answers on all of them."),
    Yard("lab-b", 2, 32, 0, "127.78.1.1", "127.78.1.3", 8443, head="The second emulated site: an instance of its own."),
    Yard("starter", 4, 20, 2, "10.40.0.1", "10.40.3.1", head="Four DGX A100 and two storage servers."),
    Yard("prod-site-a", 128, 32, 8, "10.16.0.1", "10.16.8.1", head="128 DGX H100 in four units, eight Lustre servers."),
    Yard("prod-site-b", 32, 32, 4, "10.64.0.1", "10.64.8.1", head="32 DGX H100 in one scalable unit, four Lustre servers."),
)  # fmt: skip


def serial(name: str) -> str:
    """A serial number made of a name. The letters in front keep YAML from reading digits as a number."""
    return f"RY{hashlib.sha256(name.encode()).hexdigest()[:10].upper()}"


def mac(name: str, nic: int) -> str:
    """A locally administered MAC made of a name and a NIC's number."""
    digest = hashlib.sha256(f"{name}/{nic}".encode()).hexdigest()
    return ":".join(["02", *(digest[i : i + 2] for i in range(0, 10, 2))])


def machines(yard: Yard) -> Iterator[dict[str, Any]]:
    """Every machine: GPU nodes unit by unit with one NIC per rail and two for storage and in-band, then the storage servers."""
    digits = 3 if yard.nodes_per_unit > 99 else 2
    tail = f":{yard.port}" if yard.port else ""
    for index in range(yard.nodes):
        unit, slot = divmod(index, yard.nodes_per_unit)
        name = f"{yard.site}-su{unit + 1:03d}-gpu{slot + 1:0{digits}d}"
        yield _row(name, "gpu", f"{ip_address(yard.bmc) + index}{tail}", yard.rails + 2) | {"gpus": 8}
    for index in range(yard.storage):
        yield _row(f"{yard.site}-sto{index + 1:02d}", "storage", f"{ip_address(yard.storage_bmc) + index}{tail}", 2)


def _row(name: str, role: str, bmc: str, nics: int) -> dict[str, Any]:
    return {"name": name, "role": role, "serial": serial(name), "bmc": bmc, "macs": [mac(name, nic) for nic in range(nics)]}


def as_yaml(yard: Yard) -> str:
    """The inventory as people read it."""
    lines = [
        f"# Inventory of {yard.site}: what was delivered. {yard.head}".rstrip(),
        "# Facts about single machines only; choices and counts are in the stack file. `name` is the position that it fills.",
        "# `macs`: one per rail in rail order, then two for storage and in-band. BMC accounts are in the stack file.",
        "# Set a machine aside with `lifecycle: quarantined` and a `reason`. Install it again: raise `installGeneration` and",
        "# repeat its serial as `confirmSerial`.",
        FOOTER,
        "schemaVersion: 1",
        f"site: {yard.site}",
        "machines:",
    ]
    for row in machines(yard):
        lines += [
            f"  - name: {row['name']}",
            f"    role: {row['role']}",
            f"    serial: {row['serial']}",
            f"    bmc: {row['bmc']}",
        ]
        lines += ["    macs:", *(f"      - {address}" for address in row["macs"])]
        lines += [f"    gpus: {row['gpus']}"] if "gpus" in row else []
    return "\n".join(lines) + "\n"


def write_bench(root: Path, nodes: int) -> None:
    """The bench site below `root`: prod-site-a's stack file with other counts, three tiers from 256 nodes on."""
    units = -(-nodes // 32)
    text = (ROOT / "stacks" / "Pulumi.prod-site-a.yaml").read_text(encoding="utf-8")
    for old, new in {
        "name: prod-site-a": "name: bench",
        "sites/prod-site-a/inventory.yaml": "sites/bench/inventory.json",
        "nodes: 128": f"nodes: {nodes}",
        "scalableUnits: 4": f"scalableUnits: {units}",
        "plannedScalableUnits: 8": f"plannedScalableUnits: {units}",
        "rails: 10.20.0.0/16": "rails: 10.32.0.0/11",
        # Four nodes to a rack, as the published H100 design has them, behind rear doors.
        "nodesPerRack: 3": "nodesPerRack: 4",
        "airLimitKw: 40": "airLimitKw: 45",
        "pduModel: pdu-415v-60a-3ph": "pduModel: pdu-415v-60a-3ph\n        pdusPerRack: 2",
    }.items():
        if old not in text:
            raise SystemExit(f"stacks/Pulumi.prod-site-a.yaml has no `{old}`: adapt bench/generate.py")
        text = text.replace(old, new)
    site = root / "sites" / "bench"
    site.mkdir(parents=True, exist_ok=True)
    (root / "stacks").mkdir(exist_ok=True)
    (root / "stacks" / "Pulumi.bench.yaml").write_text(text, encoding="utf-8")
    rows = list(machines(Yard("bench", nodes, 32, 8, "10.16.16.1", "10.16.0.1")))
    inventory = {"schemaVersion": 1, "site": "bench", "machines": rows}
    (site / "inventory.json").write_text(json.dumps(inventory, indent=1) + "\n", encoding="utf-8")


def write_sites() -> None:
    """The committed inventories."""
    for yard in YARDS:
        folder = ROOT / "sites" / yard.site
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "inventory.yaml").write_text(as_yaml(yard), encoding="utf-8")
    for source, name in (("stacks/Pulumi.starter.yaml", "stack.yaml"), ("sites/starter/inventory.yaml", "inventory.yaml")):
        text = template((ROOT / source).read_text(encoding="utf-8"))
        (ROOT / "railyard" / "cli" / "starter" / name).write_text(text, encoding="utf-8")


def template(text: str) -> str:
    """What `railyard init --from starter` fills in: `@SITE@` where the name is a YAML scalar of its own, `@NAME@` elsewhere."""
    text = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("encryptionsalt:"))
    text = re.sub(r"(name|site): starter\b(?!-)", r"\1: @SITE@", text).replace("starter", "@NAME@")
    return text.replace("--from @NAME@", "--from starter").replace(FOOTER, FOOTER_INIT)


def main() -> None:
    """Parse the command line and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("sites", help="write sites/*/inventory.yaml")
    bench = verbs.add_parser("bench", help="write a bench site")
    bench.add_argument("dir", type=Path)
    bench.add_argument("--nodes", type=int, default=2048)
    args = parser.parse_args()
    if args.verb == "sites":
        write_sites()
    else:
        write_bench(args.dir, args.nodes)


if __name__ == "__main__":
    main()
