"""Arguments that cannot be meant are refused by their names; those that can are not ignored."""

import os
import pathlib
import signal
import subprocess
import sys

import numpy as np
import pytest

import nestrt
from conftest import EXAMPLES, PIXELS

IMAGES = EXAMPLES / "images"


@pytest.fixture(scope="module")
def seen(model):
    return nestrt.calibrate(model, IMAGES, preprocessing=PIXELS)


def test_sensitivity_goes_by_the_preprocessing_of_the_calibration(model, seen):
    stated = nestrt.sensitivity(model, seen, IMAGES, limit=4, all_but_one=False, preprocessing=PIXELS)
    assert nestrt.sensitivity(model, seen, IMAGES, limit=4, all_but_one=False).all == stated.all
    with pytest.raises(nestrt.InvalidArgument, match="leave preprocessing= out"):
        nestrt.sensitivity(model, seen, IMAGES, preprocessing=nestrt.Preprocessing(mean=(1,)))


def test_a_calibration_is_used_with_the_method_that_is_asked_for(model, seen):
    by_method = nestrt.compile(model, quantize="s8", calibration=seen, method="minmax").to_bytes()
    anew = nestrt.compile(model, quantize="s8", calibration=IMAGES, preprocessing=PIXELS, method="minmax").to_bytes()
    assert by_method == anew != nestrt.compile(model, quantize="s8", calibration=seen).to_bytes()


@pytest.mark.parametrize("option, error", [
    ({"corrections": "weights"}, "corrections: expected a list of names"),
    ({"corrections": ["foo"]}, "corrections: expected some of none, equalisation"),
    ({"keep_f32": "conv1"}, "keep_f32: expected a list of names"),
    ({"expose": "conv1"}, "expose: expected a list of names"),
    ({"per_tensor": "no"}, "per_tensor: it does not take 'no'"),
    ({"labels": "labels.tsv"}, "go with max_loss"),
    ({"search_samples": IMAGES}, "go with max_loss"),
    ({"max_loss": 1}, "give search_samples="),
    ({"max_loss": float("nan"), "search_samples": IMAGES}, "max_loss: expected points"),
])
def test_what_compile_cannot_take_is_refused_by_name(model, seen, option, error):
    with pytest.raises((TypeError, ValueError), match=error):
        nestrt.compile(model, quantize="s8", calibration=seen, **option)


def test_iterators_are_samples_too(model, seen, samples):
    report = nestrt.sensitivity(model, (sample for sample in samples), limit=2, all_but_one=False)
    assert report.samples == 2
    plan = nestrt.compile(model, quantize="s8", calibration=seen, search_samples=(sample for sample in samples),
                          max_loss=50, workers=1)
    assert plan.report["trials"][0]["samples"] == len(samples)


@pytest.mark.parametrize("option", [
    {"cpu_scales": [-1]}, {"cpu_scales": [0]}, {"npu_clocks_mhz": [-200]}, {"memory_mb_per_s": -5}, {"hand_over": -1},
    {"waiting": float("nan")}, {"budget_ms": 0},
])
def test_a_board_that_cannot_be_is_not_simulated(plan, option):
    with pytest.raises(ValueError, match=next(iter(option))):
        nestrt.simulate(plan, **option)


def test_inputs_that_are_none_are_not_checked(model, plan, tmp_path, samples):
    for inputs in (tmp_path, samples[:0]):
        with pytest.raises(ValueError, match="the inputs are empty"):
            nestrt.check(model, plan, inputs)
    for option in ({"random_runs": 0}, {"tolerance": -1.0}, {"seed": -1}):
        with pytest.raises(ValueError, match=next(iter(option))):
            nestrt.check(model, plan, **option)


def test_samples_of_another_shape_are_not_reshaped(plan, samples, tmp_path):
    swapped = np.ascontiguousarray(samples.transpose(0, 2, 3, 1))
    np.save(tmp_path / "a.npy", swapped[0])
    for given in (swapped, tmp_path):
        with pytest.raises(nestrt.InvalidArgument, match="a sample is 32x32x3; input 'image' takes 1x3x32x32"):
            nestrt.evaluate(plan, given)


def test_labels_are_looked_at(model, plan, samples, tmp_path):
    with pytest.raises(nestrt.InvalidArgument, match="class 1000 is none of the plan's, 0 to 9"):
        nestrt.evaluate(plan, samples, [1000] * len(samples))
    labels = tmp_path / "labels.tsv"
    labels.write_text("nothing of use\n")
    with pytest.raises(nestrt.InvalidArgument, match="no line picture<TAB>class"):
        nestrt.evaluate(plan, IMAGES, labels)
    labels.write_text("cat.png\t3\n")
    assert nestrt.evaluate(plan, IMAGES, labels).n == 1
    with pytest.warns(UserWarning, match="states no preprocessing"):
        nestrt.evaluate(nestrt.compile(model), IMAGES, limit=1)


def test_samples_of_an_evaluation_are_named_by_where_they_are(plan, samples):
    many = np.concatenate([samples, samples])
    names = [name for name, _ in nestrt.evaluate(plan, many).predictions]
    assert names == [f"[{index}]" for index in range(len(many))]
    assert [name for name, _ in nestrt.evaluate(plan, samples[:20], limit=2).predictions] == ["[0]", "[10]"]


def test_names_of_inputs_that_are_none_are_told(plan, cat):
    session = nestrt.Session(plan)
    for given in ({"img": cat}, {"image": cat, "img": cat}):
        with pytest.raises(nestrt.InvalidArgument, match="'img'"):
            session.run(given)


@pytest.mark.parametrize("options, error", [
    ({"threads": "2"}, "threads: it does not take '2'"), ({"check_every": -1}, "check_every: it does not take -1"),
    ({"unit_timeout": -1}, "unit_timeout: expected seconds"),
])
def test_options_of_sessions_that_cannot_be_are_told_by_name(plan, options, error):
    with pytest.raises((TypeError, nestrt.InvalidArgument), match=error):
        nestrt.Session(plan, **options)


def test_pictures_are_taken_as_they_are_where_only_one_number_is_stated(model):
    plan = nestrt.compile(model, preprocessing=nestrt.Preprocessing(mean=(128,)))
    assert plan.inputs[0].preprocessing.scale == (1.0,) * 3
    assert nestrt.compile(model, preprocessing={"resize": 32}).inputs[0].preprocessing.mean == (0.0,) * 3


def run_module(*arguments):
    return subprocess.run([sys.executable, "-m", "nestrt", *map(str, arguments)], capture_output=True, text=True,
                          timeout=60)


def test_the_module_writes_over_none_of_its_inputs(model, tmp_path):
    copy = tmp_path / "model.onnx"
    copy.write_bytes(pathlib.Path(model).read_bytes())
    numbers = ("--mean", "128", "--workers", "1")
    for outputs in (("-o", copy), ("-o", tmp_path / "p.yaml", "--json", copy),
                    ("-o", tmp_path / "p.yaml", "--json", tmp_path / "p.yaml")):
        done = run_module("calibrate", copy, IMAGES, *outputs, *numbers)
        assert done.returncode == 2 and "would be written" in done.stderr
    assert copy.read_bytes() == pathlib.Path(model).read_bytes()
    assert not (tmp_path / "p.yaml").exists()
    done = run_module("calibrate", copy, IMAGES, "-o", tmp_path / "none" / "p.yaml", *numbers)
    assert done.returncode == 2 and "none" in done.stderr


def test_the_module_takes_what_inputs_need(model, tmp_path):
    done = run_module("calibrate", model, IMAGES, "-o", tmp_path / "p.yaml", "--mean", "128", "--bgr", "--letterbox",
                      "--pad", "114", "--input-shape", "image=1,3,32,32", "--workers", "1")
    assert done.returncode == 0, done.stderr
    stated = nestrt.Calibration.load(tmp_path / "p.yaml").preprocessing
    assert (stated.bgr, stated.letterbox, stated.pad) == (True, True, 114)


def test_an_interrupt_ends_workers_too(model, tmp_path):
    samples = tmp_path / "samples.npy"
    np.save(samples, np.zeros((20000, 3, 32, 32), np.float32))
    program = subprocess.Popen([sys.executable, "-m", "nestrt", "calibrate", str(model), str(samples), "-o",
                                str(tmp_path / "p.yaml"), "--workers", "2"], stderr=subprocess.PIPE, text=True,
                               start_new_session=True, env={**os.environ, "NESTRT_PROGRESS": "0"})
    try:
        program.wait(timeout=3)
        pytest.skip("this machine is done before it can be interrupted")
    except subprocess.TimeoutExpired:
        os.killpg(program.pid, signal.SIGINT)
    assert program.wait(timeout=60) in (130, -signal.SIGINT)
    assert not (tmp_path / "p.yaml").exists()
