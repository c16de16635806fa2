"""Slots of the catalogue: one for each device, as sysfs spells them, and no device both rail and storage."""

import pytest
from pydantic import ValidationError

from railyard import catalog
from railyard.model.catalog import NodeModel

pytestmark = pytest.mark.requirement("C1", "N3")

H100 = catalog.load().nodes["dgx-h100"]
SLOTS = tuple(f"0000:{number:02x}:00.0" for number in range(8))


def changed(**facts):
    return NodeModel.model_validate(H100.model_dump(by_alias=True) | facts)


def test_the_catalogue_s_own_facts_are_accepted():
    assert changed() == H100
    assert changed(railPci=SLOTS).rail_pci == SLOTS


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"railPci": SLOTS[:7]}, "8 devices need as many different railPci"),
        ({"railPci": (*SLOTS[:7], SLOTS[0])}, "8 devices need as many different railPci"),
        ({"gpuPci": SLOTS[:4]}, "8 devices need as many different gpuPci"),
        ({"railCpus": (0, 1)}, "8 backend NICs need as many railCpus, not 2"),
        ({"storageHcas": ("mlx5_1", "mlx5_3")}, "mlx5_3 can't be in railHcas and storageHcas"),
        ({"railPci": (*SLOTS[:7], "18:00.0")}, "String should match pattern"),
        ({"railPci": (*SLOTS[:7], "0000:AB:00.0")}, "String should match pattern"),
    ],
)
def test_slots_that_can_not_be_are_refused(facts, said):
    with pytest.raises(ValidationError, match=said):
        changed(**facts)


def test_every_known_slot_has_a_source():
    for node in catalog.load().nodes.values():
        for fact, value in (("railPci", node.rail_pci), ("gpuPci", node.gpu_pci), ("storageHcas", node.storage_hcas)):
            assert value is None or node.source(fact)
