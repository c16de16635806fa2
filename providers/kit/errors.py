"""The errors of a provider: each says id, where, found, limit, fix (rule 18); all of one call at once, in stable order."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, Self


class FindingLike(Protocol):
    """What `render` needs; `railyard.rules.Finding` and `Problem` both have it."""

    @property
    def id(self) -> str: ...
    @property
    def where(self) -> str: ...
    @property
    def found(self) -> str: ...
    @property
    def limit(self) -> str: ...
    @property
    def fix(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong. `limit` is what was expected; `url` is where to read more."""

    id: str
    where: str
    found: str
    limit: str
    fix: str
    url: str = ""


def render(problems: Iterable[FindingLike]) -> str:
    """All problems as one text for a person, a block each."""
    return "\n".join(render_one(problem) for problem in problems)


def render_one(problem: FindingLike) -> str:
    """One problem as a block of lines: id and where, then found, limit, fix, more."""
    lines = [f"{problem.id} {problem.where}", f"  found: {problem.found}"]
    if problem.limit:
        lines.append(f"  limit: {problem.limit}")
    if problem.fix:
        lines.append(f"  fix:   {problem.fix}")
    url = getattr(problem, "url", "")
    if url:
        lines.append(f"  more:  {url}")
    return "\n".join(lines)


class ProviderError(Exception):
    """The call failed and nothing needs to be remembered. Its text is `render(problems)`."""

    def __init__(self, *problems: FindingLike) -> None:
        self.problems = problems
        super().__init__(render(problems))


URL = "docs/reference/errors.md"
"""Where each id has its place: `{URL}#switch-010`."""


def problem(id: str, where: str, found: str, limit: str, fix: str) -> Problem:  # noqa: A002
    """A problem whose id is explained in the reference of errors."""
    return Problem(id, where, found, limit, fix, f"{URL}#{id.lower()}")


class KindError(ProviderError):
    """One problem. `kind` is for code that branches."""

    def __init__(self, kind: str, problem: Problem) -> None:
        self.kind = kind
        super().__init__(problem)

    @classmethod
    def of(cls, kind: str, id: str, where: str, found: str, limit: str, fix: str) -> Self:  # noqa: A002
        """With its place in the reference of errors."""
        return cls(kind, problem(id, where, found, limit, fix))


class Cancelled(ProviderError):  # noqa: N818  (reads as what happened)
    """The engine cancelled, or our parent is gone: every wait ends with this."""

    def __init__(self, what: str = "the run") -> None:
        super().__init__(
            Problem("KIT-002", what, "cancelled before it was done", "", "run `pulumi up` again: it goes on from what is there")
        )


class InitFailed(Exception):  # noqa: N818  (the engine's word)
    """Half done: the resource exists under `id`, with what is left to do in `problems` (the engine shows those only).

    The next `up` calls Update for it even if no input changed. `inputs` None means: those of the request.
    """

    def __init__(
        self,
        id: str,  # noqa: A002  (the engine's word)
        outputs: Mapping[str, Any],
        problems: Iterable[FindingLike],
        inputs: Mapping[str, Any] | None = None,
    ) -> None:
        self.id = id
        self.outputs = dict(outputs)
        self.problems = tuple(problems)
        self.inputs = None if inputs is None else dict(inputs)
        super().__init__(render(self.problems))
