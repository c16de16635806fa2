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
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

from railyard.plan.addresses import slot_offset, storage_bmc_offset

ROOT = Path(__file__).resolve().parents[1]
FOOTER = "# Written by bench/generate.py; serials and MACs are made of the names. A real one comes from the delivery notes."

FOOTER_INIT = "# Serials and MACs are placeholders made of the site's name: replace them by the delivery notes'."

OWN_MANAGER_NODES = 250
"""Beyond these, NICs and switches are more than the 2,048 that a QM9700's own subnet manager takes (FABRIC-011)."""
WAIVER = """\
    - rule: FABRIC-011
      where: "railyard:fabric.reservedPorts"
      reason: "full leaves, as published designs are counted; a real site leaves nodes out and cables UFM hosts to their ports"
      expires: "2027-05-31"
    - rule: FABRIC-020
      where: "bench/cables/in-band*"
      reason: "no part in the catalogue for a cage of 4 x 100 GbE; with SN4600C the in-band network takes three tiers"
      expires: "2027-05-31"
"""


@dataclass(frozen=True)
class Yard:
    """What an inventory is made of.

    `oob` is the stack file's out-of-band block: BMCs get the addresses that the planner keeps for their positions, so that none
    is a gateway's, a service's or a switch's. `loopback` is the first BMC's address on an emulated site; the others follow it.
    `switches`: (name, planned address of its management port) of those that railyard configures; NVUE, trusted by the lab's CA.
    """

    site: str
    nodes: int
    nodes_per_unit: int
    storage: int
    oob: str = ""
    loopback: str = ""
    port: int | None = None
    rails: int = 8
    head: str = ""
    switches: tuple[tuple[str, str], ...] = ()

    def bmc(self, unit: int, slot: int) -> str:
        """BMC of GPU node `slot` (from 1) of `unit` (from 1); unit 0: of storage server number `slot`."""
        if self.loopback:
            index = (unit - 1) * self.nodes_per_unit + slot - 1 if unit else self.nodes + slot - 1
            return f"{ip_address(self.loopback) + index}:{self.port}"
        block = ip_network(self.oob)
        offset = slot_offset(unit, slot, self.nodes_per_unit) if unit else storage_bmc_offset(slot, block.num_addresses)
        return str(block.network_address + offset)


YARDS = (
    Yard("lab", 4, 32, 2, loopback="127.77.1.1", port=8443,
         head="The emulated site. Each BMC has a loopback address of its own; `python -m lab up` answers on all of them."),
    Yard("lab-b", 2, 4, 0, loopback="127.78.1.1", port=8443, head="The second emulated site: an instance of its own."),
    Yard("starter", 4, 20, 2, "10.40.0.0/21", head="Four DGX A100 and two storage servers."),
    Yard("prod-site-a", 128, 32, 8, "10.16.0.0/18", head="128 DGX H100 in four units, eight Lustre servers."),
    Yard("prod-site-b", 32, 32, 4, "10.64.0.0/18", head="32 DGX H100 in one scalable unit, four Lustre servers."),
    Yard("lab-roce", 4, 32, 2, loopback="127.79.1.1", port=8443, switches=tuple(
             [(f"lab-roce-su001-leaf-r{rail}", f"127.79.15.{251 - 4 * rail}") for rail in range(8)]
             + [(f"lab-roce-spine{index:03d}", f"127.79.15.{257 - 4 * index}") for index in range(1, 5)]),
         head="The emulated site on routed Ethernet: machines and switches answer on loopback addresses."),
    Yard("roce", 4, 32, 2, "10.48.0.0/18", head="Four DGX B300 of a unit of 32 on routed Ethernet, two BeeGFS servers."),
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
    for index in range(yard.nodes):
        unit, slot = divmod(index, yard.nodes_per_unit)
        name = f"{yard.site}-su{unit + 1:03d}-gpu{slot + 1:0{digits}d}"
        yield _row(name, "gpu", yard.bmc(unit + 1, slot + 1), yard.rails + 2) | {"gpus": 8}
    for index in range(yard.storage):
        yield _row(f"{yard.site}-sto{index + 1:02d}", "storage", yard.bmc(0, index + 1), 2)


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
    if yard.switches:
        lines += ["# Switches that railyard configures, each at the planned address of its management port.", "switches:"]
    for name, address in yard.switches:
        lines += [
            f"  - name: {name}",
            f"    serial: {serial(name)}",
            f"    managementAddress: {address}:8765",
            f"    caFile: .lab/{yard.site}/pki/ca.crt",
            f"    credentialRef: file:.lab/{yard.site}/secrets/switch-admin",
        ]
    return "\n".join(lines) + "\n"


ROW_RACKS = 36
"""Racks in a row of the bench hall: four scalable units of eight compute racks and a network rack."""


def _hall(units: int) -> dict[str, str]:
    """A hall for the planned racks of so many units of 32 nodes: rows of 36 racks (27 m), a path above each row.

    A unit takes nine racks; storage, spines and what else stands above the units less than one for each of them and two rows.
    """
    rows = max(4, -(-units * 10 // ROW_RACKS) + 2)
    return {
        "racksPerRow: 12 # 11 compute racks and one network rack: a row is a unit": f"racksPerRow: {ROW_RACKS}",
        # Racks of four: 36 x 42.9 kVA to a busway, its panel and a UPS of 2,000 kVA.
        "breakerA: 800, rowsEach: 1": "breakerA: 3000, rowsEach: 1",
        "breakerA: 1600, rowsEach: 2": "breakerA: 3000, rowsEach: 1",
        "rowsEach: 4": "rowsEach: 1",
        "units: 6": "units: 22",
        "lengthM: 13.2": f"lengthM: {4.2 + ROW_RACKS * 0.75:g}",
        # Columns beside the rows, in the smallest hall, too.
        "xM: 11.4": f"xM: {2.4 + ROW_RACKS * 0.75:g}",
        "yM: 23.4": "yM: 6.6",
        # Row 1 begins at 3.6 m; each row is 1.2 m deep with half of two aisles, 3 m in all; 3.6 m are left in the north.
        "widthM: 34.8": f"widthM: {7.2 + 3 * rows:g}",
        "rows: 10": f"rows: {rows}",
    }


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
        # Four nodes to a rack (40.8 kW), as the published H100 design has them. Air alone takes 30 to 40 kW away
        # (facility_power_cooling.csv); 45 kW is a hall with rear-door heat exchangers.
        "nodesPerRack: 3": "nodesPerRack: 4",
        "airLimitKw: 40 # the upper end of the 30 to 40 kW that air takes away, with hot-aisle containment": (
            "airLimitKw: 45 # behind rear-door heat exchangers; air alone takes 30 to 40 kW away"
        ),
        **({"switchModel: sn4600c": "switchModel: sn5600"} if nodes > OWN_MANAGER_NODES else {}),
        "pduModel: strip-415v-60a-12x20a": "pduModel: strip-415v-60a-12x20a\n        pdusPerRack: 2",
        **_hall(units),
        "  railyard:waivers:\n": "  railyard:waivers:\n" + (WAIVER if nodes > OWN_MANAGER_NODES else ""),
    }.items():
        if old not in text:
            raise SystemExit(f"stacks/Pulumi.prod-site-a.yaml has no `{old}`: adapt bench/generate.py")
        text = text.replace(old, new)
    site = root / "sites" / "bench"
    site.mkdir(parents=True, exist_ok=True)
    (root / "stacks").mkdir(exist_ok=True)
    (root / "stacks" / "Pulumi.bench.yaml").write_text(text, encoding="utf-8")
    rows = list(machines(Yard("bench", nodes, 32, 8, "10.16.0.0/18")))
    inventory = {"schemaVersion": 1, "site": "bench", "machines": rows}
    (site / "inventory.json").write_text(json.dumps(inventory, indent=1) + "\n", encoding="utf-8")


STARTER_ROCE = Yard("starter", 4, 32, 2, "10.40.0.0/21", head="Four DGX H200 and two storage servers.")
"""The inventory of `railyard init --from starter-roce`, whose stack file is written by hand."""


def write_sites() -> None:
    """The committed inventories."""
    for yard in YARDS:
        folder = ROOT / "sites" / yard.site
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "inventory.yaml").write_text(as_yaml(yard), encoding="utf-8")
    for source, name in (("stacks/Pulumi.starter.yaml", "stack.yaml"), ("sites/starter/inventory.yaml", "inventory.yaml")):
        text = template((ROOT / source).read_text(encoding="utf-8"))
        (ROOT / "railyard" / "cli" / "starter" / name).write_text(text, encoding="utf-8")
    text = template(as_yaml(STARTER_ROCE))
    (ROOT / "railyard" / "cli" / "starter-roce" / "inventory.yaml").write_text(text, encoding="utf-8")


def template(text: str) -> str:
    """What `railyard init --from starter` fills in: `@SITE@` where the name is a YAML scalar of its own, `@NAME@` elsewhere."""
    text = re.sub(
        r"\n# Made from lab/passphrase.*\nencryptionsalt:.*\n", "", text
    )  # a salt of its own comes with its own stack
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
