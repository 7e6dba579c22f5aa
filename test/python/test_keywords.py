# SPDX-License-Identifier: Apache-2.0
"""Tests the keyword spotting example."""

import re

import numpy as np
import pytest

from conftest import DATA, run_example

FEATURES, LABELS = DATA / "kws" / "features_int8_500x490.bin", DATA / "kws" / "labels.txt"


def recordings(tmp_path, count):
    path = tmp_path / "features.bin"
    np.zeros(count * 490, dtype=np.int8).tofile(path)
    return path


def test_features_and_labels_are_checked(model, tmp_path):
    labels = tmp_path / "labels.txt"
    for text, part in (("1\n2\n", "has 1470 bytes"), ("1\n2\n12\n", "from 0 to 11"), ("1\n2\n3\n", "expected 1 to 2")):
        labels.write_text(text)
        answer = run_example("keywords.py", model, recordings(tmp_path, 3), labels)
        assert answer.returncode == 1
        assert part in answer.stderr and "Traceback" not in answer.stderr


def test_8_bits_keep_the_accuracy_on_recordings_outside_the_calibration():
    if not FEATURES.exists():
        pytest.skip("needs the shared recordings")
    answer = run_example("keywords.py", DATA / "models" / "dscnn_kws.onnx", FEATURES, LABELS)
    assert answer.returncode == 0, answer.stderr
    f32, s8 = map(float, re.findall(r"([0-9.]+)% right", answer.stdout))
    same = float(re.search(r"the same ([0-9.]+)%", answer.stdout).group(1))
    assert f32 > 85 and s8 > f32 - 2 and same > 95
    assert "silence" in answer.stdout
