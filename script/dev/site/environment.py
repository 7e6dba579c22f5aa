# SPDX-License-Identifier: Apache-2.0
"""A private Python environment with the pinned packages of toolchains/requirements-docs.txt, in ${XDG_CACHE_HOME:-~/.cache}/nestrt."""

import fcntl
import os
import pathlib
import shutil
import subprocess
import sys
import venv

REQUIREMENTS = pathlib.Path(__file__).resolve().parents[3] / "toolchains" / "requirements-docs.txt"


def is_ready(folder):
    """Returns whether the folder holds a complete installation of exactly these versions."""
    marker = folder / "ready.txt"
    return marker.is_file() and marker.read_bytes() == REQUIREMENTS.read_bytes()


def install(folder):
    shutil.rmtree(folder, ignore_errors=True)
    print("installing MkDocs in", folder, file=sys.stderr)
    venv.create(folder, with_pip=True)
    pip = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--requirement", REQUIREMENTS], check=True, stdin=subprocess.DEVNULL, stdout=sys.stderr)
    shutil.copyfile(REQUIREMENTS, folder / "ready.txt")


def environment():
    """Returns the environment's folder. Installs the packages first if they are missing. Safe to call concurrently."""
    base = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "nestrt"
    folder = base / "docs-venv"
    if not is_ready(folder):
        base.mkdir(parents=True, exist_ok=True)
        with open(base / "docs-venv.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not is_ready(folder):
                install(folder)
    return folder
