"""A sound InfiniBand site in numbers, to be changed one field at a time."""

from railyard.model.infiniband import InfiniBandPlan, PartitionFacts, SubnetFacts


def subnet_facts(**changes):
    fields = {"name": "compute", "prefix": "0xfe80000000000000", "switches": 12, "adapters": 256, "links": 512}
    return SubnetFacts(**fields | {"manager_leaves": ("t-r0", "t-r1")} | changes)


def partition(name="research", key=2, **changes):
    return PartitionFacts(name=name, key=key, nodes=16, **changes)


def infiniband(**changes):
    fields = {"subnets": (subnet_facts(),), "partitions": (partition("production", 1), partition()), "guids": 268}
    return InfiniBandPlan(**fields | {"guids_planned": 268} | changes)
