"""`python -m lab.switches.guard FOLDER`: waits until its standard input ends, that is until the process that made the
namespaces closed them or died, and removes what is left of them."""

import signal
import sys
from pathlib import Path

from lab.switches import namespaces


def main() -> int:
    # A Ctrl-C or a SIGTERM to a whole group is for the others: we leave when they have left.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    sys.stdin.buffer.read()
    namespaces.remove(namespaces.prefix(Path(sys.argv[1])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
