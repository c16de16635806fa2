"""What planned sites that fail are made of: a path of power on each feed, air units, and the worst of a kind."""

import dataclasses

from railyard.model.failures import FailureEvent, FailureMatrix

SUPPLY = {"volts": 415, "voltageReference": "line-line"}
STRIP = "pdu-415v-60a-3ph"
COOLING = {
    "inletC": 22, "deltaK": 14, "altitudeM": 0,
    "airUnits": [{"name": "crah", "units": 3, "capacityKw": 40, "airflowM3S": 20}],
}  # fmt: skip


def feeds(letters: str, strips: int = 2) -> dict[str, object]:
    return {"feeds": [{"name": letter, "pduModel": STRIP, "pdusPerRack": strips} for letter in letters]}


def path(panel: float = 400.0, bus: float = 250.0, letters: str = "ab", **section: object) -> dict[str, object]:
    """A UPS, a panel and a busway for each row, on each feed."""
    rows = [
        row
        for feed in letters
        for row in (
            {"name": f"ups-{feed}", "kind": "ups", "feed": feed, "ratedKva": 400},
            {"name": f"panel-{feed}", "kind": "panel", "from": f"ups-{feed}", "breakerA": panel},
            {"name": f"bus-{feed}", "kind": "busway", "from": f"panel-{feed}", "breakerA": bus, "rowsEach": 1},
        )
    ]
    return {"supply": SUPPLY, "paths": rows, **section}


def worst(matrix: FailureMatrix, kind: str) -> FailureEvent:
    return next(event for event in matrix.events if event.kind == kind)


def changed(config, **models):
    """The configuration with facts of the catalogue changed: `nodes={"dgx-h100": {"psus": None}}`."""
    rows = {
        shelf: {name: item.model_copy(update=facts.get(name, {})) for name, item in getattr(config.catalog, shelf).items()}
        for shelf, facts in models.items()
    }
    return dataclasses.replace(config, catalog=config.catalog.model_copy(update=rows))


def gpus_of(event: FailureEvent) -> tuple[int, int, int, int]:
    return (event.gpus_full, event.gpus_throttled, event.gpus_down, event.gpus_unknown)
