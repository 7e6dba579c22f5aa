"""The programs of this source tree, for scripts that run them."""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BIN = ROOT / "build" / "release" / "bin"


def run(*command, accepted=(0,), **environment):
    """What a program answers, with these variables in its environment; ends this one with its words where it fails."""
    process = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                             env={**os.environ, **environment})
    if process.returncode not in accepted:
        script = pathlib.Path(sys.argv[0]).name
        sys.exit(f"script/{script}: {' '.join(map(str, command))}: {process.stderr.strip()}")
    return process
