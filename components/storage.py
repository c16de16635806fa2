"""The parallel file system: sized and judged; targets are not formatted yet (`status: planned`)."""

import pulumi

from components.arguments import Slice
from railyard.model.plan import FileSystemPlan


class FileSystem(Slice):
    """Targets, mirror groups, quotas and mounts of the site's file system."""

    token = "railyard:storage:FileSystem"  # noqa: S105 - a Pulumi type token

    def __init__(self, file_system: FileSystemPlan, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(file_system.name, file_system.props(), opts)
        self.register_outputs(self.props)
