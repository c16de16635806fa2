"""The one error family of this room: it says what is wrong, where, what the limit is and how to fix it."""

from __future__ import annotations

from dataclasses import asdict, dataclass

EXIT_ENGINE_ERROR = 2


@dataclass(eq=False)  # not frozen: context managers set __traceback__ on what passes through them
class EngineError(Exception):
    """A problem with the tools around the program (never with its design): `python -m engine` prints it and exits with 2."""

    id: str
    where: str
    found: str
    needed: str
    fix: str

    def __str__(self) -> str:
        return f"{self.id} {self.where}\n  found:  {self.found}\n  needed: {self.needed}\n  fix:    {self.fix}"

    def as_dict(self) -> dict[str, str]:
        return asdict(self)


class UnreadableError(Exception):
    """A site's files can't be read; the text is the loader's own, with every problem: printed as it is, exit code 2."""
