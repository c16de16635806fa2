"""Autonomous system numbers of a routed fabric, by identity: a number never moves when the fabric grows.

    block of plane p: base + p * 1,000,000
        + 0              cores of the plane share one
        + 1 + q          spines of pod q (from 0) share one: one pod in two tiers, so the spines of a plane share one
        + 10,000 + l     leaf number l of the plane, l = (unit - 1) * rails + rail: each its own

Why: a shared number keeps a route that came down from a spine from going up again through another leaf (no valley paths). In
three tiers the pods' spines must differ, or a route from pod to pod would meet its own number and be dropped.
Source: RFC 7938 5.2; private 4-byte numbers 4200000000 to 4294967294 (RFC 6996).
"""

from railyard.plan.shape import FabricShape

BASE = 4_200_000_000
FIRST_PRIVATE, LAST_PRIVATE = 4_200_000_000, 4_294_967_294
PLANE_BLOCK = 1_000_000
LEAVES_FROM = 10_000


def core_asn(base: int, plane: int) -> int:
    """Number that all cores of a plane (from 0) share."""
    return base + plane * PLANE_BLOCK


def spine_asn(base: int, plane: int, pod: int) -> int:
    """Number that the spines of a pod (from 0) share in a plane."""
    return base + plane * PLANE_BLOCK + 1 + pod


def leaf_asn(base: int, plane: int, leaf: int) -> int:
    """Number of leaf `leaf` (from 0) of a plane."""
    return base + plane * PLANE_BLOCK + LEAVES_FROM + leaf


def last_asn(base: int, shape: FabricShape) -> int:
    """Highest number that the planned fabric uses."""
    return leaf_asn(base, shape.planes - 1, max(shape.leaves_per_plane - 1, 0))


def pod_of(shape: FabricShape, number: int) -> int:
    """Pod (from 0) of spine `number` (from 1) of a plane."""
    return (number - 1) // max(shape.spines_per_pod, 1)
