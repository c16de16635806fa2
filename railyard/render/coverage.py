"""Which tests prove which requirement: read from the marks in the tests' source, without running them."""

from __future__ import annotations

import ast
import csv
import io
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Proof:
    """One test function (or class) and one requirement that it carries as a mark."""

    requirement: str
    path: str
    test: str


@dataclass(frozen=True)
class Format:
    """A kind of file that a plan writes, and who reads it in CI. Nobody has read an unproved one before you."""

    name: str
    proof: str
    proved: bool = True


FORMATS: tuple[Format, ...] = (
    Format("infiniband/*/fabric.net", "ibsim loads it, ibnetdiscover finds every node and link of it (tests/proof/infiniband)"),
    Format(
        "infiniband/*/{opensm-proof.conf,partitions.conf,root_guids.conf,cn_guids.conf,io_guids.conf,node-name-map}",
        "OpenSM 3.3.23 routes with them without a complaint, smpquery reads the keys back (tests/proof/infiniband)",
    ),
    Format("infiniband/*/opensm-production.conf", "NVIDIA's subnet manager, which isn't public", proved=False),
    Format("infiniband/*/ufm-pkeys.json", "UFM's REST API, which isn't public; fields as documented", proved=False),
    Format("slurm/{topology.conf,nodes.conf,gres.conf}", "slurmctld 22.05 and eight slurmd run them (tests/proof/slurm)"),
    Format("slurm/topology-block.conf", "schema and our reader: topology/block is newer than Slurm 22.05", proved=False),
    Format("slurm/topology.yaml", "our schema of it: newer than Slurm 22.05", proved=False),
    Format("kubernetes/{kueue-topology,node-labels}.json", "Kueue 0.17's CRDs; its specs run in the lab's control plane"),
    Format("kubernetes/volcano-hypernodes.json", "our schema after Volcano's CRD: no Volcano runs in CI", proved=False),
    Format("hosts/*/60-railyard-rails.yaml", "netplan 0.106's generator (tests/proof/hosts)"),
    Format("hosts/*/rails.sh, hosts/*/90-railyard-rails.conf", "the kernel, in network namespaces (tests/proof/hosts)"),
    Format("hosts/*/check-nics.sh", "sh, on a made /sys (tests/unit/render)"),
    Format("hosts/*/rail*.nmconnection", "compared with netplan's; NetworkManager reads no rule of them in CI", proved=False),
    Format("hosts/*/qos.sh", "sh, with tools that only note their arguments: mlnx_qos needs a ConnectX", proved=False),
    Format(
        "hosts/*/{70-railyard-rails.rules,railyard-rails.service}",
        "no udev or systemd in CI; the form of the rules was tried once with udevadm 252",
        proved=False,
    ),
    Format("hosts/*/{nccl.conf,nccl-topo.xml}", "no NCCL with eight GPUs in CI; names as in its user guide", proved=False),
    Format("report.html", "chromium without a network: positions, filters, paper, no JavaScript (tests/proof)"),
    Format("cables.csv", "the audit's reader; what a crew fills in comes back (tests/unit/{render,read})"),
    Format("labels.csv, bom-cables.csv", "a CSV reader, against the plan (tests/unit/render)"),
    Format("labels.pdf", "pages and bytes only: nobody has printed it on a label sheet", proved=False),
    Format("netbox/cables.csv", "our reader of NetBox's export: no NetBox runs in CI", proved=False),
    Format(
        "railyard netbox export (racks, devices, types, panels, feeds, cables; CSV and YAML)",
        "our reader brings the plan back, PyYAML and ruamel agree, columns are as NetBox 4.7 documents: no NetBox in CI",
        proved=False,
    ),
    Format("cabling/topology.topo", "our reader: ibdiagnet and the Cable Validation Tool aren't public", proved=False),
    Format("cabling/p2p.csv", "our reader: the Cable Validation Tool isn't public", proved=False),
    Format("cabling/ndt.csv", "a strict reader in our tests: UFM's NDT plugin isn't in CI", proved=False),
    Format("cabling/topology.dot", "our reader: neither ptmd nor graphviz is in CI", proved=False),
    Format(
        "switches/frr/*/frr.conf of two tiers and one plane",
        "FRR 8.4 runs it for 8 leaves and 4 spines: sessions, 32 next hops, the text comes back (tests/proof/frr)",
    ),
    Format(
        "switches/frr/*/frr.conf of three tiers, or of several planes",
        "nothing runs it: cores, pods and second planes are compared with the plan by rules only",
        proved=False,
    ),
    Format(
        "switches/sonic/*/config_db.json",
        "no SONiC switch here: our JSON schema and FABRIC-066 only; `railyard check-yang` with your copy of the models. Not "
        "known: whether your image's caclmgrd lets BFD through the management list, and its buffer lists per port",
        proved=False,
    ),
    Format(
        "configuration of Ethernet storage, in-band and out-of-band switches (MLAG, EVPN, VLANs)",
        "none is written: these networks are sized, placed, cabled and addressed; switches/ has the training fabric's",
        proved=False,
    ),
    Format("switches/cumulus/*/nvue.json", "no Cumulus here: our schema of the paths; lab switches run it", proved=False),
    Format("switches/eos/*/switch.eos", "no EOS here: lines compared once with pyavd 6.4.0's templates", proved=False),
    Format(
        "providers/fabric: NVUE (revision, apply with confirm, rollback)",
        "the lab's switches, which turn what they are sent into FRR and ip link; no Cumulus Linux here (tests/provider)",
        proved=False,
    ),
    Format(
        "providers/fabric: SONiC (checkpoint, apply-patch, rollback timer)",
        "the lab's switches over real SSH; no SONiC here: systemd-run, YANG checks and ASIC reloads are as documented",
        proved=False,
    ),
    Format("PFC, ECN, watchdog, adaptive routing of any switch", "need a real ASIC; rules judge the values", proved=False),
)
"""All kinds, by name; each room adds its own."""


def formats_markdown(formats: Iterable[Format]) -> str:
    """The table of formats, unproved ones first, each marked with the word."""
    rows = sorted(formats, key=lambda item: (item.proved, item.name))
    head = ["## Files that a plan writes, and who reads them in CI", "", "| file | state | by |", "|---|---|---|"]
    lines = [f"| {_cell(row.name)} | {'proved' if row.proved else '**unproved**'} | {_cell(row.proof)} |" for row in rows]
    return "\n".join([*head, *lines]) + "\n"


def requirements(text: str) -> dict[str, str]:
    """`id,text` rows with a heading -> id to text, in file order. ValueError for an id that stands twice."""
    found: dict[str, str] = {}
    for row in csv.DictReader(io.StringIO(text)):
        if row["id"] in found:
            raise ValueError(f"requirement {row['id']} stands twice")
        found[row["id"]] = row["text"]
    return found


def proofs(path: str, source: str) -> list[Proof]:
    """All `@pytest.mark.requirement("U4", …)` of one file, those `pytestmark` and classes included. SyntaxError as it comes."""
    tree = ast.parse(source, path)
    whole = [name for node in tree.body if isinstance(node, ast.Assign) and _is_pytestmark(node) for name in _ids(node.value)]
    found = [Proof(name, path, "") for name in whole]
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found += [Proof(name, path, node.name) for decorator in node.decorator_list for name in _ids(decorator)]
    return sorted(set(found))


def coverage_markdown(wanted: Mapping[str, str], found: Iterable[Proof]) -> str:
    """`docs/reference/coverage.md`: one row per requirement, in the list's order. ValueError for a mark with an unknown id."""
    by_id: defaultdict[str, list[Proof]] = defaultdict(list)
    for proof in sorted(set(found)):
        by_id[proof.requirement].append(proof)
    unknown = sorted(set(by_id) - set(wanted))
    if unknown:
        raise ValueError(f"marks name requirements that docs/reference/requirements.csv lacks: {', '.join(unknown)}")
    proved = sum(1 for name in wanted if by_id[name])
    rows = [f"| {name} | {_cell(text)} | {_tests(by_id[name])} |" for name, text in wanted.items()]
    head = [
        "# Requirements and the tests that prove them",
        "",
        "<!-- Generated by `railyard docs` from the marks in tests/. Don't edit. -->",
        "",
        f"{proved} of {len(wanted)} requirements have a test that proves at least a part of them.",
        "An empty cell is a promise, not a feature.",
        "",
        "| id | requirement | tests |",
        "|---|---|---|",
    ]
    return "\n".join([*head, *rows]) + "\n\n" + formats_markdown(FORMATS)


def _is_pytestmark(node: ast.Assign) -> bool:
    return any(isinstance(target, ast.Name) and target.id == "pytestmark" for target in node.targets)


def _ids(node: ast.AST) -> list[str]:
    """Literal ids of every `….requirement(…)` call in the expression."""
    calls = [call for call in ast.walk(node) if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)]
    return [
        argument.value
        for call in calls
        if isinstance(call.func, ast.Attribute) and call.func.attr == "requirement"
        for argument in call.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    ]


def _tests(found: Iterable[Proof]) -> str:
    by_path: defaultdict[str, list[str]] = defaultdict(list)
    for proof in found:
        by_path[proof.path].append(proof.test)
    # A page of forty names helps nobody: the file, and how many of its tests carry the mark.
    return "<br>".join(f"[{path}](../../{path}) ({_count(tests)})" for path, tests in sorted(by_path.items()))


def _count(tests: list[str]) -> str:
    if "" in tests:
        return "all"
    return tests[0] if len(tests) == 1 else f"{len(tests)} tests"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
