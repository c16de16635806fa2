"""What a planner met that it could not plan, as values: the rules report them, nobody prints them here.

A problem is recorded in `Plan.problems` wherever a plan can still be drawn; `PlanError` is raised only where none can exist.

| id | what |
|---|---|
| PLAN-001 | a name that the catalogue doesn't have, or a link speed that the switch doesn't run at |
| PLAN-002, PLAN-003, PLAN-020 to PLAN-024 | a fabric that can't be: `railyard.plan.refusals` |
| PLAN-004 | a machine whose name is no planned position |
| PLAN-005 | `compute.nodes` or `storage.nodes` differs from the inventory |
| PLAN-006 | an address block too small for what is planned in it |
| PLAN-007 | GPU or MAC count of a machine differs from its model |
| PLAN-008 | a fact that is needed and that nobody knows (peak power of a model): counted as 0 |
| PLAN-009 | a BMC address outside the out-of-band block |
| PLAN-010 | `fabric.spines` where three tiers fix the number of spines |
| PLAN-011 | rails and planes that don't take every training NIC of a node once |
| PLAN-012 | links faster than the node's NICs |
| PLAN-013 | a transport that the switch doesn't speak |
| PLAN-014 | a file system that the storage server isn't for |
| PLAN-015 | more racks than any hall holds |
"""

from railyard.model.errors import ProblemsError


class PlanError(ProblemsError):
    """No plan can exist."""

    heading = "no plan is possible: {problems}"


ordered = PlanError.in_order
"""Problems without duplicates, sorted by id, place and what was found."""
