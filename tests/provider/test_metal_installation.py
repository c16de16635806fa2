"""`metal:index:Installation` and `FacilityGate`: never a second wipe, whatever dies when."""

import json
import time

import pytest

from tests.provider.conftest import GATE, INSTALLATION, MACHINE, start, wait_until
from tests.provider.plugin import Background, Failed


@pytest.fixture(scope="module")
def ready(lab_instance, plugin):
    """Machines 0 and 1 have their accounts."""
    lab_instance.clear()
    for index in (0, 1, 4):
        plugin.create(MACHINE, lab_instance.machine(index))
    return lab_instance


@pytest.fixture
def media(yard):
    """The image in the virtual drive of a machine."""
    return lambda serial: json.loads((yard.dir / "state" / serial / "bmc.json").read_text())["media"]["CD1"]["inserted"]


def test_create_installs_once_and_adopts_afterwards(plugin, ready, yard):
    inputs = yard.installation(0)
    serial = inputs["serial"]
    ident, state = plugin.create(INSTALLATION, inputs)
    assert (ident, state["token"], state["installationId"]) == (serial, "installed", f"{serial}/1")
    assert state["hostKeyFingerprint"].startswith("SHA256:")
    mark = yard.mark()
    assert plugin.create(INSTALLATION, inputs)[1] == state
    assert plugin.update(INSTALLATION, ident, inputs, inputs) == state
    assert yard.writes(serial, mark) == []
    assert yard.installs(serial) == 1
    assert plugin.read(INSTALLATION, ident, state, inputs) == (state, inputs)
    plugin.delete(INSTALLATION, ident, state)
    assert yard.writes(serial, mark) == []


def test_preview_knows_the_token_only(plugin, yard):
    state = plugin.create(INSTALLATION, yard.installation(0), preview=True)[1]
    assert state["token"] == "installed"
    assert state["installationId"] == "04da6b54-80e4-46f7-96ec-b56ff0331ba9"


def test_changed_content_is_no_change_and_is_said_once(new_plugin, yard):
    plugin = new_plugin()
    old = yard.installation(0, generation=1)
    new = {**old, "seed": {**old["seed"], "labels": {"railyard.dev/rack": "lab-r002"}}, "imageSha256": "0" * 64}
    assert plugin.diff(INSTALLATION, old, new) == []
    assert plugin.diff(INSTALLATION, old, new) == []
    wait_until(lambda: plugin.log.lines)
    assert len(plugin.log.lines) == 1
    assert 'imageSha256, seed.labels["railyard.dev/rack"] differs from' in plugin.log.lines[0]
    assert plugin.diff(INSTALLATION, old, {**new, "generation": 2}) == ["generation"]


def test_only_a_raised_and_confirmed_generation_installs_again(plugin, ready, yard, media):
    old = yard.installation(1)
    serial = old["serial"]
    plugin.create(INSTALLATION, old)
    mark = yard.mark()
    with pytest.raises(Failed, match="METAL-030") as caught:
        plugin.update(INSTALLATION, serial, old, {**old, "generation": 2})
    assert f"confirmSerial: {serial}" in caught.value.text
    with pytest.raises(Failed, match="METAL-030"):
        plugin.update(INSTALLATION, serial, old, {**old, "generation": 2, "confirmSerial": "OTHER"})
    assert yard.writes(serial, mark) == []
    new = {**old, "generation": 2, "confirmSerial": serial}
    assert plugin.update(INSTALLATION, serial, old, new)["installationId"] == f"{serial}/2"
    assert (yard.installs(serial, 1), yard.installs(serial, 2)) == (1, 1)
    assert not media(serial)
    with pytest.raises(Failed, match="METAL-031"):
        plugin.update(INSTALLATION, serial, new, old)


@pytest.mark.parametrize("fault", [{"kind": "media-404"}, {"kind": "no-call-home"}])
def test_an_install_that_never_calls_home_ends_at_the_deadline(plugin, ready, yard, media, fault):
    serial = yard.machines[4]["serial"]
    generation = 1 if fault["kind"] == "media-404" else 2
    confirm = {"generation": generation, "confirmSerial": serial, "deadlineS": 3}
    yard.fault(serial, **fault)
    # A BMC that looks at its image refuses it at once; an install that hangs ends at the deadline.
    words = {"media-404": ["METAL-013", "was not found"], "no-call-home": ["METAL-032", "within 3 s", "was taken out"]}
    with pytest.raises(Failed) as caught:
        plugin.create(INSTALLATION, yard.installation(4, **confirm))
    assert caught.value.partial.id == serial
    assert all(word in caught.value.partial.reasons[0] for word in words[fault["kind"]])
    assert not media(serial)
    yard.clear()
    inputs = yard.installation(4, **{**confirm, "deadlineS": 20})
    plugin.update(INSTALLATION, serial, inputs, inputs)
    assert yard.installs(serial, generation, "finished") == 1
    assert not media(serial)


def test_a_wrong_image_is_refused_before_anything_starts(plugin, ready, yard):
    serial = yard.machines[0]["serial"]
    mark = yard.mark()
    again = {"generation": 9, "confirmSerial": serial, "imageSha256": "0" * 64}
    with pytest.raises(Failed, match="METAL-034") as caught:
        plugin.create(INSTALLATION, yard.installation(0, **again))
    assert caught.value.partial is None
    assert yard.writes(serial, mark) == []


def test_another_machine_behind_the_bmc_is_never_installed(plugin, ready, yard):
    serial = yard.machines[0]["serial"]
    yard.fault(serial, kind="identity", serial="OTHER1")
    mark = yard.mark()
    again = {"generation": 5, "confirmSerial": serial}
    with pytest.raises(Failed, match="METAL-001"):
        plugin.create(INSTALLATION, yard.installation(0, **again))
    assert yard.writes(serial, mark) == []


def test_a_service_that_is_down_is_named(plugin, yard):
    network = yard.machines[0]["bmc"].rsplit(".", 2)[0]
    with pytest.raises(Failed, match="METAL-033"):
        plugin.create(INSTALLATION, yard.installation(0, serviceUrl=f"https://{network}.0.11:8499"))


def test_lost_answers_install_once(plugin, ready, yard):
    serial = yard.machines[0]["serial"]
    for path in ("*InsertMedia", "*ComputerSystem.Reset", "*EjectMedia"):
        yard.fault(serial, kind="reset", when="after", method="POST", path=path, remaining=1)
    mark = yard.mark()
    plugin.create(INSTALLATION, yard.installation(0, generation=6, confirmSerial=serial))
    assert yard.installs(serial, 6) == 1
    assert [one.rpartition(".")[2] for one in yard.writes(serial, mark) if "POST" in one] == [
        "Reset", "InsertMedia", "Reset", "EjectMedia",
    ]  # fmt: skip


@pytest.fixture(scope="module")
def slow_yard(tmp_path_factory, plugin):
    yard = start(tmp_path_factory.mktemp("slow"), install_s="1.5", post_s="0.3")
    plugin.create(MACHINE, yard.machine(0))
    yield yard
    yard.lab("down")


class TestKill:
    """kill -9 of the provider anywhere in an install, then the same create again."""

    @pytest.mark.parametrize("delay", [0.05, 0.15, 0.3, 0.5, 0.8, 1.2, 1.6])
    def test_one_install_per_serial_and_generation(self, slow_yard, new_plugin, delay):
        serial = slow_yard.machines[0]["serial"]
        generation = int(delay * 100)
        inputs = slow_yard.installation(0, generation=generation, confirmSerial=serial)
        victim = new_plugin()
        running = Background(victim.create, INSTALLATION, inputs)
        time.sleep(delay)
        victim.kill()
        with pytest.raises(Failed):
            running.result()
        state = new_plugin().create(INSTALLATION, inputs)[1]
        assert state["installationId"] == f"{serial}/{generation}"
        assert slow_yard.installs(serial, generation) == 1

    def test_cancel_ends_the_wait_within_two_seconds_and_the_next_run_adopts(self, slow_yard, new_plugin):
        serial = slow_yard.machines[0]["serial"]
        inputs = slow_yard.installation(0, generation=900, confirmSerial=serial)
        plugin = new_plugin()
        running = Background(plugin.create, INSTALLATION, inputs)
        wait_until(lambda: slow_yard.installs(serial, 900))
        began = time.monotonic()
        plugin.cancel()
        with pytest.raises(Failed) as caught:
            running.result()
        assert time.monotonic() - began < 2
        assert caught.value.partial is not None, caught.value
        assert caught.value.partial.id == serial
        assert new_plugin().update(INSTALLATION, serial, inputs, inputs)["installationId"] == f"{serial}/900"
        assert slow_yard.installs(serial, 900) == 1


class TestGate:
    """Rule 15 on the unit's machines."""

    @pytest.fixture(autouse=True)
    def installed(self, plugin, ready, yard):
        for index in (0, 1):
            plugin.create(MACHINE, yard.machine(index))

    def test_passes_with_a_digest_that_depends_on_the_evidence_only(self, plugin, yard):
        inputs = yard.gate([0, 1], 2)
        first, second = (plugin.create(GATE, inputs)[1] for _ in range(2))
        assert first == second
        assert (first["token"], first["ready"], first["missing"], len(first["digest"])) == ("facility", 2, [], 64)

    def test_preview_knows_the_token(self, plugin, yard):
        state = plugin.create(GATE, yard.gate([0], 1), preview=True)[1]
        assert state["token"] == "facility"
        assert state["digest"] == "04da6b54-80e4-46f7-96ec-b56ff0331ba9"

    def test_names_who_is_missing_and_why(self, plugin, yard):
        yard.fault(yard.machines[1]["serial"], kind="unreachable")
        with pytest.raises(Failed, match="GATE-001") as caught:
            plugin.create(GATE, yard.gate([0, 1, 3], 3, quarantined=[{"name": "lab-su001-gpu09", "reason": "PSU"}]))
        assert caught.value.partial is None
        text = caught.value.text
        assert "1 of 3 machines are ready" in text
        for part in (yard.machines[1]["name"] + " (METAL-010", yard.machines[3]["name"], "lab-su001-gpu09 (PSU)"):
            assert part in text
        passed = plugin.create(GATE, yard.gate([0, 1], 1))[1]
        assert (passed["ready"], passed["missing"]) == (1, [yard.machines[1]["name"]])

    def test_a_machine_that_is_off_is_not_ready(self, plugin, yard):
        yard.power(yard.machines[1]["serial"], "off")
        with pytest.raises(Failed, match="power is Off"):
            plugin.create(GATE, yard.gate([0, 1], 2))

    def test_a_changed_threshold_is_one_changed_path(self, plugin, yard):
        old = yard.gate([0, 1], 2)
        assert plugin.diff(GATE, old, {**old, "minimumReady": 1}) == ["minimumReady"]
        assert plugin.read(GATE, "lab-su001", {**old, "token": "facility", "digest": "ab"}, old)[1] == old
