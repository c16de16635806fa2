"""One resource of a Redfish tree as the dispatcher sees it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from lab.bmc.auth import Caller
from lab.bmc.http import Response

Handler = Callable[[Any, Caller | None], "Response | Awaitable[Response]"]


@dataclass
class Resource:
    """`body` is what GET answers (None: no GET). A handler gets the JSON body and who asks."""

    body: dict[str, Any] | None = None
    patch: Handler | None = None
    post: Handler | None = None
    delete: Handler | None = None
    raw: Response | None = None  # instead of `body`: not JSON
    public: bool = False  # GET needs no login
    open_post: bool = False  # POST needs no login (a new session)
    privilege: str = "ConfigureManager"  # what a write needs
    own_account: str | None = None  # the account that may write here with ConfigureSelf
    is_session: bool = False  # writes here change no machine

    def allow(self) -> list[str]:
        """The methods for the Allow header."""
        listed = ["GET", "HEAD"] if self.body is not None or self.raw is not None else []
        pairs = (("PATCH", self.patch), ("POST", self.post), ("DELETE", self.delete))
        return listed + [method for method, handler in pairs if handler is not None]

    def handler(self, method: str) -> Handler | None:
        return {"PATCH": self.patch, "POST": self.post, "DELETE": self.delete}.get(method)
