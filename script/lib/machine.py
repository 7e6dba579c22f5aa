# SPDX-License-Identifier: Apache-2.0
"""The machine that scripts measure on."""

import os
import pathlib


def cpu_name():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return "this processor"


def first_core():
    """Pins this process and its children to one core."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
