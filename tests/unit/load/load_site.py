"""A small site on disk that tests bend: change a line of the stack file or the inventory, and load it."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from railyard import load
from railyard.model.errors import LoadError, Problem

ROOT = Path(__file__).parents[3]


@dataclass
class Yard:
    root: Path

    @property
    def stack(self) -> Path:
        return self.root / "stacks" / "Pulumi.lab.yaml"

    @property
    def inventory(self) -> Path:
        return self.root / "sites" / "lab" / "inventory.yaml"

    def edit(self, old: str, new: str, *, inventory: bool = False) -> None:
        path = self.inventory if inventory else self.stack
        text = path.read_text(encoding="utf-8")
        assert old in text, old
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    def add(self, lines: str) -> None:
        """More lines below `config:`, at its top: what stands after it belongs to the engine."""
        self.edit("config:\n", f"config:\n{lines}")

    def load(self) -> load.SiteConfig:
        return load.site_config(self.root, "lab")

    def problems(self) -> tuple[Problem, ...]:
        with pytest.raises(LoadError) as error:
            self.load()
        assert str(error.value)
        return error.value.problems

    def only(self) -> Problem:
        problems = self.problems()
        assert len(problems) == 1, "\n".join(map(str, problems))
        return problems[0]


def make(root: Path) -> Yard:
    yard = Yard(root)
    for path in (yard.stack, yard.inventory):
        path.parent.mkdir(parents=True)
        path.write_text((ROOT / path.relative_to(root)).read_text(encoding="utf-8"), encoding="utf-8")
    return yard
