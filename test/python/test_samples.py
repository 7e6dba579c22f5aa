# SPDX-License-Identifier: Apache-2.0
"""Tests that all forms of samples calibrate, check and evaluate a network identically."""

import numpy as np
import pytest
from onnx import TensorProto, helper

import nestrt
from conftest import EXAMPLES, make_model

COUNT = 20


@pytest.fixture(scope="module")
def model():
    """A network with the inputs image and word index, which returns scores."""
    random = np.random.default_rng(3)
    nodes = [helper.make_node("Flatten", ["image"], ["flat"]), helper.make_node("Gather", ["words", "id:0"], ["word"]),
             helper.make_node("Concat", ["flat", "word"], ["both"], axis=1),
             helper.make_node("MatMul", ["both", "weights"], ["scores"])]
    inputs = [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 3, 4, 4]),
              helper.make_tensor_value_info("id:0", TensorProto.INT64, [1])]
    outputs = [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [1, 6])]
    constants = [("words", random.normal(size=(9, 8)).astype(np.float32)),
                 ("weights", random.normal(size=(56, 6)).astype(np.float32))]
    return make_model(nodes, inputs, outputs, constants)


@pytest.fixture(scope="module")
def one_input_model():
    return EXAMPLES / "models" / "nest_squeeze_cifar10.onnx"


@pytest.fixture(scope="module")
def one_input_plan(one_input_model):
    return nestrt.compile(one_input_model)


@pytest.fixture(scope="module")
def images():
    return np.random.default_rng(5).normal(size=(6, 3, 32, 32)).astype(np.float32)


@pytest.fixture(scope="module")
def arrays():
    random = np.random.default_rng(4)
    return {"image": random.normal(size=(COUNT, 1, 3, 4, 4)).astype(np.float32),
            "id:0": random.integers(0, 9, size=(COUNT, 1))}


@pytest.fixture(scope="module")
def folder(arrays, tmp_path_factory):
    path = tmp_path_factory.mktemp("samples")
    for name, rows in (("image", arrays["image"]), ("id_0", arrays["id:0"])):
        (path / name).mkdir()
        for index, row in enumerate(rows):
            np.save(path / name / f"{index:02}.npy", row)
    return path


def text(calibration):
    return calibration._core._text()


def rows_of(arrays):
    return [{name: array[at] for name, array in arrays.items()} for at in range(COUNT)]


def test_a_generator_can_reuse_its_array(model, arrays, folder):
    def refilled():
        sample = {name: np.empty_like(array[0]) for name, array in arrays.items()}
        for row in rows_of(arrays):
            for name, array in row.items():
                sample[name][...] = array
            yield sample

    assert text(nestrt.calibrate(model, refilled())) == text(nestrt.calibrate(model, folder))


def test_folders_dicts_of_arrays_and_dicts_calibrate_the_same(model, arrays, folder):
    expected = text(nestrt.calibrate(model, folder))
    assert expected.count("name:") >= 5
    assert text(nestrt.calibrate(model, arrays)) == expected
    assert text(nestrt.calibrate(model, iter(rows_of(arrays)))) == expected
    without_batch = {**arrays, "image": arrays["image"][:, 0]}
    assert text(nestrt.calibrate(model, without_batch)) == expected


def test_workers_observe_several_inputs_like_one_process(model, arrays, folder):
    for samples in (folder, arrays):
        alone = text(nestrt.calibrate(model, samples, limit=18))
        assert text(nestrt.calibrate(model, samples, limit=18, workers=2)) == alone


def test_quantized_networks_of_several_inputs_can_be_checked_and_evaluated(model, arrays, folder, tmp_path):
    plan = nestrt.compile(model, tmp_path / "small.nest", quantize="s8", calibration=arrays)
    for inputs in (folder, arrays, rows_of(arrays)):
        report = nestrt.check(model, plan, inputs if inputs is not arrays else rows_of(arrays), limit=5)
        assert report.matches and report.outputs[0]["runs"] == 5
    found = nestrt.evaluate(plan, folder)
    assert found.n == COUNT
    same = nestrt.evaluate(plan, arrays)
    assert [top for _, top in same.predictions] == [top for _, top in found.predictions]
    scores = nestrt.Session(plan).run(rows_of(arrays)[7])["scores"]
    assert found.predictions[7][1][0] == int(np.argmax(scores))


def test_inputs_with_colliding_folder_names_are_distinguished(tmp_path):
    network = make_model(
        [helper.make_node("MatMul", ["x:0", "w"], ["first"]), helper.make_node("Add", ["first", "x_0"], ["y"])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 4]) for name in ("x:0", "x_0")],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 4])], [("w", np.eye(4, dtype=np.float32))])
    wide = np.random.RandomState(0).randn(20, 1, 4).astype(np.float32)
    samples = {"x_0": wide, "x:0": 100 * wide}  # not in the network's order
    plan = nestrt.compile(network, quantize="s8", calibration=samples)
    report = nestrt.check(network, plan, [{name: array[0] for name, array in samples.items()}])
    assert report.outputs[0]["snr_db"] > 30
    assert nestrt.evaluate(plan, samples).n == 20


def test_inconsistent_samples_are_rejected(model, arrays, folder, tmp_path):
    with pytest.raises(ValueError, match="the same length along the first axis"):
        nestrt.calibrate(model, {**arrays, "id:0": arrays["id:0"][:3]})
    with pytest.raises(ValueError, match="with the same names"):
        nestrt.calibrate(model, [{"image": arrays["image"][0]}, {"id:0": arrays["id:0"][0]}])
    with pytest.raises(nestrt.InvalidArgument, match="'id:0' is missing: the network expects 'image', 'id:0', got"):
        nestrt.calibrate(model, {"image": arrays["image"], "wrong": arrays["id:0"]})
    with pytest.raises(nestrt.Unsupported, match="2 inputs"):
        nestrt.calibrate(model, arrays["image"])


def test_unknown_input_names_in_samples_are_rejected(model, arrays, one_input_plan, images):
    extra = {**arrays, "img": arrays["image"]}
    for given in (extra, rows_of(extra)):
        with pytest.raises(nestrt.InvalidArgument, match="the network expects 'image', 'id:0', got.*'img'"):
            nestrt.calibrate(model, given)
    with pytest.raises(nestrt.InvalidArgument, match="the plan expects 'image', got 'image', 'img'"):
        nestrt.evaluate(one_input_plan, {"image": images, "img": images})


@pytest.mark.parametrize("wrong", [("img",), ("img", "image"), ("image", "img")])
def test_a_single_input_must_have_its_name(one_input_model, one_input_plan, images, wrong):
    for given in ({name: images for name in wrong}, [{name: each for name in wrong} for each in images]):
        for call in (lambda: nestrt.calibrate(one_input_model, given), lambda: nestrt.evaluate(one_input_plan, given),
                     lambda: nestrt.calibrate(one_input_model, given, workers=1),
                     lambda: nestrt.compile(one_input_model, quantize="s8", calibration=given),
                     lambda: nestrt.sensitivity(one_input_model, given),
                     lambda: nestrt.sensitivity(one_input_model, images, given),
                     lambda: nestrt.compile(one_input_model, quantize="s8", calibration=images, max_loss=50,
                                            search_samples=given)):
            with pytest.raises(nestrt.InvalidArgument, match="expects 'image', got.*'img'"):
                call()
    assert text(nestrt.calibrate(one_input_model, {"image": images})) == text(nestrt.calibrate(one_input_model, images))


def test_double_precision_and_column_major_samples_are_equivalent(one_input_model, one_input_plan, images, tmp_path):
    calibrated = text(nestrt.calibrate(one_input_model, images))
    found = nestrt.evaluate(one_input_plan, images).predictions
    for form in (images.astype(np.float64), np.asfortranarray(images), np.asfortranarray(images.astype(">f8"))):
        assert text(nestrt.calibrate(one_input_model, form)) == calibrated
        assert text(nestrt.calibrate(one_input_model, form, workers=1)) == calibrated
        assert nestrt.evaluate(one_input_plan, form).predictions == found
    path = tmp_path / "samples.npy"
    np.save(path, images.astype(np.float64))
    assert text(nestrt.calibrate(one_input_model, path)) == calibrated
    assert nestrt.evaluate(one_input_plan, path).predictions == found


def test_column_major_inputs_by_name_calibrate_the_same(model, arrays):
    by_columns = {name: np.asfortranarray(array) for name, array in arrays.items()}
    assert text(nestrt.calibrate(model, by_columns)) == text(nestrt.calibrate(model, arrays))
