"""The example stacks of real sites: previewed without hardware, cluster or peer; never deployed with the example passphrase."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from railyard import load
from railyard.plan import plan
from tests.engine.plain import blocks, plain_yard, registered, said
from tests.engine.yard import ROOT, Yard

NO_CHECKPOINTS = {"PULUMI_SKIP_CHECKPOINTS": "true"}
TO_CREATE = re.compile(r"\+ (\d+) to create")
BUDGET = 3
"""Registered resources per node, everything included (house rule 7)."""


def resources(done: subprocess.CompletedProcess[str]) -> int:
    found = TO_CREATE.search(done.stdout)
    assert found, said(done)
    return int(found[1])


def deploy_by_hand(yard: Yard, stack: str, outputs: dict[str, object]) -> None:
    """A stack in the yard's backend that has been deployed by some program, with these outputs."""
    exported = json.loads(yard.pulumi("stack", "export", "--stack", stack, check=True).stdout)
    kind = "pulumi:pulumi:Stack"
    urn = f"urn:pulumi:{stack}::railyard::{kind}::railyard-{stack}"
    exported["deployment"]["resources"] = [{"urn": urn, "custom": False, "type": kind, "outputs": outputs}]
    file = yard.folder / "state.json"
    file.write_text(json.dumps(exported))
    yard.pulumi("stack", "import", "--stack", stack, "--file", str(file), check=True)


@pytest.mark.requirement("U1", "C4")
def test_starter_previews_without_anything(tmp_path: Path):
    done = plain_yard(tmp_path / "yard", "starter").preview(**NO_CHECKPOINTS)
    assert done.returncode == 0, said(done)
    assert re.search(r"GPUs\s+32", done.stdout)
    told = blocks(done.stdout)
    assert "not on loopback" in told["SEC-001"][0]


@pytest.mark.requirement("U1", "X4")
def test_prod_site_a_previews_and_is_not_deployed_with_the_example_passphrase(tmp_path: Path):
    yard = plain_yard(tmp_path / "yard", "prod-site-a")
    preview = yard.preview(**NO_CHECKPOINTS)
    assert preview.returncode == 0, said(preview)
    assert re.search(r"warning: SEC-001", preview.stdout), "only a warning in preview"
    assert re.search(r"GPUs\s+1,024", preview.stdout)
    count = resources(preview)
    print(f"prod-site-a: {count} resources, {count / 128:.2f} per node")

    up = yard.up(check=False)
    assert up.returncode != 0
    assert registered(up) == []
    assert [resource["type"] for resource in yard.state()] in ([], ["pulumi:pulumi:Stack"])
    (body,) = blocks(said(up))["SEC-001"]
    assert "published example passphrase" in body
    assert "change-secrets-provider" in body


@pytest.mark.requirement("D2", "U3")
def test_prod_site_b_with_and_without_its_peer(tmp_path: Path):
    yard = plain_yard(tmp_path / "yard", "prod-site-b")
    nobody = yard.preview(**NO_CHECKPOINTS)
    assert nobody.returncode == 0, said(nobody)
    assert "PEER-001 railyard:peer: organization/railyard/prod-site-a was never deployed" in nobody.stdout
    assert re.search(r"GPUs\s+256", nobody.stdout)

    yard.pulumi("stack", "init", "prod-site-a", check=True)
    empty = yard.preview(**NO_CHECKPOINTS)
    assert empty.returncode == 0, said(empty)
    assert "PEER-001" in empty.stdout

    deploy_by_hand(yard, "prod-site-a", {"contractVersion": 99, "site": "prod-site-a"})
    unknown = yard.preview(**NO_CHECKPOINTS)
    assert unknown.returncode != 0
    assert "PEER-002 railyard:peer.contractVersion" in unknown.stdout
    assert "contract version 99, this stack file expects 1, this program knows 1" in unknown.stdout
    assert "same railyard release" in unknown.stdout


@pytest.mark.requirement("D2", "U3")
def test_a_peer_that_is_other_than_expected_is_a_warning(tmp_path: Path):
    yard = plain_yard(tmp_path / "yard", "prod-site-b")
    yard.pulumi("stack", "init", "prod-site-a", check=True)
    promised = {
        "contractVersion": 1,
        "storage": {"usableTib": 2200},
        "replication": {"linkGbps": 40, "endpoint": "https://10.18.0.20:9000"},
    }
    deploy_by_hand(yard, "prod-site-a", promised)
    done = yard.preview(**NO_CHECKPOINTS)
    assert done.returncode == 0, said(done)
    assert re.findall(r"PEER-003 (\S+): expected (\S+), \S+ has (\S+)$", done.stdout, re.M)[-1] == (
        "railyard:peer.replicationGbps",
        "100.0",
        "40.0",
    )
    assert "PEER-003 railyard:peer.usableTib" not in done.stdout


def bench_yard(folder: Path, nodes: int) -> Yard:
    """The bench site under prod-site-a's name and salt: a stack of another name would get a file in stacks/."""
    generate = [sys.executable, "bench/generate.py", "bench", str(folder / "site"), "--nodes", str(nodes)]
    subprocess.run(generate, cwd=ROOT, check=True, capture_output=True, timeout=60)
    yard = plain_yard(folder / "yard", "prod-site-a")
    document = YAML().load((folder / "site/stacks/Pulumi.bench.yaml").read_text())
    document["config"]["railyard:site"]["inventory"] = str(folder / "site/sites/bench/inventory.json")
    with yard.stack_file.open("w") as stream:
        YAML().dump(document, stream)
    return yard


def growing(yard: Yard) -> int:
    """What is registered for each thing of a site: two for a machine, one for a switch, a rack, a unit's gate."""
    config = load.site_config(ROOT, "prod-site-a", config_file=yard.stack_file)
    planned = plan(config)
    return 2 * len(config.inventory.machines) + len(planned.switches) + len(planned.racks) + planned.site.built_scalable_units


@pytest.mark.requirement("U8")
def test_a_site_of_2048_nodes_stays_in_the_budget_of_resources(tmp_path: Path):
    """What the real engine registers for 256 nodes tells what doesn't grow. (`make bench` previews all of the 2,048.)"""
    yard = bench_yard(tmp_path / "small", 256)
    done = yard.preview(timeout=600, **NO_CHECKPOINTS)
    assert done.returncode == 0, said(done)[-4000:]
    once = resources(done) - growing(yard)
    assert 40 < once < 80, "objects of the cluster, tenants, networks, stores"
    count = growing(bench_yard(tmp_path / "large", 2048)) + once
    assert 2048 * 2 < count <= 2048 * BUDGET, f"{count / 2048:.2f} per node"
