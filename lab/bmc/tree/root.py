"""Service root and the documents that need no login."""

from typing import TYPE_CHECKING, Any

from lab.bmc.resource import Resource
from lab.bmc.schema import V1, head, link, metadata, odata

if TYPE_CHECKING:
    from lab.bmc.bmc import Bmc

_METADATA = metadata()


def _root(bmc: "Bmc") -> dict[str, Any]:
    features = {
        "ExcerptQuery": False,
        "ExpandQuery": {"ExpandAll": False, "Levels": False, "Links": False, "NoLinks": False},
        "FilterQuery": False,
        "OnlyMemberQuery": False,
        "SelectQuery": False,
    }
    names = (
        "Systems",
        "Managers",
        "Chassis",
        "AccountService",
        "SessionService",
        "UpdateService",
        "EventService",
        "Registries",
    )
    return head(
        f"{V1}/", "ServiceRoot", "RootService", "Root Service",
        RedfishVersion="1.20.0", UUID=bmc.uuid, Vendor="Railyard Lab", Product="Emulated BMC",
        ProtocolFeaturesSupported=features, **{name: link(f"{V1}/{name}") for name in names},
        Tasks=link(f"{V1}/TaskService"), Links={"Sessions": link(f"{V1}/SessionService/Sessions")},
    )  # fmt: skip


ROUTES = {
    "/redfish": lambda _bmc: Resource({"v1": f"{V1}/"}, public=True),
    "/redfish/v1": lambda bmc: Resource(_root(bmc), public=True),
    "/redfish/v1/odata": lambda bmc: Resource(odata(_root(bmc)), public=True),
    "/redfish/v1/$metadata": lambda _bmc: Resource(raw=_METADATA, public=True),
}
