# SPDX-License-Identifier: Apache-2.0
"""Samples in class folders, lists of files and sequences of paths."""

import pytest

import nestrt
from conftest import EXAMPLES

IMAGES = sorted((EXAMPLES / "images").glob("*.png"))


def class_of(image):
    return image.stem.split("_")[0]


def path_in_val(image):
    return f"val/{class_of(image)}/{image.name}"


@pytest.fixture()
def val(tmp_path):
    """A folder per class, with links to the example images."""
    for image in IMAGES:
        (tmp_path / "val" / class_of(image)).mkdir(parents=True, exist_ok=True)
        (tmp_path / path_in_val(image)).symlink_to(image)
    return tmp_path / "val"


@pytest.fixture(scope="module")
def names():
    return (EXAMPLES / "images" / "labels.txt").read_text().splitlines()


def classes_of(report):
    return [classes[0] for _, classes in report.predictions]


def test_folders_lists_and_sequences_of_paths_are_the_same_samples(plan, model, val, tmp_path):
    flat = nestrt.evaluate(plan, IMAGES)
    listed = tmp_path / "val.txt"
    listed.write_text("".join(f"{path_in_val(image)}\n" for image in IMAGES))
    for samples in (val, listed, [str(image) for image in IMAGES]):
        assert classes_of(nestrt.evaluate(plan, samples)) == classes_of(flat)
        assert classes_of(nestrt.evaluate(plan, samples, workers=2)) == classes_of(flat)
    profiles = set()
    for samples in (val, listed, IMAGES):
        for workers in (None, 2):
            nestrt.calibrate(model, samples, preprocessing={"mean": [128]}, workers=workers).save(tmp_path / "p.yaml")
            profiles.add((tmp_path / "p.yaml").read_text())
    assert len(profiles) == 1


def test_labels_may_be_folders_and_names(plan, val, names):
    by_folder = nestrt.evaluate(plan, val, "folders", class_names=names)
    by_name = nestrt.evaluate(plan, IMAGES, [class_of(image) for image in IMAGES], class_names=names)
    paths = {path_in_val(image)[len("val/") :]: class_of(image) for image in IMAGES}
    by_path = nestrt.evaluate(plan, val, paths, class_names=names)
    assert by_folder.n == len(IMAGES)
    assert by_folder.top1 == by_name.top1 == by_path.top1


def test_ambiguous_labels_are_rejected_with_the_remedy(plan, val):
    with pytest.raises(nestrt.Error, match="give class_names="):
        nestrt.evaluate(plan, IMAGES, [class_of(image) for image in IMAGES])
    (val / "another").mkdir()
    (val / "another" / "1.png").symlink_to(IMAGES[0])
    with pytest.raises(nestrt.Error, match="class folders, but the plan has 10 classes; give class_names="):
        nestrt.evaluate(plan, val, "folders")
    with pytest.raises(nestrt.Error, match="is not in the folder of a class"):
        nestrt.evaluate(plan, IMAGES, "folders")


def test_missing_files_are_named(plan, tmp_path):
    with pytest.raises(nestrt.NotFound, match="absent"):
        nestrt.evaluate(plan, tmp_path / "absent")
    with pytest.raises(nestrt.NotFound, match="absent.png"):
        nestrt.evaluate(plan, [IMAGES[0], tmp_path / "absent.png"])
