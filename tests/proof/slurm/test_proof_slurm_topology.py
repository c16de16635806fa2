"""slurmctld and eight slurmd run what we render: the tree is the plan's, its log is clean, jobs are placed by unit.

slurmctld starts with wrong topologies too; each of them must fail our checks: that of its log, where it
says something, and FABRIC-085 on the file, always.
"""

import pytest

from railyard.model.hostlist import expand
from railyard.plan import plan
from railyard.plan.scheduler_topology import FabricUnits, pseudo_switches
from railyard.read.slurm_topology import read_scontrol_nodes, read_slurm_topology
from railyard.read.text import Notebook
from railyard.render.schedulers import slurm_files
from railyard.rules.scheduler import check_slurm_nodes, check_slurm_topology
from tests.planned_site import make_site
from tests.proof.slurm.slurm_cluster import Cluster, log_complaints, shown_topology

pytestmark = pytest.mark.requirement("K3", "K4")

ONE, TWO = "t-su001-gpu[01-04]", "t-su002-gpu[01-04]"
EIGHT = "".join(
    f"SwitchName=su{unit}-leaf-r{rail} Nodes={nodes}\n" for unit, nodes in ((1, ONE), (2, TWO)) for rail in range(8)
)
WRONG = {
    "unknown node": ("t-su002-gpu[01-04]", "t-su002-gpu[01-05]", "lookup failure"),
    "node missing": ("t-su002-gpu[01-04]", "t-su002-gpu[01-03]", "lack access"),
    "storage switch": ("SwitchName=t-su001", f"SwitchName=sto Nodes={ONE},{TWO}\nSwitchName=t-su001", "Multiple leaf switches"),
    "eight rail leaves": (None, f"{EIGHT}SwitchName=root Switches=su1-leaf-r[0-7],su2-leaf-r[0-7]\n", "Multiple leaf switches"),
    "two roots": (None, f"SwitchName=t-su001 Nodes={ONE}\nSwitchName=t-su002 Nodes={TWO}\n", "no switch can reach all nodes"),
    "no node": (None, "# a tool that found nothing\n", None),
}


@pytest.fixture(scope="module")
def scheduler():
    """Two units of four nodes."""
    return plan(make_site(nodes=8, fabric={"nodesPerUnit": 4, "scalableUnits": 2, "plannedScalableUnits": 2})).scheduler


@pytest.fixture(scope="module")
def cluster(scheduler, tmp_path_factory):
    with Cluster(tmp_path_factory.mktemp("slurm"), slurm_files(scheduler)) as running:
        running.start()
        running.start_nodes()
        yield running


def judged(text, scheduler):
    """What FABRIC-085 finds in a topology.conf; a file without any switch is the reader's finding."""
    book = Notebook("topology.conf")
    found = read_slurm_topology(text, book)
    return book.problems or check_slurm_topology(found, scheduler)


def test_the_tree_is_the_plan_s(cluster, scheduler):
    shown = shown_topology(cluster.run("scontrol", "show", "topology").stdout)
    assert set(shown) == {switch.name for switch in scheduler.switches}
    for switch in scheduler.switches:
        level, switches, nodes = shown[switch.name]
        assert level == switch.level
        assert switches == frozenset(expand(switch.switches) if switch.switches else ())
        if switch.nodes:
            assert nodes == frozenset(expand(switch.nodes))
    leaves = [node for level, _, nodes in shown.values() if level == 0 for node in nodes]
    assert sorted(leaves) == sorted(cluster.names), "each node on exactly one leaf"


def test_its_log_has_no_complaint(cluster):
    assert log_complaints(cluster.log()) == []
    assert "topology tree plugin loaded" in cluster.log()


def test_every_node_offers_eight_gpus(cluster, scheduler):
    assert cluster.states() == ["idle"] * 8
    seen = read_scontrol_nodes(cluster.run("scontrol", "show", "node").stdout, Notebook("scontrol"))
    assert [node.gres for node in seen] == ["gpu:h100:8"] * 8
    assert check_slurm_nodes(seen, scheduler) == []
    job = cluster.srun("-N1", "--gres=gpu:h100:8", "sh", "-c", "echo $CUDA_VISIBLE_DEVICES")
    assert (job.stdout.strip(), job.returncode) == ("0,1,2,3,4,5,6,7", 0), job.stderr
    too_many = cluster.srun("-N1", "--gres=gpu:h100:9", "true")
    assert too_many.returncode != 0, "nine of eight GPUs were given"


def test_a_job_of_a_unit_s_size_stays_in_one_unit(cluster):
    """Also where the first unit has a node left over: the job goes to the other one, and not across both."""
    begun = cluster.run("sbatch", "-w", "t-su001-gpu03", "--gres=gpu:8", "--exclusive", "-o", "/dev/null", "--wrap", "sleep 60")
    number = begun.stdout.split()[-1]
    try:
        cluster.until(lambda: cluster.run("squeue", "-h", "-j", number, "-o", "%t").stdout.strip() == "R", "the small job runs")
        script = 'echo "$SLURMD_NODENAME $SLURM_TOPOLOGY_ADDR"'
        job = cluster.srun("-N4", "--switches=1", "--gres=gpu:8", "--exclusive", "sh", "-c", script)
        assert job.returncode == 0, job.stderr
        placed = dict(line.split() for line in job.stdout.splitlines())
        assert sorted(placed) == [f"t-su002-gpu{slot:02d}" for slot in range(1, 5)]
        assert {address.rpartition(".")[0] for address in placed.values()} == {"t-compute.t-su002"}
    finally:
        cluster.run("scancel", number)
        cluster.until(lambda: cluster.states() == ["idle"] * 8, "the small job is gone")


def test_a_job_of_two_units_runs_below_the_root(cluster):
    job = cluster.srun("-N8", "--gres=gpu:8", "--exclusive", "sh", "-c", "echo $SLURMD_NODENAME")
    assert job.returncode == 0, job.stderr
    assert sorted(job.stdout.split()) == sorted(cluster.names)


@pytest.mark.parametrize("fault", WRONG)
def test_slurmctld_runs_with_a_wrong_file_and_our_checks_fail_it(fault, scheduler, tmp_path):
    files = slurm_files(scheduler)
    old, new, said = WRONG[fault]
    wrong = new if old is None else files["topology.conf"].replace(old, new)
    assert wrong != files["topology.conf"]
    with Cluster(tmp_path, files | {"topology.conf": wrong}) as running:
        running.start()
        assert len(running.states()) == 8, "it runs"
        complaints = log_complaints(running.log())
    assert (said is None and not complaints) or any(said in line for line in complaints)
    assert judged(wrong, scheduler), "FABRIC-085 must find what slurmctld accepts"
    assert judged(files["topology.conf"], scheduler) == []


def test_a_child_that_does_not_exist_ends_slurmctld_and_fails_our_check(scheduler, tmp_path):
    """One wrong line and the whole file is refused (case 20)."""
    files = slurm_files(scheduler)
    wrong = files["topology.conf"].replace("Switches=t-su[001-002]", "Switches=t-su[001-003]")
    with Cluster(tmp_path, files | {"topology.conf": wrong}) as running, pytest.raises(AssertionError, match="invalid child"):
        running.start()
    assert [finding.found for finding in judged(wrong, scheduler)] == ["child t-su003 is no switch of this tree"]


def test_two_fabrics_have_two_roots_and_no_job_spans_them(scheduler, tmp_path):
    """What one root for both would allow (case 21): here the job that needs both waits."""
    fabrics = [FabricUnits("t-fabric-a", {"t-su001": expand(ONE)}), FabricUnits("t-fabric-b", {"t-su002": expand(TWO)})]
    apart = scheduler.model_copy(update={"switches": pseudo_switches(fabrics), "fabrics": ("t-fabric-a", "t-fabric-b")})
    with Cluster(tmp_path / ("a-long-path" * 9), slurm_files(apart)) as running:
        running.start()
        running.start_nodes()
        shown = shown_topology(running.run("scontrol", "show", "topology").stdout)
        assert {name for name, (level, _, _) in shown.items() if level == 1} == {"t-fabric-a", "t-fabric-b"}
        inside = running.srun("-N4", "--exclusive", "sh", "-c", "echo $SLURMD_NODENAME")
        across = running.srun("-N8", "--exclusive", "--immediate=2", "true")
        assert (inside.returncode, len(inside.stdout.split())) == (0, 4), inside.stderr
        assert across.returncode != 0, "a job spans two fabrics"
    assert judged(slurm_files(apart)["topology.conf"], apart) == []
    assert judged(slurm_files(apart)["topology.conf"], scheduler), "two roots are wrong where there is one fabric"


def test_gpus_without_device_files_are_no_gpus(scheduler, tmp_path):
    """Case 60: `0 < 8`. slurmd refuses what gres.conf only counts; so does FABRIC-087 what slurmctld then shows."""
    files = slurm_files(scheduler)
    counted = files["gres.conf"].replace("File=/dev/nvidia[0-7]", "Count=8")
    assert counted != files["gres.conf"]
    with Cluster(tmp_path, files | {"gres.conf": counted}) as running:
        running.start()
        running.start_nodes()
        assert "idle" not in running.states()
        assert "gres/gpu count reported lower than configured (0 < 8)" in running.log()


def fails_in_the_middle(running):
    with running:
        running.start()
        running.start_nodes()
        running.run("sbatch", "-N2", "-o", "/dev/null", "--wrap", "sleep 300")
        assert len(running.children()) >= 9
        raise ZeroDivisionError


def test_nothing_is_left_running(scheduler, tmp_path):
    """Also when a test fails in the middle."""
    running = Cluster(tmp_path, slurm_files(scheduler))
    with pytest.raises(ZeroDivisionError):
        fails_in_the_middle(running)
    assert running.children() == []


def test_three_tiers_of_256_nodes_with_pods(tmp_path):
    """The controller alone: 16 units in eight pods, one unit with holes."""
    shape = {"nodesPerUnit": 16, "scalableUnits": 16, "plannedScalableUnits": 16, "tiers": 3}
    slots = [(unit, slot) for unit in range(1, 17) for slot in range(1, 17) if (unit, slot) not in ((7, 3), (7, 9), (16, 16))]
    made = plan(make_site(nodes=len(slots), slots=slots, fabric=shape)).scheduler
    with Cluster(tmp_path, slurm_files(made)) as running:
        running.start()
        shown = shown_topology(running.run("scontrol", "show", "topology").stdout)
        assert log_complaints(running.log()) == []
    assert {name: (level, switches) for name, (level, switches, _) in shown.items()} == {
        switch.name: (switch.level, frozenset(expand(switch.switches) if switch.switches else ())) for switch in made.switches
    }
    assert [sum(level == wanted for level, _, _ in shown.values()) for wanted in range(3)] == [16, 8, 1]
    assert len(shown["t-su007"][2]) == 14
    assert len(shown["t-compute"][2]) == 253
