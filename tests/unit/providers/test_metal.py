"""Pure decisions of providers/metal."""

import datetime
import email.utils

import pytest

from providers.kit import ProviderError
from providers.metal import errors, power, services
from providers.metal.service import Record, Seen
from providers.metal.transport import Reply, retry_after
from providers.metal.wiping import Known, check_device, check_journal, confirmed_anew, decide

SERIAL = "SN1"


def planned(generation, confirm=""):
    return {"serial": SERIAL, "generation": generation, "confirmSerial": confirm}


@pytest.mark.parametrize(
    ("record", "generation", "confirm", "step"),
    [
        (None, 1, "", "start"),
        (None, 2, SERIAL, "start"),
        (Record(1, "issued"), 1, "", "start"),
        (Record(1, "begun"), 1, "", "wait"),
        (Record(1, "finished"), 1, "", "adopt"),
        (Record(2, "finished"), 2, "", "adopt"),
        (Record(1, "finished"), 2, SERIAL, "start"),
        (Record(1, "begun"), 2, SERIAL, "start"),
    ],
)
def test_the_journal_decides(record, generation, confirm, step):
    assert decide(record, planned(generation, confirm), "m") == step


@pytest.mark.parametrize(
    ("record", "generation", "confirm", "word"),
    [
        (None, 2, "", "METAL-030"),
        (None, 2, "SN2", "METAL-030"),
        (Record(1, "finished"), 2, "", "METAL-030"),
        (Record(3, "finished"), 2, SERIAL, "METAL-031"),
        (Record(2, "issued"), 1, SERIAL, "METAL-031"),
    ],
)
def test_no_wipe_without_confirmation(record, generation, confirm, word):
    with pytest.raises(ProviderError, match=word):
        decide(record, planned(generation, confirm), "m")


ONE, TWO = Known(1, True, "journal-a"), Known(2, True, "journal-a")


@pytest.mark.parametrize(
    ("journal", "record", "known"),
    [
        ("journal-b", Record(1, "finished"), ONE),  # another journal, whatever stands in it
        ("", Record(1, "finished"), ONE),
        ("journal-a", None, ONE),  # an old copy of the right one
        ("journal-a", Record(1, "finished"), TWO),
        ("journal-a", Record(2, "begun"), TWO),
        ("journal-a", None, Known(1, False, "journal-a")),  # begun when it was cancelled, and then the journal was lost
        ("journal-b", None, Known(1, True, "")),  # a state of an earlier release
    ],
)
def test_a_journal_that_lacks_what_the_state_knows_proves_nothing(journal, record, known):
    with pytest.raises(ProviderError, match="METAL-037") as caught:
        check_journal(Seen(journal, record), known, "m", SERIAL)
    text = str(caught.value)
    assert f"installGeneration: {known.generation + 1} and confirmSerial: {SERIAL}" in text
    assert "restore" in text


@pytest.mark.parametrize(
    ("record", "known"),
    [
        (None, None),
        (Record(1, "finished"), ONE),
        (Record(2, "issued"), ONE),
        (Record(2, "finished"), ONE),
        (Record(1, "issued"), Known(1, False, "journal-a")),
    ],
)
def test_a_journal_that_has_it_all_is_believed(record, known):
    check_journal(Seen("journal-a", record), known, "m", SERIAL)


def test_only_a_generation_above_the_known_one_confirms_anew():
    assert confirmed_anew(TWO, planned(3, SERIAL))
    assert not confirmed_anew(TWO, planned(2, SERIAL)), "the confirmation of last time is none"
    assert not confirmed_anew(TWO, planned(3))
    assert not confirmed_anew(None, planned(3, SERIAL))


def test_what_the_state_remembers():
    outputs = {"installationId": "SN1/2", "hostKeyFingerprint": "SHA256:a", "journalId": "journal-a"}
    assert Known.parse(SERIAL, outputs) == TWO
    assert Known.parse(SERIAL, {**outputs, "hostKeyFingerprint": ""}) == Known(2, False, "journal-a")
    assert Known.parse("SN2", outputs) is None
    assert Known.parse(SERIAL, {"token": "installed"}) is None


def test_a_running_system_needs_a_confirmation():
    running = {"BootProgress": {"LastState": "OSRunning"}}
    with pytest.raises(ProviderError, match="METAL-030"):
        check_device(running, planned(1), "m")
    check_device(running, planned(1, SERIAL), "m")
    for system in ({}, {"BootProgress": None}, {"BootProgress": {"LastState": "SystemHardwareInitializationComplete"}}):
        check_device(system, planned(1), "m")


NTP = {"NTP": {"ProtocolEnabled": True, "NTPServers": ["b", "a", "", None]}, "IPMI": {"ProtocolEnabled": True}}


def test_services_are_compared_as_sets_and_only_where_managed():
    assert services.body_for({"ntpServers": ["a", "b"]}, NTP) is None
    assert services.seen({"ntpServers": ["a", "b"]}, NTP) == {"ntpServers": ["a", "b"]}
    assert services.body_for({"ipmi": False}, NTP) == {"IPMI": {"ProtocolEnabled": False}}
    assert services.body_for({"ntpServers": ["a"]}, NTP) == {"NTP": {"ProtocolEnabled": True, "NTPServers": ["a"]}}
    assert services.seen({"ntpServers": ["a"], "ipmi": False}, NTP) == {"ntpServers": ["b", "a"], "ipmi": True}
    off = {"NTP": {"ProtocolEnabled": False, "NTPServers": ["a"]}}
    assert services.seen({"ntpServers": ["a"]}, off) == {"ntpServers": []}
    assert services.body_for({"ntpServers": []}, off) is None


NAMES = {"Boot0001": "Hdd", "Boot0002": "Pxe", "Boot0003": "Cd"}


def test_boot_order_puts_what_is_wanted_first():
    now = {"Boot": {"BootOrder": ["Boot0001", "Boot0002", "Boot0003"]}}
    body = services.order_body("m", ["Cd", "Hdd"], NAMES, now)
    assert body == {"Boot": {"BootOrder": ["Boot0003", "Boot0001", "Boot0002"]}}
    assert services.order_body("m", ["Cd", "Hdd"], NAMES, body) is None
    with pytest.raises(ProviderError, match="METAL-019"):
        services.order_body("m", ["UefiHttp"], NAMES, now)


def test_media_counts_as_in_by_inserted_only():
    assert power.inserted({"Inserted": False, "Image": "https://x"}) == ""
    assert power.inserted({"Inserted": True, "ConnectedVia": "NotConnected", "Image": "https://x"}) == ""
    assert power.inserted({"Inserted": True, "ConnectedVia": "URI", "Image": "https://x"}) == "https://x"


def test_retry_after_is_seconds_or_a_date():
    def reply(text):
        return Reply(503, {"Retry-After": text} if text else {}, None)

    assert retry_after(reply("2"), 0.5) == 2
    assert retry_after(reply("9999"), 0.5) == 30
    assert retry_after(reply(""), 0.5) == 0.5
    assert retry_after(reply("soon"), 0.5) == 0.5
    date = email.utils.format_datetime(datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=10), usegmt=True)
    assert 7 < retry_after(reply(date), 0.5) <= 10


def test_messages_of_an_error_body():
    body = {"error": {"@Message.ExtendedInfo": [{"MessageId": "Base.1.18.X", "Message": "no"}]}}
    assert errors.messages(body) == ["no"]
    assert errors.message_ids(body) == ["X"]
    assert errors.messages("text") == errors.messages({"error": 3}) == []
