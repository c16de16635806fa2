"""What survives when one thing fails: the failure matrix, one failure step by step, pairs of failures of one rack.

Not part of `plan()`. Modules: tree (nouns), settle (one rack, once), cascade (all racks and breakers, until nothing trips),
read (from the plan), network (what dead switches and servers mean), scene (one event with names), power, devices, cooling (all
events of a sort), matrix (all of them), summary (what rules judge).
"""

from railyard.plan.failures.matrix import FailureError, failure_event, failure_matrix, failure_pairs
from railyard.plan.failures.summary import failure_summary, stated_failures

__all__ = ["FailureError", "failure_event", "failure_matrix", "failure_pairs", "failure_summary", "stated_failures"]
