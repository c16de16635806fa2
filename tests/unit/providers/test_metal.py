"""Pure decisions of providers/metal."""

import datetime
import email.utils

import pytest

from providers.kit import ProviderError
from providers.metal import errors, power, services
from providers.metal.installation import decide
from providers.metal.service import Record
from providers.metal.transport import Reply, retry_after

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
