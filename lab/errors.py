"""Errors of the lab: id, where, found, limit, fix. Every message that a person sees is one of these."""

from dataclasses import dataclass


@dataclass(eq=False)  # not frozen: Python itself writes to a raised exception
class LabError(Exception):
    """One refusal of the lab. `id` is stable (LAB-001 …); `found` against `limit`; `fix` says what to do."""

    id: str
    where: str
    found: str
    limit: str
    fix: str

    def __str__(self) -> str:
        return f"{self.id} {self.where}: found {self.found}; limit: {self.limit}; fix: {self.fix}"


def text(error: LabError) -> str:
    """The error as the command line prints it, one fact a line."""
    return f"error {error.id}: {error.where}\n  found: {error.found}\n  limit: {error.limit}\n  fix:   {error.fix}"
