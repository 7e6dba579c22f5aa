"""Samples of a network with several inputs, however they are given, calibrate and check it alike."""

import numpy as np
import pytest
from onnx import TensorProto, helper

import nestrt
from conftest import make_model

COUNT = 20


@pytest.fixture(scope="module")
def model():
    """Scores of a picture, and of a word by its number."""
    random = np.random.default_rng(3)
    nodes = [helper.make_node("Flatten", ["picture"], ["flat"]), helper.make_node("Gather", ["words", "id:0"], ["word"]),
             helper.make_node("Concat", ["flat", "word"], ["both"], axis=1),
             helper.make_node("MatMul", ["both", "weights"], ["scores"])]
    inputs = [helper.make_tensor_value_info("picture", TensorProto.FLOAT, [1, 3, 4, 4]),
              helper.make_tensor_value_info("id:0", TensorProto.INT64, [1])]
    outputs = [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [1, 6])]
    constants = [("words", random.normal(size=(9, 8)).astype(np.float32)),
                 ("weights", random.normal(size=(56, 6)).astype(np.float32))]
    return make_model(nodes, inputs, outputs, constants)


@pytest.fixture(scope="module")
def arrays():
    random = np.random.default_rng(4)
    return {"picture": random.normal(size=(COUNT, 1, 3, 4, 4)).astype(np.float32),
            "id:0": random.integers(0, 9, size=(COUNT, 1))}


@pytest.fixture(scope="module")
def folder(arrays, tmp_path_factory):
    path = tmp_path_factory.mktemp("samples")
    for name, rows in (("picture", arrays["picture"]), ("id_0", arrays["id:0"])):
        (path / name).mkdir()
        for index, row in enumerate(rows):
            np.save(path / name / f"{index:02}.npy", row)
    return path


def text(calibration):
    return calibration._core._text()


def rows_of(arrays):
    return [{name: array[at] for name, array in arrays.items()} for at in range(COUNT)]


def test_a_generator_may_fill_the_same_array_again(model, arrays, folder):
    def refilled():
        sample = {name: np.empty_like(array[0]) for name, array in arrays.items()}
        for row in rows_of(arrays):
            for name, array in row.items():
                sample[name][...] = array
            yield sample

    assert text(nestrt.calibrate(model, refilled())) == text(nestrt.calibrate(model, folder))


def test_a_folder_a_dict_of_arrays_and_dicts_calibrate_the_same(model, arrays, folder):
    expected = text(nestrt.calibrate(model, folder))
    assert expected.count("name:") >= 5
    assert text(nestrt.calibrate(model, arrays)) == expected
    assert text(nestrt.calibrate(model, iter(rows_of(arrays)))) == expected
    without_batch = {**arrays, "picture": arrays["picture"][:, 0]}
    assert text(nestrt.calibrate(model, without_batch)) == expected


def test_workers_observe_several_inputs_as_one_process_does(model, arrays, folder):
    for samples in (folder, arrays):
        alone = text(nestrt.calibrate(model, samples, limit=18))
        assert text(nestrt.calibrate(model, samples, limit=18, workers=2)) == alone


def test_a_quantized_network_of_several_inputs_is_checked_and_evaluated(model, arrays, folder, tmp_path):
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


def test_what_does_not_go_together_is_refused(model, arrays, folder, tmp_path):
    with pytest.raises(ValueError, match="as many along the first axis"):
        nestrt.calibrate(model, {**arrays, "id:0": arrays["id:0"][:3]})
    with pytest.raises(ValueError, match="the same names"):
        nestrt.calibrate(model, [{"picture": arrays["picture"][0]}, {"id:0": arrays["id:0"][0]}])
    with pytest.raises(nestrt.InvalidArgument, match="no folder 'id_0'"):
        nestrt.calibrate(model, {"picture": arrays["picture"], "wrong": arrays["id:0"]})
    with pytest.raises(nestrt.Unsupported, match="2 inputs"):
        nestrt.calibrate(model, arrays["picture"])
