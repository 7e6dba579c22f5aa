#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the Python interpreter of a private environment that contains ONNX Runtime. The environment is created if it
is missing: ${XDG_CACHE_HOME:-~/.cache}/nestrt/ort-venv, with the versions of requirements.txt.

ort_environment.py            creates it if it is missing
ort_environment.py --offline  exits with code 3 if it is missing

Exit code 1 and one line on standard error if it cannot be created. Two processes may call this at the same time.
"""

import fcntl
import os
import pathlib
import shutil
import subprocess
import sys
import venv

REQUIREMENTS = pathlib.Path(__file__).with_name("requirements.txt")


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(base) / "nestrt"


def is_ready(folder):
    """Returns whether the folder has a complete installation of exactly these versions."""
    marker = folder / "ready.txt"
    return marker.is_file() and marker.read_bytes() == REQUIREMENTS.read_bytes()


def install(folder):
    shutil.rmtree(folder, ignore_errors=True)
    print("setting up ONNX Runtime in", folder, file=sys.stderr)
    venv.create(folder, with_pip=True)
    pip = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--requirement", REQUIREMENTS], check=True, stdin=subprocess.DEVNULL, stdout=sys.stderr)
    shutil.copyfile(REQUIREMENTS, folder / "ready.txt")


def main():
    folder = cache_folder() / "ort-venv"
    if not is_ready(folder):
        if "--offline" in sys.argv[1:]:
            return 3
        folder.parent.mkdir(parents=True, exist_ok=True)
        with open(folder.parent / "ort-venv.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not is_ready(folder):
                install(folder)
    print(folder / "bin" / "python")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, subprocess.SubprocessError) as error:
        print("ONNX Runtime cannot be installed:", error, file=sys.stderr)
        sys.exit(1)
