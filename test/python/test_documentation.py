# SPDX-License-Identifier: Apache-2.0
"""Runs the Python samples of the documentation."""

import re
import subprocess
import sys

import pytest
from conftest import EXAMPLES

PAGES = ["README.md", "docs/how-to/python.md"]
SAMPLE = re.compile(r"^<!-- run -->\n```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES)
def test_marked_samples_run(page, tmp_path):
    path = EXAMPLES.parent / page
    if not path.is_file():
        pytest.skip(f"{page} does not exist next to the examples")
    (tmp_path / "examples").symlink_to(EXAMPLES)
    samples = SAMPLE.findall(path.read_text())
    assert samples
    for sample in samples:
        subprocess.run([sys.executable, "-c", sample], cwd=tmp_path, check=True, timeout=300)
