"""Hosts and ports in text: where IPv6 addresses need brackets, and where they must not have any.

https://[2001:db8::1]:443        a URL: brackets, else its colons read as a port (RFC 3986 3.2.2)
2001:db8::1                      in XML, in a host column, in `ip route`: the bare address
Forwarded: host="[2001:db8::1]:443"   quoted, because of brackets and colons (RFC 7239 4)
"""

from ipaddress import ip_address


def split_host(text: str) -> tuple[str, int | None]:
    """(bare host, port) of `host`, `host:port`, `[v6]`, `[v6]:port` or a bare IPv6 address. ValueError for a bad port."""
    if text.startswith("["):
        host, _, rest = text[1:].partition("]")
        if rest and not rest.startswith(":"):
            raise ValueError(f"{text}: text after the bracket")
        return host, _port(rest[1:], text) if rest else None
    # More than one colon can only be an address: a port would have to be told apart from its last group.
    if text.count(":") > 1:
        return text, None
    host, colon, port = text.partition(":")
    return host, _port(port, text) if colon else None


def _port(text: str, whole: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 65_535:
        raise ValueError(f"{whole}: not a port")
    return int(text)


def bare_host(text: str) -> str:
    """The host alone, as XML and host columns want it: never in brackets."""
    return split_host(text)[0]


def authority(text: str, default_port: int | None = None) -> str:
    """`host:port` as a URL wants it: IPv6 in brackets, the default port added where the text has none."""
    host, port = split_host(text)
    port = default_port if port is None else port
    shown = f"[{host}]" if _is_six(host) else host
    return shown if port is None else f"{shown}:{port}"


def forwarded_host(text: str) -> str:
    """The value of `host=` in a Forwarded header: a quoted string as soon as it isn't a token."""
    value = authority(text)
    return f'"{value}"' if ":" in value else value


def _is_six(host: str) -> bool:
    try:
        return ip_address(host).version == 6
    except ValueError:
        return False
