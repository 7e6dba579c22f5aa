# SPDX-License-Identifier: Apache-2.0
"""evaluate_task(): detectors, segmenters, readers and embeddings, with the figures of `nestrt eval`."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

from . import _nestrt
from ._errors import InvalidArgument, reworded
from ._files import plan_file
from ._options import UNIT_OPTIONS, reject_unknown, take_options
from ._plan import PathLike, Plan
from ._reports import Report
from ._values import check_ranges, flag, path_text


@dataclass(frozen=True)
class TaskReport(Report):
    """Accuracy of a network that is not a classifier. Figures of other tasks are None.

    n: the number of images that were evaluated.
    map, map50, map75: detection: average precision as pycocotools, over the overlaps 0.50 to 0.95, at 0.50 and 0.75.
    ar100: detection: recall with at most 100 boxes per image.
    categories: detection: the id, name and ap of each category.
    miou, pixel_accuracy: segmentation: mean intersection over union, and the fraction of correct pixels.
    classes: segmentation: the iou of each class.
    cer, exact: text: character error rate, and the fraction of texts without errors.
    recall1, recall5, recall10: retrieval: recall among the nearest 1, 5 and 10 samples.
    """

    n: int = 0
    map: Optional[float] = None
    map50: Optional[float] = None
    map75: Optional[float] = None
    ar100: Optional[float] = None
    categories: Sequence[Dict[str, Any]] = ()
    miou: Optional[float] = None
    pixel_accuracy: Optional[float] = None
    classes: Sequence[Dict[str, Any]] = ()
    cer: Optional[float] = None
    exact: Optional[float] = None
    recall1: Optional[float] = None
    recall5: Optional[float] = None
    recall10: Optional[float] = None

    def _rows(self) -> Tuple[Sequence[str], List[Sequence[Any]]]:
        columns, rows = super()._rows()
        rows += [(f"AP of {each['name']}", each["ap"]) for each in self.categories]
        rows += [(f"IoU of class {each['class']}", each["iou"]) for each in self.classes]
        return columns, rows


_OPTION = re.compile(r"(^|(?<=[ (]))--([a-z-]+)( FILE| DIR)?")


def _as_arguments(message: str) -> str:
    """Replaces the options of the command in a message: --labels FILE by labels=."""
    return _OPTION.sub(lambda match: match[2].replace("-", "_") + ("=" if match[3] else ""), message)


def evaluate_task(
    task: str,
    plan: Union[Plan, PathLike, bytes],
    images: PathLike,
    labels: Optional[PathLike] = None,
    *,
    class_names: Optional[PathLike] = None,
    offset: int = 0,
    limit: int = 0,
    boxes: str = "auto",
    category_ids: bool = False,
    min_score: float = 0.001,
    max_overlap: float = 0.7,
    ignore_class: int = 255,
    blank: int = 0,
    progress: Optional[Callable[[str, int, int], None]] = None,
    **unit_options: Any,
) -> TaskReport:
    """Measures the accuracy of a network that is not a classifier, like `nestrt eval --task`.

    task: "detection", "segmentation", "text" (CTC networks) or "retrieval" (embeddings). evaluate() is for classifiers.
    images: a folder of images or .npy inputs, or a text file with such paths. Images are preprocessed as the plan
        states and fill the plan's batch.
    labels: detection: a file of COCO annotations; segmentation: a folder of masks with the images' names; text: a file
        with lines file<TAB>text; retrieval: a file with lines file<TAB>class, or None for the folders of the images.
    class_names: a file with one name per line; text: the characters, with or without the blank.
    offset: added to the plan's class indices (detection), or the class number in the labels minus the index.
    limit: use at most N images, evenly spaced over all of them; 0 uses all.
    boxes: detection: form of the outputs: "auto", "rows", "yolo", "yolo_objectness" or "ssd".
    category_ids: detection: classes plus `offset` are category ids instead of positions among the sorted ids.
    min_score: detection: ignore boxes with lower scores.
    max_overlap: detection: overlap above which only the best of several boxes of a class is kept.
    ignore_class: segmentation: class of pixels that do not count.
    blank: text: class of the blank; -1 is the last.
    progress: called with ("images", done, total).
    unit_options: those of Units, and schedule, split, partition, cost_file and check_every of Session.

    Raises InvalidArgument, NotFound. KeyboardInterrupt ends the work.
    """
    for name, value, known in (("task", task, _nestrt.TASKS), ("boxes", boxes, _nestrt.BOX_FORMS)):
        if value not in known:
            raise InvalidArgument(f"{name}: expected one of {', '.join(known)}, got {value!r}", "evaluate_task")
    check_ranges({"offset": (offset, -(10**9), 10**9), "limit": (limit, 0, 10**9), "min_score": (min_score, 0.0, 1.0),
                  "max_overlap": (max_overlap, 0.0, 1.0), "ignore_class": (ignore_class, -(10**9), 10**9),
                  "blank": (blank, -(10**9), 10**9)})
    units = take_options(unit_options, UNIT_OPTIONS)
    reject_unknown(unit_options, "evaluate_task")
    options = {"task": task, "images": path_text(images), "labels": labels and path_text(labels),
               "class_names": class_names and path_text(class_names), "offset": int(offset), "boxes": boxes,
               "category_ids": flag("category_ids", category_ids), "min_score": float(min_score),
               "max_overlap": float(max_overlap), "ignore_class": int(ignore_class), "blank": int(blank)}
    with plan_file(plan) as path, reworded(_as_arguments):
        return TaskReport._of(json.loads(_nestrt.evaluate_task(path, options, units, int(limit), progress)))
