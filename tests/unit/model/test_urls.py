"""IPv6 in URLs, in XML and in headers (case 42)."""

import pytest
import urllib3

from railyard.model.urls import authority, bare_host, forwarded_host, split_host

pytestmark = pytest.mark.requirement("N2")


@pytest.mark.parametrize(
    ("text", "port", "url"),
    [
        ("2001:db8::1", 443, "https://[2001:db8::1]:443"),
        ("[2001:db8::10]:8080", 443, "https://[2001:db8::10]:8080"),
        ("[2001:db8::1]", None, "https://[2001:db8::1]"),
        ("2001:db8::1", None, "https://[2001:db8::1]"),
        ("10.16.0.32", 443, "https://10.16.0.32:443"),
        ("10.16.0.32:8443", 443, "https://10.16.0.32:8443"),
        ("bmc-01.example", None, "https://bmc-01.example"),
        ("bmc-01.example:8443", None, "https://bmc-01.example:8443"),
    ],
)
def test_a_url_has_brackets_where_it_needs_them(text, port, url):
    assert f"https://{authority(text, port)}" == url
    parsed = urllib3.util.parse_url(url)
    assert (parsed.host or "").strip("[]") == bare_host(text)


def test_what_goes_wrong_without_them():
    """`https://2001:db8::1:443` is another host: the last group looks like one, and the port is gone."""
    with pytest.raises(urllib3.exceptions.LocationParseError):
        urllib3.util.parse_url("https://2001:db8::1:443")


def test_a_bare_address_in_xml_and_a_quoted_one_in_a_header():
    assert bare_host("[2001:db8::10]:8080") == "2001:db8::10"
    assert bare_host("[2001:db8::10]") == "2001:db8::10"
    assert forwarded_host("[2001:db8::10]:8080") == '"[2001:db8::10]:8080"'
    assert forwarded_host("2001:db8::10") == '"[2001:db8::10]"'
    assert forwarded_host("bmc.example") == "bmc.example"
    assert forwarded_host("bmc.example:8443") == '"bmc.example:8443"'


@pytest.mark.parametrize("text", ["[::1]x", "host:0", "host:65536", "host:", "host:abc", "[::1]:", "[::1]:-1"])
def test_what_is_no_host_and_port_is_refused(text):
    with pytest.raises(ValueError, match=r"port|bracket"):
        split_host(text)
