"""`railyard topology` and `railyard host`, from files to files."""

import stat
from pathlib import Path

import pytest

pytestmark = pytest.mark.requirement("K4", "N3")

WHOLE = "lab-su001-gpu[01-04]"


def test_topology_is_printed_as_slurm_reads_it(checkout, railyard):
    result = railyard("topology", "lab")
    assert result.exit_code == 0, result.stderr
    assert "SwitchName=lab-compute Switches=lab-su001\nSwitchName=lab-su001 Nodes=lab-su001-gpu[01-04]\n" in result.stdout
    assert "BlockName=lab-su001" in railyard("topology", "lab", "--format", "block").stdout
    assert "- topology: lab-tree" in railyard("topology", "lab", "--format", "yaml").stdout


def test_only_what_slurm_knows_and_its_strangers_apart(checkout, railyard, tmp_path):
    """Case 20."""
    known = tmp_path / "known"
    known.write_text("lab-su001-gpu[01-02]\nlogin1 # not a GPU node\n")
    result = railyard("topology", "lab", "--known", known)
    assert "SwitchName=lab-su001 Nodes=lab-su001-gpu[01-02]\n" in result.stdout
    assert "SwitchName=lab-compute.unknown Nodes=login1\n" in result.stdout


def test_an_empty_topology_leaves_the_last_good_file(checkout, railyard, tmp_path):
    """Case 21."""
    known, target = tmp_path / "known", tmp_path / "topology.conf"
    known.write_text(f"{WHOLE}\n")
    assert railyard("topology", "lab", "--known", known, "--out", target).exit_code == 0
    good = target.read_text()
    assert WHOLE in good
    known.write_text("# sinfo failed\n")
    result = railyard("topology", "lab", "--known", known, "--out", target)
    assert result.exit_code == 1
    assert "the last good file stays" in result.stderr
    assert target.read_text() == good
    assert [path.name for path in tmp_path.iterdir()].count("topology.conf") == 1


def test_names_that_are_none_are_refused_by_line(checkout, railyard, tmp_path):
    known = tmp_path / "known"
    known.write_text("lab-su001-gpu01\nlab-su001-gpu[1-\n")
    result = railyard("topology", "lab", "--known", known)
    assert result.exit_code == 2
    assert f"{known}:2" in result.stderr
    assert railyard("topology", "lab", "--known", tmp_path / "missing").exit_code == 2


def test_a_site_s_files_are_compared(checkout, railyard, tmp_path):
    good, wrong, nodes = (tmp_path / name for name in ("good.conf", "wrong.conf", "nodes.txt"))
    good.write_text(railyard("topology", "lab").stdout)
    wrong.write_text(good.read_text().replace("gpu[01-04]", "gpu[01-05]"))
    nodes.write_text(
        "".join(f"NodeName=lab-su001-gpu{n:02d} Arch=x86_64\n   Gres=gpu:h100:8\n   RealMemory=1\n" for n in range(1, 5))
    )
    assert railyard("topology", "lab", "--check", good, "--check", nodes).exit_code == 0
    result = railyard("topology", "lab", "--check", wrong)
    assert result.exit_code == 1
    assert "lab-su001-gpu05: no GPU node of the plan" in result.stdout
    nodes.write_text(nodes.read_text().replace("gpu:h100:8", "(null)", 1))
    assert "Gres=(null)" in railyard("topology", "lab", "--check", nodes).stdout


def test_a_node_s_nics_are_compared(checkout, railyard, tmp_path):
    table = tmp_path / "nics.txt"
    table.write_text("\tGPU0\tNIC0\tNIC1\nGPU0\tX\tPIX\tPIX\n")
    result = railyard("topology", "lab", "--check", table)
    assert result.exit_code == 1
    assert "GPU0 owns NIC0, NIC1" in result.stdout


def test_a_queue_without_nics_is_found(checkout, railyard, tmp_path):
    """Case 57."""
    sample = (Path(__file__).parents[1] / "data/sched/kueue_clusterqueue_rdma0.yaml").read_text()
    queue = tmp_path / "queue.yaml"
    queue.write_text(sample)
    result = railyard("topology", "lab", "--check", queue)
    assert result.exit_code == 1
    assert "quota 0 beside 40 GPUs" in result.stdout
    queue.write_text(sample.replace('{name: rdma/rdma_shared_device_a, nominalQuota: "0"}', "{name: rdma/a, nominalQuota: 40}"))
    assert railyard("topology", "lab", "--check", queue).exit_code == 0
    queue.write_text("kind: ClusterQueue\nspec: [\n")
    assert railyard("topology", "lab", "--check", queue).exit_code == 2


@pytest.mark.parametrize(
    "content", [b"", b"kind: ClusterQueue\n", b"\x00\x01", b"hello\n", b"SwitchName=a\n", b"NodeName=\n Arch=x\n"]
)
def test_a_file_that_is_none_is_refused(checkout, railyard, tmp_path, content):
    path = tmp_path / "file"
    path.write_bytes(content)
    result = railyard("topology", "lab", "--check", path)
    assert result.exit_code in (1, 2)
    assert "Traceback" not in result.stderr


def test_files_of_one_node(checkout, railyard, tmp_path):
    result = railyard("host", "lab", "lab-su001-gpu03", "--out", tmp_path)
    assert result.exit_code == 0, result.stderr
    folder = tmp_path / "lab-su001-gpu03"
    assert {path.name for path in folder.iterdir()} >= {
        "60-railyard-rails.yaml",
        "rail7.nmconnection",
        "nccl.conf",
        "check-nics.sh",
    }
    assert stat.S_IMODE((folder / "60-railyard-rails.yaml").stat().st_mode) == 0o600
    assert stat.S_IMODE((folder / "check-nics.sh").stat().st_mode) == 0o755
    again = {path.name: path.read_bytes() for path in folder.iterdir()}
    railyard("host", "lab", "lab-su001-gpu03", "--out", tmp_path)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == again


def test_a_node_that_does_not_exist_has_a_near_one(checkout, railyard):
    result = railyard("host", "lab", "lab-su001-gpu3")
    assert result.exit_code == 2
    assert "did you mean lab-su001-gpu03?" in result.stderr


def test_files_of_nodes_that_left_are_removed_and_foreign_ones_stay(checkout, railyard):
    railyard("plan", "lab")
    hosts = checkout / "out/lab/hosts"
    gone, kept = hosts / "lab-su001-gpu09", hosts / "lab-su001-gpu08"
    gone.mkdir()
    (gone / "rails.sh").write_bytes((hosts / "lab-su001-gpu01/rails.sh").read_bytes())
    kept.mkdir()
    (kept / "notes.txt").write_text("mine")
    (hosts / "su002.json").write_text("{}")
    railyard("plan", "lab")
    assert not gone.exists()
    assert not (hosts / "su002.json").exists()
    assert (kept / "notes.txt").read_text() == "mine"
    assert (hosts / "lab-su001-gpu01/rails.sh").exists()
