"""The floor: where racks stand, what rests on it, what a rack's loss takes along, and whether racks get in."""
