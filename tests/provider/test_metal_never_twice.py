"""Rule 17 against what one host with an intact journal never sees: another host, a power cut, a lost journal (review r1)."""

import json
import shutil
import time
from contextlib import suppress

import pytest

from tests.provider.conftest import GATE, INSTALLATION, MACHINE, start, wait_until
from tests.provider.plugin import Background, Failed, Plugin


@pytest.fixture(scope="module")
def slow(tmp_path_factory, plugin):
    """Two machines with their accounts; an installation takes 1.5 s. The CD is first in their boot order: the hard case."""
    yard = start(tmp_path_factory.mktemp("slow"), install_s="1.5", post_s="0.3")
    for index in (0, 1):
        plugin.create(MACHINE, yard.machine(index, bootOrder=["Cd", "Hdd"]))
    yield yard
    yard.lab("down")


@pytest.fixture
def hosts(tmp_path):
    """Providers that share no lock, as on two hosts."""
    names = ("one", "two")
    made = [Plugin("metal", RAILYARD_LOG_DIR=str(tmp_path), RAILYARD_RUNTIME_DIR=str(tmp_path / name)) for name in names]
    yield made
    for one in made:
        one.close()


@pytest.mark.parametrize("head_start", [0.0, 0.3, 1.0, 1.6])
def test_two_hosts_wipe_once(slow, hosts, new_plugin, head_start):
    serial, generation = slow.machines[0]["serial"], 100 + int(head_start * 100)
    inputs = slow.installation(0, generation=generation, confirmSerial=serial, deadlineS=6)
    running = []
    for host in hosts:
        running.append(Background(host.create, INSTALLATION, inputs))
        if len(running) == 1:
            time.sleep(head_start)
    for one in running:
        with suppress(Failed):  # one may have taken the other's medium out: then it says so, and the next run resolves it
            one.result()
    inputs = {**inputs, "deadlineS": 20}
    assert new_plugin().create(INSTALLATION, inputs)[1]["installationId"] == f"{serial}/{generation}"
    assert slow.installs(serial, generation) == 1
    assert slow.installs(serial, generation, "finished") == 1


def test_a_reset_that_comes_late_costs_an_installation_but_never_a_second_wipe(slow, hosts):
    """One ForceOff is under way for 2 s while the other host starts the machine and it begins: nobody wipes it again."""
    serial = slow.machines[0]["serial"]
    slow.power(serial, "on")
    inputs = slow.installation(0, generation=310, confirmSerial=serial, deadlineS=6)
    slow.fault(serial, kind="slow", delayS=2.0, method="POST", path="*ComputerSystem.Reset", remaining=1)
    mark = slow.mark()
    late = Background(hosts[0].create, INSTALLATION, inputs)
    time.sleep(1.0)  # it is in its reset now
    early = Background(hosts[1].create, INSTALLATION, inputs)
    for one in (late, early):
        with pytest.raises(Failed):
            one.result()
    assert len([write for write in slow.writes(serial, mark) if "Reset" in write]) >= 3, "both switched it"
    assert slow.installs(serial, 310) == 1
    with pytest.raises(Failed, match="METAL-038"):
        hosts[0].create(INSTALLATION, inputs)
    assert slow.installs(serial, 310) == 1


def test_a_host_that_looked_before_the_other_began_touches_nothing_after(slow, hosts):
    """The second host, with another checkout's content, decides while the first one's machine starts; its BMC is slow."""
    serial, generation = slow.machines[0]["serial"], 320
    inputs = slow.installation(0, generation=generation, confirmSerial=serial)
    mark = slow.mark()
    first = Background(hosts[0].create, INSTALLATION, inputs)
    wait_until(lambda: media(slow, serial) and slow.state(serial)["power"].lower() == "on")
    slow.fault(serial, kind="slow", delayS=1.2, method="GET", path="*Systems*", remaining=1)
    other = {**inputs, "seed": {**inputs["seed"], "hostname": "other"}}
    second = Background(hosts[1].create, INSTALLATION, other)
    wait_until(lambda: slow.installs(serial, generation), 20)
    begun = slow.mark()
    ends = [one.result()[1]["hostKeyFingerprint"] for one in (first, second)]
    assert ends[0] == ends[1]
    assert slow.installs(serial, generation) == 1
    resets = [write for write in slow.writes(serial, mark) if "Reset" in write]
    assert not [write for write in slow.writes(serial, begun) if "Reset" in write]
    assert len(resets) >= 2


def test_a_power_cut_is_the_operators_decision(slow, plugin):
    serial = slow.machines[1]["serial"]
    inputs = slow.installation(1, deadlineS=4)
    running = Background(plugin.create, INSTALLATION, inputs)
    wait_until(lambda: slow.installs(serial))
    for wanted in ("off", "on"):
        slow.power(serial, wanted)
    with pytest.raises(Failed, match="METAL-038") as caught:
        running.result()
    assert f"installGeneration: 2 and confirmSerial: {serial}" in caught.value.text
    assert media(slow, serial), "an installer that is only slow keeps its medium"
    state = {**inputs, "installationId": f"{serial}/1"}
    with pytest.raises(Failed, match="METAL-038"):
        plugin.update(INSTALLATION, serial, state, inputs)
    with pytest.raises(Failed, match="METAL-035"):
        plugin.read(INSTALLATION, serial, state, inputs)
    assert slow.installs(serial) == 1
    again = {**inputs, "generation": 2, "confirmSerial": serial, "deadlineS": 20}
    assert plugin.update(INSTALLATION, serial, state, again)["installationId"] == f"{serial}/2"
    assert (slow.installs(serial), slow.installs(serial, 2)) == (1, 1)
    assert not media(slow, serial)


def media(yard, serial):
    return json.loads((yard.dir / "state" / serial / "bmc.json").read_text())["media"]["CD1"]["inserted"]


def test_a_slow_installer_is_adopted_after_the_deadline(slow, plugin):
    serial = slow.machines[0]["serial"]
    slow.fault(serial, kind="no-call-home", phase="finished")
    inputs = slow.installation(0, generation=500, confirmSerial=serial, deadlineS=3)
    with pytest.raises(Failed, match="METAL-038"):
        plugin.create(INSTALLATION, inputs)
    slow.clear()
    assert plugin.create(INSTALLATION, {**inputs, "deadlineS": 20})[1]["installationId"] == f"{serial}/500"
    assert slow.installs(serial, 500) == 1


@pytest.fixture(scope="module")
def place(tmp_path_factory, plugin):
    yard = start(tmp_path_factory.mktemp("journal"), install_s="0.3", post_s="0.1")
    plugin.create(MACHINE, yard.machine(0))
    yield yard
    yard.lab("down")


class TestJournal:
    """One lab, one machine, in this order: installed, journal lost, old copy restored."""

    def without(self, yard, change):
        """The service is down while `change` happens to its journal."""
        yard.lab("down")
        change()
        yard.lab("up", "--no-control-plane")
        serial = yard.machines[0]["serial"]
        wait_until((yard.dir / "state" / serial / "running.json").exists)

    def test_a_lost_journal_stops_refresh_and_up(self, place, new_plugin):
        plugin, inputs = new_plugin(), place.installation(0)
        serial = inputs["serial"]
        state = {**inputs, **plugin.create(INSTALLATION, inputs)[1]}
        kept = place.journal.read_bytes()
        self.without(place, place.journal.unlink)
        mark = place.mark()
        with pytest.raises(Failed, match="METAL-037") as caught:
            plugin.read(INSTALLATION, serial, state, inputs)
        assert caught.value.partial.properties["journalId"] == state["journalId"], "what is known stays known"
        for confirm in ("", serial):
            with pytest.raises(Failed, match="METAL-037") as caught:
                plugin.update(INSTALLATION, serial, state, {**inputs, "confirmSerial": confirm})
            assert "restore the provisioning service's journal" in caught.value.text
        with pytest.raises(Failed, match="METAL-030") as caught:  # Pulumi's state is lost as well: the machine itself tells
            plugin.create(INSTALLATION, inputs)
        assert "OSRunning" in caught.value.text
        assert place.writes(serial, mark) == []
        self.without(place, lambda: place.journal.write_bytes(kept))
        assert plugin.update(INSTALLATION, serial, state, inputs) == {key: state[key] for key in state}
        assert place.installs(serial) == 1

    def test_an_old_copy_of_the_journal_is_noticed(self, place, new_plugin, tmp_path):
        plugin, old = new_plugin(), place.installation(0)
        serial = old["serial"]
        state = {**old, **plugin.create(INSTALLATION, old)[1]}
        shutil.copy(place.journal, tmp_path / "copy")
        inputs = {**old, "generation": 2, "confirmSerial": serial}
        state = plugin.update(INSTALLATION, serial, state, inputs)
        self.without(place, lambda: shutil.copy(tmp_path / "copy", place.journal))
        mark = place.mark()
        with pytest.raises(Failed, match="METAL-037"):  # the confirmation of last time still stands in the inventory
            plugin.update(INSTALLATION, serial, state, inputs)
        assert place.writes(serial, mark) == []
        again = {**inputs, "generation": 3}
        assert plugin.update(INSTALLATION, serial, state, again)["installationId"] == f"{serial}/3"
        assert [place.installs(serial, number) for number in (1, 2, 3)] == [1, 1, 1]


def test_changed_content_is_said_in_every_run(slow, plugin, new_plugin):
    serial = slow.machines[0]["serial"]
    inputs = slow.installation(0, generation=600, confirmSerial=serial)
    outputs = plugin.create(INSTALLATION, inputs)[1]
    changed = {**inputs, "seed": {**inputs["seed"], "hostname": "other"}, "imageSha256": "0" * 64}
    state = {**outputs, **changed}  # the engine stored the new inputs although nothing was done
    for _ in range(2):
        for ask in ("diff", "read"):
            process = new_plugin()
            if ask == "diff":
                assert process.diff(INSTALLATION, state, changed) == []
            else:
                process.read(INSTALLATION, serial, state, changed)
            wait_until(lambda process=process: process.log.lines)
            assert "imageSha256, seed differs from what is installed" in process.log.lines[0]
    quiet = new_plugin()
    assert quiet.diff(INSTALLATION, {**inputs, **outputs}, inputs) == []
    assert quiet.log.lines == []


def test_evidence_ends_with_the_generation(slow, plugin):
    serial = slow.machines[0]["serial"]
    generation = slow.generation(serial)
    plugin.create(INSTALLATION, slow.installation(0, generation=generation, confirmSerial=serial))
    old = slow.gate([0], 1)
    first = plugin.create(GATE, old)[1]["digest"]
    raised = {**old, "machines": [{**old["machines"][0], "generation": generation + 1}]}
    assert plugin.diff(GATE, old, raised) == ["machines[0].generation"]
    with pytest.raises(Failed, match=f"generation {generation} is installed, planned is {generation + 1}"):
        plugin.update(GATE, "lab-su001", old, raised)
    plugin.create(INSTALLATION, slow.installation(0, generation=generation + 1, confirmSerial=serial))
    assert plugin.update(GATE, "lab-su001", old, raised)["digest"] != first


def test_a_gate_of_no_machines_does_not_pass(slow, plugin):
    aside = [{"name": slow.machines[0]["name"], "reason": "fan"}]
    with pytest.raises(Failed, match="GATE-001"):
        plugin.create(GATE, slow.gate([], 1, quarantined=aside))
    assert [path for path, _ in plugin.check(GATE, slow.gate([0], 0))] == ["minimumReady"]


def test_a_bmc_that_shows_no_serial_is_not_written_to(slow, plugin):
    serial = slow.machines[0]["serial"]
    slow.fault(serial, kind="identity", serial="")
    mark = slow.mark()
    with pytest.raises(Failed, match=r"METAL-001[^$]*none shown"):
        plugin.create(MACHINE, slow.machine(0))
    slow.clear()
    assert slow.writes(serial, mark) == []
