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


class ProblemsError(Exception):
    """Input from which nothing can be made. Carries every problem that was found, in stable order, without duplicates."""

    heading = "{problems}"
    url = URL

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = self.in_order(problems)
        super().__init__(self.problems)

    @staticmethod
    def in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
        """By id, place and what was found."""
        return tuple(sorted(set(problems), key=lambda problem: (problem.id, problem.where, problem.found)))

    @property
    def findings(self) -> tuple[Problem, ...]:
        """The same problems under the word that rules use."""
        return self.problems

    def __str__(self) -> str:
        count = len(self.problems)
        head = self.heading.format(problems=f"{count} problem{'s' if count != 1 else ''}")
        return "\n".join([f"{head} (see {self.url}):", *(str(problem) for problem in self.problems)])


class LoadError(ProblemsError):
    """Input that has no meaning; its problems in the order of file and line."""

    heading = "{problems} in the input"

    @staticmethod
    def in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
        """By file, line and place."""
        return tuple(sorted(set(problems), key=lambda p: (p.where.split(":", 1)[0], p.line or 0, p.where, p.id, p.found)))
