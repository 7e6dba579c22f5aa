# SPDX-License-Identifier: Apache-2.0
"""The programs of this source tree, for scripts that run them."""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = ROOT / "build" / "release" / "bin"
LIB = ROOT / "script" / "lib"
DATA = ROOT.parent / "shared" / "data"
A53 = ROOT.parent / "shared" / "tools" / "a53"
# The path of the running script in this tree, such as script/reports/model-report.
SCRIPT = os.path.relpath(pathlib.Path(sys.argv[0]).resolve(), ROOT)


def fail(message):
    """Ends the script with exit code 1 and an error that names it."""
    sys.exit(f"{SCRIPT}: {message}")


def run(*command, accepted=(0,), **environment):
    """Runs a program with additional environment variables and returns the process.

    Ends the script with the program's error message if the exit code is not in `accepted`.
    """
    process = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                             env={**os.environ, **environment})
    if process.returncode not in accepted:
        fail(f"{' '.join(map(str, command))}: {process.stderr.strip()[-2000:]}")
    return process


def require(program, target):
    """Ends the script if a program of build/release is missing, with the command that builds it."""
    if not program.exists():
        fail(f"{program} is missing; build it with: cmake --build build/release --target {target}")


def python_with_onnx():
    """Returns the Python of the private environment of `nestc check`, which has numpy, onnx and onnxruntime."""
    return run("python3", ROOT / "compiler-lite" / "check" / "ort_environment.py").stdout.strip()
