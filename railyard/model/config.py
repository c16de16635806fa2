"""What the planner gets: everything that was read about one site, as one value."""

from dataclasses import dataclass

from railyard.model.catalog import Catalog
from railyard.model.inventory import Inventory
from railyard.model.site import StackFile


@dataclass(frozen=True)
class SiteConfig:
    """One stack, read and found to have a meaning. `inventory_sha256` is of the inventory file's bytes."""

    stack: str
    file: StackFile
    inventory: Inventory
    inventory_sha256: str
    catalog: Catalog
