"""Size of the parallel file system: targets, mirror groups, usable capacity, write rate."""

from collections.abc import Iterator, Sequence

from railyard.model.catalog import StorageNodeModel
from railyard.model.plan import FileSystemPlan, StorageTarget
from railyard.model.site import StackFile, StorageBackend
from railyard.plan import names
from railyard.plan.machines import Seat

METADATA_SHARE = 0.005
"""Metadata is 0.3-0.5 % of capacity (BeeGFS system requirements); the upper end."""


def size_file_system(file: StackFile, model: StorageNodeModel | None, seats: Sequence[Seat]) -> FileSystemPlan | None:
    """The file system of the delivered storage servers; None where the site has none.

    Servers 2k - 1 and 2k are a mirror group: target t of one mirrors target t of the other, so no group lies in one server.
    BeeGFS mirrors metadata and data (buddy groups). Lustre keeps files twice (FLR) but has no mirror for metadata: an MDT fails
    over only where two servers share its drives, which none of the catalogue's do.

    usable TiB = sum of the targets' usable TiB (after RAID), halved where mirrored; a server without its partner counts 0 there
    write GB/s = sum of the servers' rates, halved where mirrored, since each byte is written twice
    """
    if file.storage.backend is StorageBackend.NONE or model is None:
        return None
    mirrored, standing = file.storage.mirrored, {seat.slot for seat in seats}
    targets = tuple(target for seat in seats for target in _targets(file, model, seat.slot, standing))
    counted = [seat.slot for seat in seats if not mirrored or partner(seat.slot) in standing]
    share = 0.5 if mirrored else 1.0
    classes = sorted(file.storage.classes, key=lambda item: item.name)
    return FileSystemPlan(
        name=f"{file.site.name}-{file.storage.backend.value}",
        backend=file.storage.backend.value,
        targets=targets,
        usable_tib=round(len(counted) * model.usable_tib * share, 3),
        write_gb_per_s=round(len(counted) * model.write_gb_per_s * share, 3),
        mounts={item.name: f"/storage/{item.name}" for item in classes},
        quota_tib={item.name: item.quota_tib for item in classes},
        read_only=tuple(item.name for item in classes if item.read_only),
        mirrored=mirrored,
    )


def partner(index: int) -> int:
    """The other server of a mirror group: 1 and 2, 3 and 4, and so on."""
    return index + 1 if index % 2 else index - 1


def _targets(file: StackFile, model: StorageNodeModel, index: int, standing: set[int]) -> Iterator[StorageTarget]:
    """Metadata targets, then storage targets of one server."""
    site, backend, mirrored = file.site.name, file.storage.backend, file.storage.mirrored
    server, other = names.storage(site, index), partner(index)
    mate = names.storage(site, other) if mirrored and other in standing else None
    twin = mate if backend is StorageBackend.BEEGFS else None
    data = round(model.usable_tib / model.targets, 3)
    meta = round(model.usable_tib * METADATA_SHARE / max(model.metadata_targets, 1), 3)
    for number in range(model.metadata_targets):
        name = f"meta{number:02d}"
        yield StorageTarget(
            name=f"{server}-{name}", kind="metadata", server=server, usable_tib=meta, mirror=twin and f"{twin}-{name}"
        )
    for number in range(model.targets):
        name = f"data{number:02d}"
        yield StorageTarget(
            name=f"{server}-{name}", kind="storage", server=server, usable_tib=data, mirror=mate and f"{mate}-{name}"
        )
