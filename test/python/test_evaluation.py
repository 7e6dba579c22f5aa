# SPDX-License-Identifier: Apache-2.0
"""Figures of evaluate() and evaluate_task(), compared with NumPy."""

import json

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import nestrt

TOLERANCE = 1e-6


def identity(path, shape):
    """Compiles a network that returns its input."""
    info = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in ("x", "y")]
    graph = helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "identity", info[:1], info[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    onnx.checker.check_model(model)
    return nestrt.compile(model, path)


def save(folder, arrays):
    folder.mkdir(parents=True, exist_ok=True)
    for index, array in enumerate(arrays):
        np.save(folder / f"{index:03}.npy", array.astype(array.dtype if array.dtype.kind == "i" else np.float32))
    return folder


@pytest.fixture()
def random():
    return np.random.default_rng(1)


def test_figures_of_classes_equal_numpys(tmp_path, random):
    scores = random.random((200, 4), np.float32)
    labels = random.integers(0, 4, 200)
    labels[:60] = scores[:60].argmax(1)
    plan = identity(tmp_path / "plan.nest", [1, 4])
    for workers in (None, 2):
        report = nestrt.evaluate(plan, scores, labels + 5, offset=5, workers=workers)
        found = scores.argmax(1)
        matrix = np.zeros((4, 4), int)
        np.add.at(matrix, (labels, found), 1)
        right, true, predicted = np.diag(matrix), matrix.sum(1), matrix.sum(0)
        assert report.top1 == pytest.approx((found == labels).mean(), abs=TOLERANCE)
        assert report.balanced_accuracy == pytest.approx((right / true).mean(), abs=TOLERANCE)
        assert report.macro_f1 == pytest.approx((2 * right / (true + predicted)).mean(), abs=TOLERANCE)
        assert [each["class"] for each in report.classes] == [5, 6, 7, 8]
        assert [each["top1"] for each in report.classes] == pytest.approx(right / true, abs=TOLERANCE)
        assert [each["precision"] for each in report.classes] == pytest.approx(right / predicted, abs=TOLERANCE)
        counted = {(each["class"] - 5, each["found"] - 5): each["n"] for each in report.confusion}
        assert counted == {(a, b): matrix[a, b] for a in range(4) for b in range(4) if matrix[a, b]}


def test_classes_have_the_names_of_their_folders(tmp_path):
    for index, name in enumerate(("no", "stop", "yes")):
        save(tmp_path / "words" / name, [np.eye(3)[[index]], np.eye(3)[[0]]])
    plan = identity(tmp_path / "plan.nest", [1, 3])
    report = nestrt.evaluate(plan, tmp_path / "words", "folders")
    assert [(each["name"], each["top1"]) for each in report.classes] == [("no", 1), ("stop", 0.5), ("yes", 0.5)]


@pytest.mark.parametrize("batch", [1, 4])
def test_segmentation_equals_numpy(batch, tmp_path, random):
    scores = random.random((10, 5, 6, 7), np.float32)
    masks = random.integers(0, 5, (10, 6, 7)).astype(np.int32)
    masks[:5] = scores[:5].argmax(1)
    masks[:, 0, :2] = 255
    plan = identity(tmp_path / "plan.nest", [batch, 5, 6, 7])
    report = nestrt.evaluate_task("segmentation", plan, save(tmp_path / "images", scores),
                                  save(tmp_path / "masks", masks))
    used, found = masks != 255, scores.argmax(1)
    iou = [(used & (masks == c) & (found == c)).sum() / (used & ((masks == c) | (found == c))).sum() for c in range(5)]
    assert report.n == 10
    assert report.miou == pytest.approx(np.mean(iou), abs=TOLERANCE)
    assert [each["iou"] for each in report.classes] == pytest.approx(iou, abs=TOLERANCE)
    assert report.pixel_accuracy == pytest.approx((masks == found)[used].mean(), abs=TOLERANCE)


def recall(embeddings, labels, nearest):
    unit = embeddings / np.linalg.norm(embeddings, axis=1, keepdims=True)
    similarity = unit @ unit.T
    np.fill_diagonal(similarity, -np.inf)
    order = np.argsort(-similarity, axis=1, kind="stable")[:, :nearest]
    return (labels[order] == labels[:, None]).any(1).mean()


def test_retrieval_equals_numpy(tmp_path, random):
    embeddings = random.standard_normal((60, 8)).astype(np.float32)
    labels = np.arange(60) % 12
    lines = [f"{index:03}.npy\t{label}\n" for index, label in enumerate(labels)]
    (tmp_path / "labels.tsv").write_text("".join(lines))
    progress = []
    report = nestrt.evaluate_task("retrieval", identity(tmp_path / "plan.nest", [4, 8]),
                                  save(tmp_path / "images", embeddings), tmp_path / "labels.tsv",
                                  progress=lambda *step: progress.append(step))
    for nearest, value in ((1, report.recall1), (5, report.recall5), (10, report.recall10)):
        assert value == pytest.approx(recall(embeddings.astype(np.float64), labels, nearest), abs=TOLERANCE)
    assert progress[0] == ("images", 4, 60) and progress[-1] == ("images", 60, 60)


def test_text_of_ctc_networks_is_compared(tmp_path):
    paths = ([1, 1, 0, 2], [2, 0, 2, 1], [0, 0, 0, 0])  # "ab", "bba", ""; 0 is the blank
    save(tmp_path / "images", [np.eye(3)[list(path)] for path in paths])
    (tmp_path / "texts.tsv").write_text("000.npy\tab\n001.npy\taba\n002.npy\tb\n")
    (tmp_path / "letters.txt").write_text("a\nb\n")
    report = nestrt.evaluate_task("text", identity(tmp_path / "plan.nest", [2, 4, 3]), tmp_path / "images",
                                  tmp_path / "texts.tsv", class_names=tmp_path / "letters.txt")
    assert report.cer == pytest.approx(2 / 6, abs=TOLERANCE)
    assert report.exact == pytest.approx(1 / 3, abs=TOLERANCE)


def write_image(path, channels):
    """Writes a BMP of two pixels next to each other from [3, 2] values of red, green and blue."""
    sizes = [number.to_bytes(4, "little") for number in (62, 0, 54, 40, 2, 1)]
    row = np.asarray(channels, np.uint8)[::-1].T.tobytes() + bytes(2)
    path.write_bytes(b"BM" + b"".join(sizes) + bytes([1, 0, 24, 0]) + bytes(24) + row)


def test_detection_scores_boxes(tmp_path):
    """The average precision of one right box for two objects is 1 up to a recall of 0.5: 51 of 101 recalls."""
    info = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
            for name, shape in (("x", [1, 3, 1, 2]), ("y", [1, 1, 6]))]
    shape = helper.make_tensor("shape", TensorProto.INT64, [3], [1, 1, 6])
    node = helper.make_node("Reshape", ["x", "shape"], ["y"])
    model = helper.make_model(helper.make_graph([node], "boxes", info[:1], info[1:], [shape]),
                              opset_imports=[helper.make_opsetid("", 13)])
    plan = nestrt.compile(model, preprocessing=nestrt.Preprocessing(mean=(0,)))
    (tmp_path / "images").mkdir()
    # left, top, right, bottom, score, class
    write_image(tmp_path / "images" / "a.bmp", [[0, 0], [2, 1], [200, 0]])
    write_image(tmp_path / "images" / "b.bmp", [[0, 0], [0, 0], [100, 0]])
    labels = {"images": [{"id": 1, "file_name": "a.bmp"}, {"id": 2, "file_name": "b.bmp"}],
              "categories": [{"id": 3, "name": "cat"}],
              "annotations": [{"image_id": 1, "category_id": 3, "bbox": [0, 0, 2, 1]},
                              {"image_id": 2, "category_id": 3, "bbox": [1, 0, 1, 1]}]}
    (tmp_path / "coco.json").write_text(json.dumps(labels))
    report = nestrt.evaluate_task("detection", plan, tmp_path / "images", tmp_path / "coco.json")
    assert report.n == 2
    assert report.map == pytest.approx(51 / 101, abs=TOLERANCE)
    assert report.categories[0]["name"] == "cat" and report.categories[0]["ap"] == report.map
    one = nestrt.evaluate_task("detection", plan, tmp_path / "images", tmp_path / "coco.json", limit=1)
    assert (one.n, one.map) == (1, pytest.approx(1, abs=TOLERANCE))


def test_invalid_arguments_name_the_remedy(tmp_path):
    plan = identity(tmp_path / "plan.nest", [1, 3])
    with pytest.raises(nestrt.InvalidArgument, match="task: expected one of detection, segmentation"):
        nestrt.evaluate_task("classes", plan, tmp_path)
    with pytest.raises(nestrt.InvalidArgument, match="boxes: expected one of auto, rows"):
        nestrt.evaluate_task("detection", plan, tmp_path, boxes="coco")
    with pytest.raises(nestrt.InvalidArgument, match="detection requires labels="):
        nestrt.evaluate_task("detection", plan, tmp_path)
    with pytest.raises(TypeError, match="batch"):
        nestrt.evaluate_task("retrieval", plan, tmp_path, batch=4)
    with pytest.raises(nestrt.InvalidArgument, match="max_overlap"):
        nestrt.evaluate_task("detection", plan, tmp_path, max_overlap=float("nan"))
