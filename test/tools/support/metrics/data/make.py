# SPDX-License-Identifier: Apache-2.0
"""Writes random boxes with crowds, ties and over 100 detections in an image, and pycocotools' figures for them.

Requires pycocotools 2.0.11 and numpy: python make.py FOLDER
"""

import copy
import json
import sys
from typing import Any, Dict, List

import numpy as np
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

CATEGORIES = [1, 3, 44]
NAMES = "ap ap50 ap75 ap_small ap_medium ap_large ar1 ar10 ar100 ar_small ar_medium ar_large".split()
random = np.random.default_rng(7)


def numbers(low: float, high: float, count: int) -> List[float]:
    return [float(value) for value in np.round(random.uniform(low, high, count), 2)]


def detection(image: int, category: int, score: float, box: List[float]) -> Dict[str, Any]:
    return {"image_id": image, "category_id": category, "score": round(score, 2), "bbox": box}


def near(box: List[float]) -> List[float]:
    moved = [round(value + float(random.normal(0, 6)), 2) for value in box]
    return moved[:2] + [max(1.0, side) for side in moved[2:]]


def random_category() -> int:
    return int(random.choice(CATEGORIES))


annotations: List[Dict[str, Any]] = []
detections: List[Dict[str, Any]] = []
images = [{"id": i + 1, "file_name": f"{i}.jpg", "width": 320, "height": 240} for i in range(8)]
for image in range(1, 9):
    for _ in range(int(random.integers(0, 7))):
        category, crowd = random_category(), int(random.random() < 0.12)
        bounds = numbers(0, 120, 2) + numbers(6, 180, 2)
        area = round(bounds[2] * bounds[3] * float(random.uniform(0.5, 1)), 2)
        annotations.append({"id": len(annotations) + 1, "image_id": image, "category_id": category, "bbox": bounds,
                            "area": area, "iscrowd": crowd})
        for _ in range(int(random.integers(0, 5 if crowd else 3))):
            found = category if random.random() < 0.85 else random_category()
            detections.append(detection(image, found, float(random.random()), near(bounds)))
    for _ in range(int(random.integers(0, 4))):
        detections.append(detection(image, random_category(), float(random.random()), numbers(5, 100, 4)))
for _ in range(120):
    detections.append(detection(1, 3, float(random.random()) * 0.3, numbers(5, 100, 4)))

truth = {"images": images, "categories": [{"id": c, "name": f"class {c}"} for c in CATEGORIES],
         "annotations": annotations}
data = COCO()
data.dataset = copy.deepcopy(truth)
data.createIndex()
evaluation = COCOeval(data, data.loadRes(copy.deepcopy(detections)), "bbox")
evaluation.evaluate()
evaluation.accumulate()
evaluation.summarize()
expected: Dict[str, Any] = {name: float(value) for name, value in zip(NAMES, evaluation.stats)}
precision = evaluation.eval["precision"][:, :, :, 0, 2]
expected["ap_of_category"] = [float(np.mean(precision[:, :, k])) for k in range(len(CATEGORIES))]
for name, content in (("annotations", truth), ("detections", {"detections": detections}), ("expected", expected)):
    with open(f"{sys.argv[1]}/{name}.json", "w", encoding="utf-8") as file:
        file.write(json.dumps(content).replace("}, {", "},\n{") + "\n")
