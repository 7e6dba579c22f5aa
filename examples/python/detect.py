#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds faces or text in images: detect.py [--svg FOLDER] [--calibrate FOLDER] MODEL IMAGE...

Compiles an ONNX detector in floating point and for 8-bit integers, prints the boxes that both find, and how well they
match. --calibrate selects the calibration images. By default the images themselves are used, which overestimates the
match. The detector is identified by its outputs:

    yunet_n_320_320.onnx                            faces, OpenCV's YuNet
    ultraface-version-RFB-320_simplified.onnx       faces, UltraFace
    ch_PP-OCRv4_det_infer.onnx                      lines of text, PP-OCR

Boxes are printed as x, y, width and height, as fractions of the image size. --svg writes each image with its boxes to
FOLDER.
"""

import argparse
import base64
import pathlib
import sys
from dataclasses import dataclass
from typing import Callable, Dict, List, Tuple

import numpy as np

import nestrt

Outputs = Dict[str, np.ndarray]
MIN_OVERLAP = 0.5  # minimum intersection over union of matching boxes, as in PASCAL VOC


@dataclass(frozen=True)
class Boxes:
    """Detected boxes.

    corners: N x 4: left, top, right, bottom as fractions of the image size.
    scores: N values from 0 to 1, best first.
    """

    corners: np.ndarray
    scores: np.ndarray

    def __len__(self) -> int:
        return len(self.scores)

    def where(self, kept: np.ndarray) -> "Boxes":
        """Returns the selected boxes."""
        return Boxes(self.corners[kept], self.scores[kept])


def overlaps(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Returns the intersection over union of N boxes with M boxes: N x M."""
    a, b = a[:, None], b[None, :]
    sides = np.minimum(a[..., 2:], b[..., 2:]) - np.maximum(a[..., :2], b[..., :2])
    area = lambda box: np.prod(np.maximum(box[..., 2:] - box[..., :2], 0), axis=-1)
    common = np.prod(np.maximum(sides, 0), axis=-1)
    return common / np.maximum(area(a) + area(b) - common, 1e-12)


def non_max_suppression(boxes: Boxes, min_score: float, max_overlap: float) -> Boxes:
    """Performs non-maximum suppression."""
    boxes = boxes.where(boxes.scores >= min_score)
    boxes = boxes.where(np.argsort(-boxes.scores, kind="stable"))
    shared, kept = overlaps(boxes.corners, boxes.corners), []
    for index in range(len(boxes)):
        if all(shared[index, other] <= max_overlap for other in kept):
            kept.append(index)
    return boxes.where(np.array(kept, dtype=int))


def decode_yunet(outputs: Outputs, size: Tuple[int, int]) -> Boxes:
    """Decodes YuNet.

    For each cell of three grids, the network returns the offset of the centre and the logarithm of the size, in cells.
    """
    height, width = size
    corners, scores = [], []
    for stride in (8, 16, 32):
        rows, columns = np.divmod(np.arange((height // stride) * (width // stride)), width // stride)
        box = outputs[f"bbox_{stride}"].reshape(-1, 4)
        centre = (np.stack([columns, rows], axis=1) + box[:, :2]) * stride
        half = np.exp(np.minimum(box[:, 2:], 10)) * stride / 2
        corners.append(np.concatenate([centre - half, centre + half], axis=1) / [width, height, width, height])
        scores.append(np.sqrt(np.clip(outputs[f"cls_{stride}"] * outputs[f"obj_{stride}"], 0, 1)).reshape(-1))
    return non_max_suppression(Boxes(np.concatenate(corners), np.concatenate(scores)), 0.7, 0.3)


# Sides of UltraFace's square anchors in each cell, in pixels, by stride.
ULTRAFACE_ANCHORS = {8: (10, 16, 24), 16: (32, 48), 32: (64, 96), 64: (128, 192, 256)}


def decode_ultraface(outputs: Outputs, size: Tuple[int, int]) -> Boxes:
    """Decodes UltraFace.

    For each anchor, the network returns the offset of the centre in tenths of the anchor's size, and five times the
    logarithm of the size relative to the anchor's.
    """
    height, width = size
    centres, sides = [], []
    for stride, lengths in ULTRAFACE_ANCHORS.items():
        rows, columns = (-(-length // stride) for length in size)
        y, x, side = np.meshgrid(np.arange(rows), np.arange(columns), lengths, indexing="ij")
        centres.append((np.stack([x, y], axis=-1) + 0.5).reshape(-1, 2) * stride / [width, height])
        sides.append(side.reshape(-1, 1) / [width, height])
    anchors, side = np.clip(np.concatenate(centres), 0, 1), np.clip(np.concatenate(sides), 0, 1)
    box = outputs["boxes"].reshape(-1, 4)
    centre, half = anchors + 0.1 * box[:, :2] * side, np.exp(np.minimum(0.2 * box[:, 2:], 10)) * side / 2
    corners = np.concatenate([centre - half, centre + half], axis=1)
    return non_max_suppression(Boxes(corners, outputs["scores"].reshape(-1, 2)[:, 1]), 0.7, 0.3)


def decode_text(outputs: Outputs, size: Tuple[int, int]) -> Boxes:
    """Returns the areas of a probability map above 0.3 with their mean as score; drops small or weak areas."""
    (values,) = outputs.values()
    values = values.reshape(values.shape[-2:])
    height, width = values.shape
    labels = connected(values > 0.3)
    corners, scores = [], []
    for label in range(1, labels.max() + 1):
        rows, columns = np.nonzero(labels == label)
        if len(rows) < 16 or values[rows, columns].mean() < 0.6:
            continue
        corners.append([columns.min() / width, rows.min() / height,
                        (columns.max() + 1) / width, (rows.max() + 1) / height])
        scores.append(values[rows, columns].mean())
    boxes = Boxes(np.array(corners).reshape(-1, 4), np.array(scores))
    return boxes.where(np.argsort(-boxes.scores, kind="stable"))


def connected(mask: np.ndarray) -> np.ndarray:
    """Labels connected areas from 1; 0 is outside.

    Each pixel repeatedly takes the largest label around it, until nothing changes.
    """
    labels = np.where(mask, np.arange(1, mask.size + 1).reshape(mask.shape), 0)
    while True:
        around = np.pad(labels, 1)
        spread = np.max([around[1 + y : around.shape[0] - 1 + y, 1 + x : around.shape[1] - 1 + x]
                         for y in (-1, 0, 1) for x in (-1, 0, 1)], axis=0)
        spread = np.where(mask, spread, 0)
        if np.array_equal(spread, labels):
            return np.unique(labels, return_inverse=True)[1].reshape(mask.shape) + (0 if (~mask).any() else 1)
        labels = spread


@dataclass(frozen=True)
class Detector:
    outputs: Tuple[str, ...]  # names that identify it; empty for a single map
    preprocessing: nestrt.Preprocessing
    decode: Callable[[Outputs, Tuple[int, int]], Boxes]


DETECTORS = (
    Detector(("cls_8", "obj_8", "bbox_8"), nestrt.Preprocessing(mean=(0,), scale=(1,), bgr=True), decode_yunet),
    Detector(("scores", "boxes"), nestrt.Preprocessing(mean=(127,), scale=(1 / 128,)), decode_ultraface),
    Detector((), nestrt.Preprocessing(mean=(123.675, 116.28, 103.53), scale=(0.01712475, 0.017507, 0.01742919)),
             decode_text),
)
DYNAMIC_SHAPES = {"x": (1, 3, 320, 320)}  # for models with dynamic inputs, such as PP-OCR


def shapes_of(model: str) -> Dict[str, Tuple[int, ...]]:
    """Returns the input shapes that must be given to compile the model."""
    try:
        nestrt.compile(model)
    except nestrt.InvalidArgument:
        return DYNAMIC_SHAPES
    return {}


def detector_of(plan: nestrt.Plan) -> Detector:
    """Returns the detector that matches the plan's outputs."""
    names = {output.name for output in plan.outputs}
    is_map = len(names) == 1 and len(plan.outputs[0].shape) == 4
    for detector in DETECTORS:
        if names.issuperset(detector.outputs) if detector.outputs else is_map:
            return detector
    raise SystemExit(f"detect.py: the outputs {', '.join(sorted(names))} match no detector; supported: YuNet, "
                     "UltraFace, PP-OCR")


def match(found: Boxes, expected: Boxes) -> List[float]:
    """Returns the overlaps of matching boxes, largest first.

    Each box is in at most one pair.
    """
    shared = overlaps(found.corners, expected.corners)
    pairs = []
    while shared.size and shared.max() >= MIN_OVERLAP:
        row, column = np.unravel_index(shared.argmax(), shared.shape)
        pairs.append(float(shared[row, column]))
        shared[row, :] = shared[:, column] = 0
    return pairs


def svg_of(image: pathlib.Path, boxes: Boxes) -> str:
    """Returns an SVG with the image and its boxes."""
    kind = {".png": "png", ".bmp": "bmp"}.get(image.suffix.lower(), "jpeg")
    data = base64.b64encode(image.read_bytes()).decode()
    frames = "".join(f'<rect x="{100 * x0:.2f}" y="{100 * y0:.2f}" width="{100 * (x1 - x0):.2f}" '
                     f'height="{100 * (y1 - y0):.2f}"/>' for x0, y0, x1, y1 in boxes.corners)
    return ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" preserveAspectRatio="none">'
            f'<image width="100" height="100" preserveAspectRatio="none" href="data:image/{kind};base64,{data}"/>'
            f'<g fill="none" stroke="lime" stroke-width="0.5">{frames}</g></svg>\n')


def describe(boxes: Boxes) -> str:
    """Returns the scores and positions of the boxes as text."""
    return "; ".join(f"{score:.2f} at {x0:.3f} {y0:.3f} {x1 - x0:.3f} {y1 - y0:.3f}"
                     for (x0, y0, x1, y1), score in zip(boxes.corners, boxes.scores)) or "nothing"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--svg", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--calibrate", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("model")
    parser.add_argument("images", nargs="+", type=pathlib.Path, metavar="IMAGE")
    options = parser.parse_args()

    shapes = shapes_of(options.model)
    detector = detector_of(nestrt.compile(options.model, input_shapes=shapes))
    how = {"input_shapes": shapes, "preprocessing": detector.preprocessing}
    plan = nestrt.compile(options.model, **how)
    size = plan.inputs[0].shape[2:]
    inputs = [plan.preprocess(image) for image in options.images]
    quantized = nestrt.compile(options.model, quantize="s8", calibration=options.calibrate or inputs, **how)

    exact, rounded = nestrt.Session(plan), nestrt.Session(quantized)
    name = plan.inputs[0].name
    expected_count, found_count, pairs = 0, 0, []
    for image, pixels in zip(options.images, inputs):
        expected = detector.decode(exact.run({name: pixels}), size)
        found = detector.decode(rounded.run({name: pixels}), size)
        print(f"{image}: {describe(expected)}\n    in 8 bits: {describe(found)}")
        expected_count, found_count = expected_count + len(expected), found_count + len(found)
        pairs += match(found, expected)
        if options.svg:
            options.svg.mkdir(parents=True, exist_ok=True)
            (options.svg / f"{image.stem}.svg").write_text(svg_of(image, expected), encoding="utf-8")
    mean = f", with a mean overlap of {np.mean(pairs):.3f}" if pairs else ""
    print(f"{len(pairs)} of {expected_count} boxes are also found in 8 bits{mean}; {found_count - len(pairs)} others")


if __name__ == "__main__":
    try:
        main()
    except (nestrt.Error, OSError) as error:
        sys.exit(f"detect.py: {error}")
