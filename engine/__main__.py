"""`python -m engine`: build, install and examine the tools that the program runs with."""

from __future__ import annotations

import sys

from engine.cli import main

sys.exit(main())
