"""What the program registers for a site, in which order, and how much of it."""

import json

import pytest

from railyard.model.outputs import CONTRACT_VERSION

SLICES = (
    "railyard:facility:Rack",
    "railyard:facility:Hall",
    "railyard:network:Switch",
    "railyard:storage:FileSystem",
    "railyard:site:Site",
)


@pytest.mark.requirement("O5")
def test_every_phase_takes_the_token_of_the_one_before(register):
    site = register("lab")
    machines, installations = site.of("metal:index:Machine"), site.of("metal:index:Installation")
    assert machines.keys() == installations.keys()
    assert len(machines) == 6
    assert all(found.props["machineToken"] == "machine" for found in installations.values())
    gates = site.of("metal:index:FacilityGate")
    assert set(gates) == {"lab-su001", "lab-sto"}
    assert gates["lab-su001"].props["tokens"] == ["installed"] * 4
    assert site.of("kube:index:Cluster")["lab-platform"].props["token"] == ["facility", "facility"]
    queues = {queue.name for queue in site.registered if queue.kind.endswith(":LocalQueue")}
    assert queues <= set(site.of("kube:index:AdmissionGate")["lab-admission"].dependencies)


def test_no_resource_lands_on_the_default_kubernetes_provider(register):
    site = register("lab")
    for resource in site.registered:
        if resource.kind.startswith("kubernetes:"):
            assert "lab-platform" in resource.provider, resource.name


@pytest.mark.requirement("U2")
def test_a_slice_stands_in_inputs_and_in_outputs_alike(register):
    site = register("lab")
    seen = 0
    for resource in site.registered:
        if resource.kind in SLICES:
            assert site.outputs[resource.name] == resource.props, resource.name
            seen += 1
    assert seen == 2 + 1 + 12 + 1 + 1


@pytest.mark.requirement("C3", "U2")
def test_the_hall_is_one_small_resource_that_holds_no_single_rack(register):
    site = register("prod-site-a")
    (hall,) = site.of("railyard:facility:Hall").values()
    power = hall.props["power"]
    assert len(power["racks"]) < len(site.of("railyard:facility:Rack")) / 4, "one row for each kind"
    assert sum(kind["count"] for kind in power["racks"]) == len(site.of("railyard:facility:Rack"))
    assert {segment["kind"] for segment in power["segments"]} == {"supply", "ups", "panel", "busway"}
    assert len(power["segments"]) < 25
    assert len(json.dumps(power)) < 40_000


@pytest.mark.requirement("U8")
def test_what_grows_with_the_site_is_at_most_three_resources_per_machine(register):
    """Kubernetes objects grow with tenants, not machines. (With them the 2,048-node stack holds the budget: engine tier.)"""
    site = register("prod-site-a")
    once = {"railyard:site:Site", "railyard:facility:Hall"}
    growing = [item for item in site.registered if not item.kind.startswith("kubernetes:") and item.kind not in once]
    machines = len(site.of("metal:index:Machine"))
    assert machines == 136
    assert len(growing) <= 3 * machines, site.count()


def test_a_quarantined_machine_is_named_and_not_touched(register, monkeypatch):
    from railyard import load

    whole = load.site_config

    def with_one_set_aside(root, stack):
        config = whole(root, stack)
        first, *others = config.inventory.machines
        aside = type(first).model_validate(first.model_dump() | {"lifecycle": "quarantined", "reason": "fan 3 is dead"})
        inventory = config.inventory.model_copy(update={"machines": (aside, *others)})
        return type(config)(config.stack, config.file, inventory, config.inventory_sha256, config.catalog)

    monkeypatch.setattr(load, "site_config", with_one_set_aside)
    site = register("lab")
    assert "lab-su001-gpu01" not in site.of("metal:index:Machine")
    gate = site.of("metal:index:FacilityGate")["lab-su001"].props
    assert gate["quarantined"] == [{"name": "lab-su001-gpu01", "reason": "fan 3 is dead"}]
    assert [machine["name"] for machine in gate["machines"]] == ["lab-su001-gpu02", "lab-su001-gpu03", "lab-su001-gpu04"]
    assert {machine["generation"] for machine in gate["machines"]} == {1}
    aside = site.of("kube:index:SetAside")["lab-set-aside"]
    assert aside.props["nodes"] == [{"name": "lab-su001-gpu01", "reason": "fan 3 is dead"}]
    assert aside.dependencies == ("lab-platform",)
    admission = site.of("kube:index:AdmissionGate")["lab-admission"]
    assert "lab-set-aside" in admission.dependencies, "the probe must not land on it"
    assert "lab-su001-gpu01" not in admission.props["nodes"]
    assert set(admission.props["installations"]) == set(admission.props["nodes"])


def test_a_machine_that_is_installed_again_is_proven_again(register, monkeypatch):
    from railyard import load

    whole = load.site_config
    before = register("lab").of("kube:index:AdmissionGate")["lab-admission"].props

    def with_one_again(root, stack):
        config = whole(root, stack)
        first, *others = config.inventory.machines
        again = first.model_copy(update={"install_generation": 2, "confirm_serial": first.serial})
        inventory = config.inventory.model_copy(update={"machines": (again, *others)})
        return type(config)(config.stack, config.file, inventory, config.inventory_sha256, config.catalog)

    monkeypatch.setattr(load, "site_config", with_one_again)
    after = register("lab").of("kube:index:AdmissionGate")["lab-admission"].props
    assert [key for key in after if after[key] != before[key]] == ["installations"]
    changed = {name: one for name, one in after["installations"].items() if before["installations"][name] != one}
    serial = before["installations"]["lab-su001-gpu01"].removesuffix("/1")
    assert changed == {"lab-su001-gpu01": f"{serial}/2"}


def test_with_nobody_set_aside_the_list_is_there_and_empty(register):
    """Emptying the list is what lets a mended machine take jobs again."""
    assert register("lab").of("kube:index:SetAside")["lab-set-aside"].props["nodes"] == []


@pytest.mark.parametrize(("minimum", "storage", "expected"), [(None, None, (4, 2)), (3, 1, (3, 1))])
def test_setting_machines_aside_does_not_lower_the_bar_by_itself(register, monkeypatch, minimum, storage, expected):
    from railyard import load

    whole = load.site_config

    def with_all_set_aside(root, stack):
        config = whole(root, stack)
        aside = [
            type(one).model_validate(one.model_dump() | {"lifecycle": "quarantined", "reason": "fan 3 is dead"})
            for one in config.inventory.machines
        ]
        inventory = config.inventory.model_copy(update={"machines": tuple(aside)})
        gates = config.file.gates.model_copy(update={"minimum_ready": minimum, "storage_minimum_ready": storage})
        file = config.file.model_copy(update={"gates": gates})
        return type(config)(config.stack, file, inventory, config.inventory_sha256, config.catalog)

    monkeypatch.setattr(load, "site_config", with_all_set_aside)
    gates = register("lab").of("metal:index:FacilityGate")
    assert (gates["lab-su001"].props["minimumReady"], gates["lab-sto"].props["minimumReady"]) == expected


@pytest.mark.requirement("D2")
def test_an_unknown_contract_version_of_the_peer_is_refused(register):
    with pytest.raises(Exception, match="PEER-002"):
        register("prod-site-b", {"contractVersion": CONTRACT_VERSION + 1})


@pytest.mark.requirement("D2")
def test_a_peer_that_was_never_deployed_is_a_warning(register):
    assert register("prod-site-b").of("railyard:replication:Replica")
