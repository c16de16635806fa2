"""The lab's own small Kubernetes client: JSON over HTTPS with a client certificate."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import requests

MANAGER = "railyard-lab"
TIMEOUT_S = 30.0


class Api:
    """`folder`/`name`.crt and .key say who asks; `ca` says who may answer. Errors: requests.HTTPError."""

    def __init__(self, endpoint: str, ca: Path, folder: Path, name: str) -> None:
        self.endpoint = endpoint
        self.session = requests.Session()
        self.session.trust_env = False  # a CA bundle or proxy in the environment would win over ours
        self.session.verify = str(ca)
        self.session.cert = (str(folder / f"{name}.crt"), str(folder / f"{name}.key"))

    def call(self, method: str, path: str, body: Any = None, *, kind: str = "application/json", **query: str) -> Any:
        """One request; the decoded answer. Raises requests.HTTPError (with the server's own message) and ConnectionError."""
        data = None if body is None else json.dumps(body)
        response = self.session.request(
            method, self.endpoint + path, data=data, params=query, headers={"Content-Type": kind}, timeout=TIMEOUT_S
        )
        if not response.ok:
            raise requests.HTTPError(f"{method} {path}: {response.status_code} {response.text[:500]}", response=response)
        return response.json()

    def get(self, path: str, **query: str) -> Any:
        return self.call("GET", path, **query)

    def apply(self, path: str, body: dict[str, Any]) -> Any:
        """Create or change the object at `path` (server-side apply; what others own in it stays)."""
        kind = "application/apply-patch+yaml"
        return self.call("PATCH", path, body, kind=kind, fieldManager=MANAGER, force="true")

    def delete(self, path: str) -> None:
        """Delete the object at `path`; one that isn't there is fine."""
        try:
            self.call("DELETE", path)
        except requests.HTTPError as error:
            if error.response.status_code != 404:
                raise
