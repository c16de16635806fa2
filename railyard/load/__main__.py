"""`python -m railyard.load STACK FILE`, in a checkout: reads a stack's files and plans nothing. 0, or 2 with every problem.

For the engine's room, which starts this room as a process before it starts anything else.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from railyard.load import LoadError, site_config


def main(arguments: Sequence[str]) -> int:
    """Load the stack `arguments[0]` from the stack file `arguments[1]`; its inventory's path is relative to this folder."""
    stack, file = arguments
    try:
        site_config(Path.cwd(), stack, config_file=Path(file))
    except LoadError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
