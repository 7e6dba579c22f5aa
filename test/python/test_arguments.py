# SPDX-License-Identifier: Apache-2.0
"""Invalid arguments are rejected by name, and valid ones take effect."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import warnings

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import nestrt
from conftest import EXAMPLES, PIXELS, make_model

IMAGES = EXAMPLES / "images"


@pytest.fixture(scope="module")
def seen(model):
    return nestrt.calibrate(model, IMAGES, preprocessing=PIXELS)


def test_sensitivity_uses_the_preprocessing_of_the_calibration(model, seen):
    stated = nestrt.sensitivity(model, seen, IMAGES, limit=4, all_but_one=False, preprocessing=PIXELS)
    assert nestrt.sensitivity(model, seen, IMAGES, limit=4, all_but_one=False).all == stated.all
    with pytest.raises(nestrt.InvalidArgument, match="omit preprocessing="):
        nestrt.sensitivity(model, seen, IMAGES, preprocessing=nestrt.Preprocessing(mean=(1,)))


def test_sensitivity_rejects_the_calibration_of_another_model(model, seen, tmp_path):
    other = onnx.load(model)
    other.producer_name = "another"
    onnx.save(other, tmp_path / "other.onnx")
    with pytest.raises(nestrt.InvalidArgument, match="belongs to another model"):
        nestrt.sensitivity(tmp_path / "other.onnx", seen, IMAGES, limit=4)


def test_samples_with_labels_are_rejected(model):
    pixels = np.zeros((3, 32, 32), np.float32)
    for samples in ([(pixels, 0), (pixels, 1)], ((pixels, label) for label in range(2))):
        with pytest.raises(ValueError, match="expected an array for each sample, or a dict"):
            nestrt.calibrate(model, samples)


def test_the_given_method_overrides_the_method_of_a_calibration(model, seen):
    by_method = nestrt.compile(model, quantize="s8", calibration=seen, method="minmax").to_bytes()
    anew = nestrt.compile(model, quantize="s8", calibration=IMAGES, preprocessing=PIXELS, method="minmax").to_bytes()
    assert by_method == anew != nestrt.compile(model, quantize="s8", calibration=seen).to_bytes()


@pytest.mark.parametrize("option, error", [
    ({"corrections": "weights"}, "corrections: expected a list of names"),
    ({"corrections": ["foo"]}, "corrections: expected some of none, equalisation"),
    ({"keep_f32": "conv1"}, "keep_f32: expected a list of names"),
    ({"expose": "conv1"}, "expose: expected a list of names"),
    ({"per_tensor": "no"}, "per_tensor: invalid value 'no'"),
    ({"labels": "labels.tsv"}, "labels requires max_loss"),
    ({"search_samples": IMAGES}, "search_samples requires max_loss"),
    ({"search_budget": 5}, "search_budget requires max_loss"),
    ({"search_limit": 5}, "search_limit requires max_loss"),
    ({"label_offset": 1, "max_loss": 1, "search_samples": IMAGES}, "label_offset requires labels"),
    ({"corrections": ["none", "bias"]}, "'none' excludes all others"),
    ({"partial_programs": 99}, "partial_programs: expected 0 to 15"),
    ({"percentile": 99.0, "method": "mse"}, "percentile requires method='percentile'"),
    ({"input_shapes": {"image": (1, 3, 32.5, 32)}}, "a dimension of 'image': expected a whole number"),
    ({"input_shapes": "image"}, "input_shapes: expected {input: shape}"),
    ({"input_shapes": [("image", (1, 3, 32, 32))]}, "input_shapes: expected {input: shape}"),
    ({"other_shapes": [{"image": (1, 3, 32, 32)}]}, "specify each shape once"),
    ({"preprocessing": {"letterbox": True, "resize": 32}}, "letterbox and resize are mutually exclusive"),
    ({"preprocessing": {"pad": 3}}, "pad requires letterbox"),
    ({"preprocessing": {"letterbox": True, "pad": 300}}, "pad: expected 0 to 255"),
    ({"preprocessing": "x"}, "preprocessing: expected nestrt.Preprocessing or a dict of its values, got 'x'"),
    ({"bindings": "image"}, "bindings: expected {input: array}"),
    ({"preprocessing": {"resize": 12.5}}, "resize: expected a whole number"),
    ({"preprocessing": {"resize": "12"}}, "resize: expected a whole number"),
    ({"max_loss": 1}, "give search_samples="),
    ({"min_snr": 20}, "give snr_samples="),
    ({"reconstruct": True}, "give the samples as calibration="),
    ({"min_snr": 200, "snr_samples": IMAGES}, "min_snr: expected 0 to 100"),
    ({"calibration_limit": 5}, "calibration_limit requires samples"),
    ({"skip_unreadable": True}, "skip_unreadable requires samples"),
    ({"workers": 2}, "workers requires samples"),
    ({"max_loss": float("nan"), "search_samples": IMAGES}, "max_loss: expected -100"),
    ({"max_loss": 200, "search_samples": IMAGES}, "max_loss: expected -100 to 100"),
    ({"max_loss": True, "search_samples": IMAGES}, "max_loss: expected -100 to 100"),
])
def test_compile_rejects_invalid_options_by_name(model, seen, option, error):
    with pytest.raises((TypeError, ValueError), match=error):
        nestrt.compile(model, quantize="s8", calibration=seen, **option)


@pytest.mark.parametrize("option", [
    {"method": "kl"}, {"calibration_limit": 5}, {"skip_unreadable": True}, {"workers": 2}, {"keep_f32": ["conv1"]},
])
def test_quantization_options_require_quantize(model, option):
    with pytest.raises(TypeError, match="quantize='s8'"):
        nestrt.compile(model, **option)


def test_a_percentile_applies_to_saved_profiles(model, tmp_path):
    seen = nestrt.calibrate(model, IMAGES, preprocessing=PIXELS, method="percentile", percentile=99.0)
    seen.save(tmp_path / "profile.yaml")
    for calibration in (seen, tmp_path / "profile.yaml"):
        # The exponents are chosen again, as in a calibration with that percentile.
        chosen = nestrt.compile(model, quantize="s8", calibration=calibration, percentile=60.0)
        anew = nestrt.calibrate(model, IMAGES, preprocessing=PIXELS, method="percentile", percentile=60.0)
        assert chosen.to_bytes() == nestrt.compile(model, quantize="s8", calibration=anew).to_bytes()
        assert chosen.to_bytes() != nestrt.compile(model, quantize="s8", calibration=calibration).to_bytes()
    assert nestrt.Calibration(tmp_path / "profile.yaml").values == seen.values
    for percentile in (60.0, 99.99):
        loaded = nestrt.Calibration.load(tmp_path / "profile.yaml", percentile=percentile)
        anew = nestrt.calibrate(model, IMAGES, preprocessing=PIXELS, method="percentile", percentile=percentile)
        assert loaded.values == anew.values


@pytest.mark.parametrize("percentile", [0, 49.9, -5, 100.5, 1000, float("nan"), float("inf")])
def test_percentiles_outside_50_to_100_are_rejected(model, seen, samples, tmp_path, percentile):
    seen.save(tmp_path / "profile.yaml")
    how = {"method": "percentile", "percentile": percentile}
    for call in (lambda: nestrt.Calibration.load(tmp_path / "profile.yaml", **how),
                 lambda: nestrt.calibrate(model, samples, **how),
                 lambda: nestrt.compile(model, quantize="s8", calibration=seen, **how)):
        with pytest.raises(nestrt.InvalidArgument, match="percentile: expected 50 to 100, got"):
            call()


def test_the_percentile_of_a_profile_requires_the_percentile_method(seen, tmp_path):
    seen.save(tmp_path / "profile.yaml")
    assert nestrt.Calibration(tmp_path / "profile.yaml").values == seen.values
    assert nestrt.Calibration.load(tmp_path / "profile.yaml", method="percentile", percentile=90.0).values
    with pytest.raises(TypeError, match="percentile requires method='percentile'"):
        nestrt.Calibration.load(tmp_path / "profile.yaml", method="minmax", percentile=90.0)
    with pytest.raises(nestrt.InvalidArgument, match="a percentile requires method percentile; .* uses method mse"):
        nestrt.Calibration.load(tmp_path / "profile.yaml", percentile=90.0)


def test_the_shape_of_a_bound_input_must_match_its_array(two_by_two):
    bound = np.ones((1, 3), np.float32)
    for option in ({"input_shapes": {"b": (2, 3)}}, {"input_shapes": {"a": (2, 3)}, "other_shapes": [{"b": (2, 3)}]}):
        with pytest.raises(nestrt.InvalidArgument, match=r"'b' has shape \(2, 3\), but its bound array has \(1, 3\)"):
            nestrt.compile(two_by_two, bindings={"b": bound}, **option)
    bound = np.ones((2, 3), np.float32)
    assert len(nestrt.compile(two_by_two, bindings={"b": bound}, input_shapes={"b": (2, 3)}).inputs) == 1


def test_samples_can_be_iterators(model, seen, samples):
    report = nestrt.sensitivity(model, (sample for sample in samples), limit=2, all_but_one=False)
    assert report.samples == 2
    plan = nestrt.compile(model, quantize="s8", calibration=seen, search_samples=(sample for sample in samples),
                          max_loss=50, workers=1)
    assert plan.report["trials"][0]["samples"] == len(samples)


@pytest.mark.parametrize("option", [
    {"cpu_scales": [-1]}, {"cpu_scales": [0]}, {"npu_clocks_mhz": [-200]}, {"memory_mb_per_s": -5},
    {"transfer_scale": -1},
    {"wait_scale": float("nan")}, {"budget_ms": 0}, {"cpu_scales": [float("inf")]}, {"cpu_scales": [1e9]},
    {"transfer_scale": float("inf")}, {"npu_clocks_mhz": [1e12]}, {"instances": 9}, {"threads": 10**9},
])
def test_simulate_rejects_impossible_boards(plan, option):
    with pytest.raises(ValueError, match=next(iter(option))):
        nestrt.simulate(plan, **option)


def test_simulate_rejects_options_without_effect(plan):
    with pytest.raises(TypeError, match="urgent requires concurrent_plans"):
        nestrt.simulate(plan, urgent=True)
    with pytest.raises(TypeError, match="omit npu_clocks_mhz and cpu_scales"):
        nestrt.simulate(plan, concurrent_plans=["other.nest"], npu_clocks_mhz=[50])


def test_images_without_preprocessing_cause_a_warning(model):
    with pytest.warns(UserWarning, match="pixels stay 0 to 255"):
        nestrt.calibrate(model, IMAGES, limit=1)
    with pytest.warns(UserWarning, match="pixels stay 0 to 255"):
        nestrt.compile(model, quantize="s8", calibration=IMAGES, calibration_limit=1)
    image = sorted(IMAGES.glob("*.png"))[0]
    with pytest.warns(UserWarning, match="the plan states no preprocessing"):
        nestrt.compile(model).preprocess(image)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nestrt.compile(model, preprocessing={"mean": 128}).preprocess(image)
        nestrt.compile(model).preprocess(image, preprocessing={"mean": 128})


def test_samples_that_are_not_finite_numbers_are_rejected(model, seen, samples):
    nothing = np.full_like(samples, np.nan)
    with pytest.raises(nestrt.InvalidArgument, match="not finite"):
        nestrt.compile(model, quantize="s8", calibration=seen, max_loss=50, search_samples=nothing)
    with pytest.raises(nestrt.InvalidArgument, match="not finite"):
        nestrt.sensitivity(model, seen, nothing, workers=1)
    with pytest.raises(nestrt.NotFound, match="a.png"):
        nestrt.calibrate(model, ["a.png", "b.png"])
    with pytest.raises(TypeError, match="samples: expected arrays"):
        nestrt.calibrate(model, ["a.png", 1])
    with pytest.raises(TypeError, match="masked arrays are not supported"):
        nestrt.calibrate(model, np.ma.masked_array(samples))


def test_nan_scores_count_as_wrong(plan, samples):
    with pytest.warns(UserWarning, match="2 of 3 samples contain NaN or have NaN scores"):
        report = nestrt.evaluate(plan, np.concatenate([np.full_like(samples[:2], np.nan), samples[:1]]), [0, 0, 0])
    assert report.predictions[0] == ("[0]", [-1]) and report.n == 3 and report.top1 <= 1 / 3
    assert report.agreement(report) == 1 / 3


def test_nan_samples_count_as_wrong_in_8_bits(quantized, samples):
    with pytest.warns(UserWarning, match="2 of 2 samples contain NaN or have NaN scores"):
        assert nestrt.evaluate(quantized, np.full_like(samples[:2], np.nan), [0, 0]).top1 == 0


def test_labels_without_a_sample_cause_a_warning(plan, samples):
    with pytest.warns(UserWarning, match="1 of 3 labels match no sample and are ignored; the first is 'dgo.png'"):
        report = nestrt.evaluate(plan, samples[:2], {"[0]": 0, "[1]": 1, "dgo.png": 5})
    assert report.n == 2 and report.interval[1] <= 1


def test_nan_scores_do_not_agree_with_any_class(model, quantized, cat):
    checked = nestrt.check(model, quantized, {"image": np.full_like(cat, np.nan)})
    assert not checked.matches and checked.outputs[0]["rows_agreeing"] == 0


def test_check_rejects_empty_inputs(model, plan, tmp_path, samples):
    for inputs in (tmp_path, samples[:0]):
        with pytest.raises(ValueError, match="the inputs are empty|have no .jpg"):
            nestrt.check(model, plan, inputs)
    for option in ({"random_runs": 0}, {"tolerance": -1.0}, {"seed": -1}):
        with pytest.raises(ValueError, match=next(iter(option))):
            nestrt.check(model, plan, **option)


def test_samples_of_another_shape_are_rejected(plan, samples, tmp_path):
    swapped = np.ascontiguousarray(samples.transpose(0, 2, 3, 1))
    np.save(tmp_path / "a.npy", swapped[0])
    for given in (swapped, tmp_path):
        with pytest.raises(nestrt.InvalidArgument, match="samples: input 'image' expects shape 1x3x32x32, got 32x32x3"):
            nestrt.evaluate(plan, given)


def test_invalid_labels_are_rejected(model, plan, samples, tmp_path):
    with pytest.raises(nestrt.InvalidArgument, match="class 1000 is out of range; the plan has classes 0 to 9"):
        nestrt.evaluate(plan, samples, [1000] * len(samples))
    labels = tmp_path / "labels.tsv"
    labels.write_text("not a label\n")
    with pytest.raises(nestrt.InvalidArgument, match="line 1: expected image<TAB>class"):
        nestrt.evaluate(plan, IMAGES, labels)
    for text, error in (("cat.png\t3\ndog.png\tdog\n", "line 2: expected image<TAB>class"),
                        ("cat.png\t3\ncat.png\t4\n", "line 2: 'cat.png' already has another class")):
        labels.write_text(text)
        with pytest.raises(nestrt.InvalidArgument, match=error):
            nestrt.evaluate(plan, IMAGES, labels)
    with pytest.raises(TypeError, match="a class: expected a whole number, got 0.9"):
        nestrt.evaluate(plan, samples[:1], [0.9])
    with pytest.raises(nestrt.InvalidArgument, match=r"rows of an array are named '\[0\]'"):
        nestrt.evaluate(plan, samples, {"cat.png": 3})
    labels.write_bytes("\ufefffile\tclass\ncat.png\t3\n".encode())
    assert nestrt.evaluate(plan, IMAGES, labels).n == 1
    with pytest.warns(UserWarning, match="states no preprocessing"):
        nestrt.evaluate(nestrt.compile(model), IMAGES, limit=1)


def test_array_samples_are_named_by_index(plan, samples):
    many = np.concatenate([samples, samples])
    names = [name for name, _ in nestrt.evaluate(plan, many).predictions]
    assert names == [f"[{index}]" for index in range(len(many))]
    assert [name for name, _ in nestrt.evaluate(plan, samples[:20], limit=2).predictions] == ["[0]", "[10]"]


def test_a_list_of_labels_must_cover_all_samples_despite_a_limit(plan, samples, tmp_path):
    classes = [top[0] for _, top in nestrt.evaluate(plan, samples).predictions]  # with these labels the accuracy is 1
    assert len(set(classes)) > 5
    np.save(tmp_path / "samples.npy", samples)
    for form in (samples, list(samples), (each for each in samples), tmp_path / "samples.npy", {"image": samples}):
        report = nestrt.evaluate(plan, form, np.array(classes), limit=5)
        assert report.n == 5 and report.top1 == 1
    images = [top[0] for _, top in nestrt.evaluate(plan, IMAGES).predictions]
    assert nestrt.evaluate(plan, IMAGES, images, limit=4).top1 == 1
    for count in (5, len(samples) - 1):
        message = f"labels: expected {len(samples)}, .* that limit skips, got {count}"
        with pytest.raises(nestrt.InvalidArgument, match=message):
            nestrt.evaluate(plan, samples, classes[:count], limit=5)


def test_unknown_input_names_are_reported(plan, cat):
    session = nestrt.Session(plan)
    for given in ({"img": cat}, {"image": cat, "img": cat}):
        with pytest.raises(nestrt.InvalidArgument, match="'img'"):
            session.run(given)


@pytest.mark.parametrize("options, error", [
    ({"threads": "2"}, "threads: invalid value '2'"), ({"check_every": -1}, "check_every: invalid value -1"),
    ({"unit_timeout": -1}, "unit_timeout: expected seconds"),
])
def test_invalid_session_options_are_reported_by_name(plan, options, error):
    with pytest.raises((TypeError, nestrt.InvalidArgument), match=error):
        nestrt.Session(plan, **options)


def test_preprocessing_values_have_neutral_defaults(model):
    plan = nestrt.compile(model, preprocessing=nestrt.Preprocessing(mean=(128,)))
    assert plan.inputs[0].preprocessing.scale == (1.0,) * 3
    assert nestrt.compile(model, preprocessing={"resize": 32}).inputs[0].preprocessing.mean == (0.0,) * 3


def run_module(*arguments):
    return subprocess.run([sys.executable, "-m", "nestrt", *map(str, arguments)], capture_output=True, text=True,
                          timeout=60)


def test_the_command_line_never_overwrites_its_inputs(model, tmp_path):
    copy = tmp_path / "model.onnx"
    copy.write_bytes(pathlib.Path(model).read_bytes())
    numbers = ("--mean", "128", "--workers", "1")
    for outputs in (("-o", copy), ("-o", tmp_path / "p.yaml", "--json", copy),
                    ("-o", tmp_path / "p.yaml", "--json", tmp_path / "p.yaml")):
        done = run_module("calibrate", copy, IMAGES, *outputs, *numbers)
        assert done.returncode == 2 and re.search("would (overwrite|be written twice)", done.stderr)
    assert copy.read_bytes() == pathlib.Path(model).read_bytes()
    assert not (tmp_path / "p.yaml").exists()
    done = run_module("calibrate", copy, IMAGES, "-o", tmp_path / "none" / "p.yaml", *numbers)
    assert done.returncode == 2 and "none" in done.stderr


def test_the_command_line_compiles_with_its_own_profile(model, tmp_path):
    profile, plan = tmp_path / "p.yaml", tmp_path / "m.nest"
    numbers = ("--mean", "128", "--scale", "0.015625", "--workers", "1")
    assert run_module("calibrate", model, IMAGES, "-o", profile, *numbers).returncode == 0
    by_hand = nestrt.compile(model, quantize="s8", calibration=profile).to_bytes()
    for arguments in ((IMAGES, "--calibration", profile), (profile,),
                      (IMAGES, "--calibration", profile, "--limit", "3")):
        done = run_module("compile", model, *arguments, "-o", plan)
        assert done.returncode == 0, done.stderr
        assert nestrt.Plan(plan).to_bytes() == by_hand
    done = run_module("compile", model, IMAGES, "--calibration", profile, "-o", plan, "--max-loss", "100",
                      "--limit", "2", "--workers", "1")
    assert done.returncode == 0, done.stderr


def test_computed_constants_are_limited():
    network = make_model(
        [helper.make_node("ConstantOfShape", ["shape"], ["zeros"]), helper.make_node("Exp", ["zeros"], ["ones"]),
         helper.make_node("Add", ["x", "ones"], ["y"])],
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1024, 600])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1024, 600])], [("shape", np.array([1024, 600]))])
    with pytest.raises(nestrt.InvalidModel, match="computed constants"):
        nestrt.compile(network, computed_constants=1)
    assert nestrt.compile(network, computed_constants=64).outputs[0].shape == (1024, 600)
    with pytest.raises(nestrt.InvalidArgument, match="computed_constants: expected 0 to 4096, got -1"):
        nestrt.compile(network, computed_constants=-1)


def test_the_command_line_accepts_input_options(model, tmp_path):
    done = run_module("calibrate", model, IMAGES, "-o", tmp_path / "p.yaml", "--mean", "128", "--bgr", "--letterbox",
                      "--pad", "114", "--input-shape", "image=1,3,32,32", "--workers", "1")
    assert done.returncode == 0, done.stderr
    stated = nestrt.Calibration.load(tmp_path / "p.yaml").preprocessing
    assert (stated.bgr, stated.letterbox, stated.pad) == (True, True, 114)


def test_an_interrupt_ends_the_workers(model, tmp_path, default_sigint):
    samples = tmp_path / "samples.npy"
    np.save(samples, np.zeros((20000, 3, 32, 32), np.float32))
    program = subprocess.Popen([sys.executable, "-m", "nestrt", "calibrate", str(model), str(samples), "-o",
                                str(tmp_path / "p.yaml"), "--workers", "2"], stderr=subprocess.PIPE, text=True,
                               start_new_session=True, env={**os.environ, "NESTRT_PROGRESS": "0"})
    children = pathlib.Path(f"/proc/{program.pid}/task/{program.pid}/children")
    while program.poll() is None and len(children.read_text().split()) < 2:
        time.sleep(0.05)  # until the workers are running
    if program.poll() is not None:
        pytest.skip("the work ends before it can be interrupted")
    os.killpg(program.pid, signal.SIGINT)
    assert program.wait(timeout=60) in (130, -signal.SIGINT)
    assert not (tmp_path / "p.yaml").exists()
