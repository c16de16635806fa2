"""Summaries of failure matrices: one that passes, to be changed one line at a time."""

from railyard.model.failures import FailureLine, FailureSummary


def line(kind="ups", lost="ups-a", **changes):
    """A UPS after which 1,024 GPUs run on 97 % of their power: no rule minds that."""
    fields = {"gpus_throttled": 1024, "throttled_kw": 1267.2, "throttled_of_kw": 1305.6, "stands_for": 2}
    return FailureLine(kind=kind, lost=lost, **(fields | changes))


def summary(*lines, **changes):
    return FailureSummary(
        **({"site": "lab", "gpus": 1024, "count": 20_000, "stated": True, "lines": lines or (line(),)} | changes)
    )
