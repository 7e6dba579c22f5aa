# SPDX-License-Identifier: Apache-2.0
"""Tests the detection example: its decoders, and its boxes on real images."""

import importlib.util
import os
import shutil
import sys

import numpy as np
import pytest

from conftest import DATA, EXAMPLES, run_example


@pytest.fixture(scope="module")
def detect():
    spec = importlib.util.spec_from_file_location("detect", EXAMPLES / "python" / "detect.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["detect"] = module  # dataclasses look up their module here
    spec.loader.exec_module(module)
    return module


def boxes_of(detect, *rows):
    """Returns boxes from rows of corners and score."""
    table = np.array(rows, dtype=float).reshape(-1, 5)
    return detect.Boxes(table[:, :4], table[:, 4])


def test_overlap_is_intersection_over_union(detect):
    a = np.array([[0, 0, 2, 2], [0, 0, 0, 0]])
    b = np.array([[0, 0, 2, 2], [1, 1, 3, 3], [2, 2, 3, 3]])
    assert np.allclose(detect.overlaps(a, b), [[1, 1 / 7, 0], [0, 0, 0]])


def test_non_max_suppression_keeps_the_best_box(detect):
    boxes = boxes_of(detect, [0, 0, 1, 1, 0.8], [0, 0, 1, 0.9, 0.9], [2, 2, 3, 3, 0.75], [5, 5, 6, 6, 0.5])
    assert detect.non_max_suppression(boxes, 0.7, 0.3).scores.tolist() == [0.9, 0.75]


def test_each_box_is_matched_once(detect):
    expected = boxes_of(detect, [0, 0, 1, 1, 0.9], [2, 2, 3, 3, 0.9])
    found = boxes_of(detect, [0, 0, 1, 0.9, 0.9], [0, 0, 1, 1, 0.8], [7, 7, 8, 8, 0.7])
    assert detect.match(found, expected) == [1.0]
    assert detect.match(boxes_of(detect), expected) == []


def test_yunet_boxes_are_relative_to_grid_cells(detect):
    outputs = {}
    for stride in (8, 16, 32):
        cells = (64 // stride) ** 2
        for name, width in (("cls", 1), ("obj", 1), ("bbox", 4)):
            outputs[f"{name}_{stride}"] = np.zeros((1, cells, width), np.float32)
    cell = 1 * 4 + 2  # row 1, column 2 of 4 x 4 cells of 16 pixels
    outputs["cls_16"][0, cell], outputs["obj_16"][0, cell] = 0.81, 1
    outputs["bbox_16"][0, cell] = [0.5, 0.25, np.log(2), 0]
    (box,), (score,) = (lambda found: (found.corners, found.scores))(detect.decode_yunet(outputs, (64, 64)))
    assert score == pytest.approx(0.9)
    assert np.allclose(box, np.array([40 - 16, 20 - 8, 40 + 16, 20 + 8]) / 64)


def test_ultraface_boxes_are_relative_to_anchors(detect):
    scores, boxes = np.zeros((1, 4420, 2), np.float32), np.zeros((1, 4420, 4), np.float32)
    cell = 3600 + (2 * 20 + 5) * 2 + 1  # 16 pixels, row 2, column 5, the box of 48 pixels
    scores[0, cell] = [0.1, 0.9]
    boxes[0, cell] = [1, 0, 5 * np.log(2), 0]
    (box,) = detect.decode_ultraface({"scores": scores, "boxes": boxes}, (240, 320)).corners
    assert np.allclose(box * [320, 240, 320, 240], [88 + 4.8 - 48, 40 - 24, 88 + 4.8 + 48, 40 + 24], atol=1e-3)


def test_text_boxes_are_connected_areas(detect):
    values = np.zeros((1, 1, 20, 40), np.float32)
    values[..., 2:6, 3:20] = 0.9
    values[..., 5:9, 20:24] = 0.9  # adjoins the first at a corner
    values[..., 12:18, 30:40] = 0.7
    values[..., 15, 2] = 1  # a speck
    found = detect.decode_text({"map": values}, (20, 40))
    assert np.allclose(found.corners * [40, 20, 40, 20], [[3, 2, 24, 9], [30, 12, 40, 18]])
    assert np.allclose(found.scores, [0.9, 0.7])
    assert len(detect.decode_text({"map": np.ones((1, 1, 8, 8))}, (8, 8))) == 1
    assert len(detect.decode_text({"map": np.zeros((1, 1, 8, 8))}, (8, 8))) == 0


def test_unknown_detectors_are_rejected(model):
    answer = run_example("detect.py", model, EXAMPLES / "images" / "cat.png")
    assert answer.returncode == 1
    assert "no detector" in answer.stderr


@pytest.mark.parametrize("name", ["yunet_n_320_320", "ultraface-version-RFB-320_simplified"])
def test_the_8_bit_detector_finds_faces_in_images_outside_the_calibration(name, tmp_path):
    network, images = DATA / "models" / f"{name}.onnx", [DATA / "images" / f"ultraface_{i}.jpg" for i in (1, 2, 5)]
    if not network.exists():
        pytest.skip("needs ../shared/data")
    others = tmp_path / "others"
    others.mkdir()
    for path in (DATA / "images").glob("coral_*.[jb]*"):
        shutil.copy(path, others)
    answer = run_example("detect.py", "--svg", tmp_path, "--calibrate", others, network, *images)
    assert answer.returncode == 0, answer.stderr
    matched, _, expected, *_ = answer.stdout.splitlines()[-1].split()
    assert int(expected) >= 40  # a crowd, four faces, and one face
    assert int(matched) >= 0.95 * int(expected)
    assert (tmp_path / "ultraface_5.svg").read_text().count("<rect") == 1
