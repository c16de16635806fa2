"""One question to a health endpoint, asked again and again: does it answer 200?"""

from __future__ import annotations

import ssl
import urllib.request
from collections.abc import Callable
from functools import cache
from pathlib import Path

TIMEOUT_S = 1.0


def answers(url: str, ca: Path | None, client: tuple[Path, Path] | None = None) -> Callable[[], bool]:
    """A function that is True when `url` answers 200 within a second.

    `ca` None: a certificate made in memory, which can't be checked (nothing secret is asked or answered).
    """

    @cache
    def opener() -> urllib.request.OpenerDirector:
        # Once per endpoint: a context costs milliseconds, and this is asked twenty times a second.
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        if ca:
            context.load_verify_locations(ca)
        else:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        if client:
            context.load_cert_chain(*client)
        return urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context))

    def ask() -> bool:
        try:
            with opener().open(url, timeout=TIMEOUT_S) as response:
                return response.status == 200
        except OSError:  # refused, reset, timed out, not 200 (HTTPError is one)
            return False

    return ask
