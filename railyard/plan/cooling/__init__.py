"""Cooling: heat of each rack, the air that carries it, rear doors, coolant and the units of the hall."""

from railyard.plan.cooling.build import hall_cooling, plan_cooling
from railyard.plan.cooling.pools import unit_names
from railyard.plan.cooling.racks import face_of

__all__ = ["face_of", "hall_cooling", "plan_cooling", "unit_names"]
