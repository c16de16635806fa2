"""OpenStack's Redfish client as an independent judge of the emulator."""

import pytest
import sushy
from sushy import auth

from tests.lab.emulated import Client, until


@pytest.fixture
def yard(machine: Client, monkeypatch: pytest.MonkeyPatch) -> sushy.Sushy:
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    login = auth.SessionAuth(*machine.lab.instance.credential("bmc-factory"))
    return sushy.Sushy(machine.base, verify=str(machine.lab.instance.ca), auth=login)


def test_sushy_reads_the_system(yard: sushy.Sushy, machine: Client) -> None:
    (system,) = yard.get_system_collection().get_members()
    assert system.uuid
    assert [one.identity for one in system.processors.get_members()][-1] == "GPU_8"
    assert [one.mac_address for one in system.ethernet_interfaces.get_members()] == list(machine.facts.macs)
    assert system.storage.get_members()[0].drives[0].capacity_bytes > 10**12
    assert {one.identity for one in yard.get_update_service().firmware_inventory.get_members()} == {"BMC", "BIOS"}


def test_sushy_installs(yard: sushy.Sushy, machine: Client) -> None:
    (system,) = yard.get_system_collection().get_members()
    (manager,) = yard.get_manager_collection().get_members()
    drive = next(one for one in manager.virtual_media.get_members() if sushy.VIRTUAL_MEDIA_CD in one.media_types)
    drive.insert_media(machine.issue())
    once, uefi = sushy.BOOT_SOURCE_ENABLED_ONCE, sushy.BOOT_SOURCE_MODE_UEFI
    system.set_system_boot_options(sushy.BOOT_SOURCE_TARGET_CD, enabled=once, mode=uefi)
    system.reset_system(sushy.RESET_TYPE_ON)
    until(machine.running)
    drive.refresh()
    drive.eject_media()
    system.refresh()
    assert system.power_state == sushy.POWER_STATE_ON
    assert machine.record()["state"] == "finished"


def test_sushy_names_a_missing_medium(yard: sushy.Sushy, machine: Client) -> None:
    (manager,) = yard.get_manager_collection().get_members()
    drive = next(one for one in manager.virtual_media.get_members() if sushy.VIRTUAL_MEDIA_CD in one.media_types)
    with pytest.raises(sushy.exceptions.BadRequestError, match="ResourceMissingAtURI"):
        drive.insert_media(f"https://{machine.lab.instance.endpoint('provision')}/v1/media/none/install.iso")
