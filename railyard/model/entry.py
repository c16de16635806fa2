"""What every catalogue row shares: a name, a title, and a source for each fact that is known."""

from collections import Counter
from typing import Self

from pydantic import model_validator

from railyard.model.base import Noun

_NOT_FACTS = {"name", "title", "sources"}


class Entry(Noun):
    """One catalogue row. `name` is the key that a stack file uses."""

    name: str
    title: str
    sources: dict[str, tuple[str, ...]]

    def source(self, fact: str) -> str:
        """Where a fact (its outside name, e.g. `peakKw`) comes from. KeyError if the fact is unknown (null)."""
        for text, facts in self.sources.items():
            if fact in facts:
                return text
        raise KeyError(fact)

    def verified(self, fact: str) -> bool:
        """False while the source says that nobody has checked it."""
        return "unverified" not in self.source(fact)

    @model_validator(mode="after")
    def _sourced(self) -> Self:
        values = self.model_dump(by_alias=True, mode="json")
        known = {key for key, value in values.items() if value is not None and key not in _NOT_FACTS}
        listed = Counter(fact for facts in self.sources.values() for fact in facts)
        complaints = [f"no source for {fact}" for fact in sorted(known - set(listed))]
        complaints += [f"source for {fact}, which is not a known fact here" for fact in sorted(set(listed) - known)]
        complaints += [f"two sources for {fact}" for fact, count in sorted(listed.items()) if count > 1]
        if complaints:
            raise ValueError("; ".join(complaints))
        return self
