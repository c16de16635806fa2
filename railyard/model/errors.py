"""What is wrong with input, as values: one problem per fact, all of them in one error."""

from collections.abc import Iterable
from dataclasses import dataclass

URL = "docs/reference/config.md"


@dataclass(frozen=True, order=True)
class Problem:
    """One thing that can't be read. `where` is `file:config.path`; `line` counts from 1 where the reader knows it."""

    id: str
    where: str
    found: str
    limit: str
    fix: str
    line: int | None = None

    def __str__(self) -> str:
        place = self.where if self.line is None else f"{self.where} (line {self.line})"
        return f"{self.id} {place}\n  found: {self.found}\n  limit: {self.limit}\n  fix:   {self.fix}"


class LoadError(Exception):
    """Input that has no meaning. Carries every problem that was found, in stable order, without duplicates."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(
            sorted(set(problems), key=lambda p: (p.where.split(":", 1)[0], p.line or 0, p.where, p.id, p.found))
        )
        super().__init__(self.problems)

    @property
    def findings(self) -> tuple[Problem, ...]:
        """The same problems under the word that rules use."""
        return self.problems

    def __str__(self) -> str:
        count = len(self.problems)
        head = f"{count} problem{'s' if count != 1 else ''} in the input (see {URL}):"
        return "\n".join([head, *(str(problem) for problem in self.problems)])
