"""The Redfish tree: path -> Resource, made from the BMC's state at each request."""

from typing import TYPE_CHECKING

from lab.bmc.resource import Resource
from lab.bmc.tree import accounts, chassis, managers, root, services, sessions, storage, systems

if TYPE_CHECKING:
    from lab.bmc.bmc import Bmc

# Paths by segments; "*" takes any one segment and hands it to the factory.
_ROUTES = {
    tuple(pattern.strip("/").split("/")): factory
    for module in (root, sessions, accounts, systems, storage, managers, chassis, services)
    for pattern, factory in module.ROUTES.items()
}
_BY_LENGTH: dict[int, list[tuple[tuple[str, ...], object]]] = {}
for _pattern, _factory in _ROUTES.items():
    if "*" in _pattern:
        _BY_LENGTH.setdefault(len(_pattern), []).append((_pattern, _factory))


def find(bmc: "Bmc", path: str) -> Resource | None:
    """The resource at `path`, None for 404."""
    parts = tuple(path.strip("/").split("/"))
    factory = _ROUTES.get(parts)
    if factory is not None and "*" not in parts:
        return factory(bmc)
    for pattern, candidate in _BY_LENGTH.get(len(parts), ()):
        if all(want in ("*", part) for want, part in zip(pattern, parts, strict=True)):
            found = candidate(bmc, *(part for want, part in zip(pattern, parts, strict=True) if want == "*"))  # type: ignore[operator]
            if found is not None:
                return found
    return None
