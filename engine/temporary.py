"""A folder for the temporary files of one run of the engine, gone with the run however it ends.

pulumi-kubernetes 4.25 writes the kubeconfig to $TMPDIR/kubeconfigNNN at each start and never removes it.
"""

from __future__ import annotations

import os
import shutil
import tempfile

from engine.errors import EngineError


def private_tmp() -> str:
    """Makes the folder (mode 700, a short name: sockets in it have 107 characters) and returns it.

    A process in a session of its own removes it when this one, which may become another program, and what that started are
    gone: they hold the other end of a pipe, which kill -9 closes, too. Raises EngineError (ENGINE-015).
    """
    try:
        folder = tempfile.mkdtemp(prefix="railyard-")
    except OSError as error:
        where = f"TMPDIR ({os.environ.get('TMPDIR') or 'not set: /tmp'})"
        fix = "free some space there, or set TMPDIR to a folder of your own"
        raise EngineError("ENGINE-015", where, str(error), "a folder for temporary files in it", fix) from None
    ours, theirs = os.pipe()
    if os.fork() == 0:
        try:
            _sweep(folder, ours)
        finally:
            os._exit(0)
    os.close(ours)
    os.set_inheritable(theirs, True)
    return folder


def _sweep(folder: str, ours: int) -> None:
    """Nothing of the run is kept open but our end of the pipe: whoever reads its output is not kept waiting."""
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)
    os.dup2(ours, 3)
    os.closerange(4, os.sysconf("SC_OPEN_MAX"))
    os.read(3, 1)
    shutil.rmtree(folder, ignore_errors=True)
