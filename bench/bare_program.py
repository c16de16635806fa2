"""The bare program: registers what a record lists (same types, parents, values, plugins), and does nothing else.

Copied beside its record.json into a project of its own; it imports nothing of railyard.
"""

import json
from pathlib import Path
from typing import Any

import pulumi


def options(row: dict[str, Any], made: list[pulumi.Resource]) -> pulumi.ResourceOptions:
    """Parent, explicit provider and plugin version as recorded."""
    parent = made[row["parent"]] if row["parent"] is not None else None
    provider = made[row["provider"]] if row["provider"] is not None else None
    return pulumi.ResourceOptions(parent=parent, provider=provider, version=row["version"] or None)  # type: ignore[arg-type]


def register(row: dict[str, Any], opts: pulumi.ResourceOptions) -> pulumi.Resource:
    """One resource."""
    kind, name, props = row["type"], row["name"], row["props"]
    if kind.startswith("pulumi:providers:"):
        return pulumi.ProviderResource(kind.rpartition(":")[2], name, props, opts)
    if row["custom"]:
        return pulumi.CustomResource(kind, name, props, opts)
    component = pulumi.ComponentResource(kind, name, props, opts)
    if row["outputs"]:
        component.register_outputs(props)
    return component


def main() -> None:
    """In the order of the record: parents and providers come first."""
    made: list[pulumi.Resource] = []
    for row in json.loads((Path(__file__).parent / "record.json").read_bytes()):
        made.append(register(row, options(row, made)))


if __name__ == "__main__":
    main()
