# SPDX-License-Identifier: Apache-2.0
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import nestrt
from conftest import EXAMPLES, PIXELS, make_model


def test_a_model_is_a_path_bytes_or_a_proto(model, plan):
    for form in (model, str(model), model.read_bytes(), onnx.load(model)):
        assert nestrt.compile(form, preprocessing=PIXELS).metadata["digest"] == plan.metadata["digest"]
    with pytest.raises(TypeError, match="onnx.ModelProto"):
        nestrt.compile(3)


def test_a_plan_is_written_and_described(model, tmp_path):
    path = tmp_path / "out.nest"
    plan = nestrt.compile(model, path, preprocessing=PIXELS)
    assert plan.path == str(path) and path.read_bytes() == plan.to_bytes()
    assert [(spec.name, spec.dtype, spec.shape) for spec in plan.inputs] == [("image", np.float32, (1, 3, 32, 32))]
    assert plan.outputs[0].nbytes == 40
    assert plan.units[0][0] == "cpu"
    assert plan.metadata["file_bytes"] == path.stat().st_size
    assert {"Conv", "Softmax"} <= {op["kind"] for op in plan.operators}
    assert "image" in repr(plan) and "<table>" in plan._repr_html_()
    assert plan.to_dict()["inputs"][0]["dtype"] == "float32"
    plan.save(tmp_path / "copy.nest")
    assert nestrt.Plan(tmp_path / "copy.nest", copy=True).metadata["digest"] == plan.metadata["digest"]


def test_invalid_models_are_rejected(tmp_path):
    with pytest.raises(nestrt.NotFound):
        nestrt.compile(tmp_path / "absent.onnx")
    for content in (b"", b"nonsense"):
        with pytest.raises(nestrt.InvalidModel):
            nestrt.compile(content)


def test_an_unknown_operator_is_named():
    ends = [helper.make_tensor_value_info(name, TensorProto.STRING, [1]) for name in ("x", "y")]
    strings = make_model([helper.make_node("StringNormalizer", ["x"], ["y"])], ends[:1], ends[1:])
    with pytest.raises((nestrt.Unsupported, nestrt.InvalidModel)):
        nestrt.compile(strings)


def test_compile_does_not_overwrite_the_model(tmp_path, model):
    copy = tmp_path / "model.onnx"
    copy.write_bytes(model.read_bytes())
    with pytest.raises(nestrt.InvalidArgument, match="over"):
        nestrt.compile(copy, copy)
    with pytest.raises(nestrt.Error):
        nestrt.compile(copy, tmp_path / "no" / "folder.nest")
    assert copy.read_bytes() == model.read_bytes()


def test_dynamic_dimensions_are_fixed_and_inputs_bound():
    a = helper.make_tensor_value_info("a", TensorProto.FLOAT, ["n", 3])
    b = helper.make_tensor_value_info("b", TensorProto.FLOAT, [3])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 3])
    network = make_model([helper.make_node("Add", ["a", "b"], ["y"])], [a, b], [y])
    bound = np.array([1, 2, 3], np.float32)
    plan = nestrt.compile(network, input_shapes={"a": (4, 3)}, bindings={"b": bound})
    assert [(spec.name, spec.shape) for spec in plan.inputs] == [("a", (4, 3))]
    np.testing.assert_array_equal(nestrt.Session(plan)(np.ones((4, 3), np.float32)), np.ones((4, 3)) + bound)
    with pytest.raises(nestrt.InvalidArgument, match="a dimension of 'a': expected 1 to"):
        nestrt.compile(network, input_shapes={"a": (0, 3)})


def test_a_calibration_is_rejected_for_other_bound_constants():
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3])
    gain = helper.make_tensor_value_info("gain", TensorProto.FLOAT, [3])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 3])
    nodes = [helper.make_node("Mul", ["x", "gain"], ["scaled"]), helper.make_node("MatMul", ["scaled", "w"], ["y"])]
    network = make_model(nodes, [x, gain], [y], [("w", np.eye(3, dtype=np.float32))])
    one, thousand = np.ones(3, np.float32), np.full(3, 1000, np.float32)
    calibration = nestrt.calibrate(network, [np.ones((1, 3), np.float32)], bindings={"gain": one})
    nestrt.compile(network, quantize="s8", calibration=calibration, bindings={"gain": one})
    with pytest.raises(nestrt.InvalidArgument, match="other bound inputs"):
        nestrt.compile(network, quantize="s8", calibration=calibration, bindings={"gain": thousand})


def test_integers_and_booleans_are_supported():
    for kind, dtype in ((TensorProto.INT64, np.int64), (TensorProto.INT32, np.int32), (TensorProto.BOOL, np.bool_)):
        ends = [helper.make_tensor_value_info(name, kind, [2]) for name in ("x", "y")]
        plan = nestrt.compile(make_model([helper.make_node("Concat", ["x"], ["y"], axis=0)], ends[:1], ends[1:]))
        x = np.array([1, 0], dtype)
        assert plan.inputs[0].dtype == dtype
        y = nestrt.Session(plan)(x)
        assert y.dtype == dtype
        np.testing.assert_array_equal(y, x)


def test_unknown_options_and_names_are_rejected(model):
    with pytest.raises(TypeError, match="nonsense"):
        nestrt.compile(model, nonsense=1)
    with pytest.raises(ValueError, match="layout"):
        nestrt.compile(model, layout="nonsense")
    with pytest.raises(nestrt.Error, match="nonsense"):
        nestrt.compile(model, target="nonsense")
    with pytest.raises(nestrt.InvalidArgument, match="nonsense"):
        nestrt.compile(model, disabled_passes=["nonsense"])
    with pytest.raises(nestrt.InvalidArgument, match="nonsense"):
        nestrt.compile(model, expose=["nonsense"])


def test_intermediate_values_can_become_outputs(model, cat):
    plan = nestrt.compile(model, expose=["gap"], preprocessing=PIXELS)
    assert "gap" in [spec.name for spec in plan.outputs]
    assert set(nestrt.Session(plan)(cat)) == {"probabilities", "gap"}


def test_quantize_requires_calibration_and_vice_versa(model, samples):
    with pytest.raises(TypeError, match="calibration"):
        nestrt.compile(model, quantize="s8")
    with pytest.raises(TypeError, match="quantize='s8'"):
        nestrt.compile(model, calibration=samples)
    with pytest.raises(ValueError, match="s8"):
        nestrt.compile(model, quantize="s4", calibration=samples)
    with pytest.raises(ValueError, match="empty"):
        nestrt.compile(model, quantize="s8", calibration=[])
    with pytest.raises(nestrt.InvalidArgument, match="expected f32 of N"):
        nestrt.compile(model, quantize="s8", calibration=samples[:, :, :8])


def test_samples_can_be_arrays_a_folder_a_file_or_an_iterator(model, samples, tmp_path, quantized):
    np.save(tmp_path / "samples.npy", samples)
    digests = {
        nestrt.compile(model, quantize="s8", calibration=form, preprocessing=PIXELS).metadata["digest"]
        for form in (samples, list(samples), (each for each in samples), tmp_path / "samples.npy")
    }
    assert digests == {quantized.metadata["digest"]}
    images = nestrt.compile(model, quantize="s8", calibration=EXAMPLES / "images", preprocessing=PIXELS)
    assert images.report["quantization"]["s8_operators"] > 0


def test_a_plan_explains_the_type_of_every_operator(model, quantized):
    explained = quantized.explain()
    assert [each["name"] for each in explained] == [each["name"] for each in quantized.operators]
    s8 = [each for each in explained if each["type"] == "s8"]
    assert len(s8) == quantized.report["quantization"]["s8_operators"] > 0
    for each in explained:
        assert (each["reason"] != "") == (each["type"] == "f32")
    assert all(each["reason"] == "" for each in nestrt.compile(model).explain())


def test_a_calibration_can_be_saved_and_reused(model, samples, tmp_path, quantized):
    steps = []
    calibration = nestrt.calibrate(
        model, samples, preprocessing=PIXELS, progress=lambda what, done, total: steps.append((done, total))
    )
    assert steps[0] == (0, len(samples)) and steps[-1] == (len(samples), len(samples))
    assert calibration.samples == len(samples) and calibration.method == "mse" and calibration.skipped == []
    assert {"image", "probabilities"} <= {value["name"] for value in calibration.values}
    assert "image" in calibration._repr_html_()
    calibration.save(tmp_path / "profile.yaml")
    for form in (calibration, tmp_path / "profile.yaml", nestrt.Calibration.load(tmp_path / "profile.yaml")):
        plan = nestrt.compile(model, quantize="s8", calibration=form, preprocessing=PIXELS)
        assert plan.metadata["digest"] == quantized.metadata["digest"]
    assert nestrt.Calibration.load(tmp_path / "profile.yaml", method="minmax").method == "minmax"


def test_preprocessing_that_differs_from_the_calibration_is_rejected(model):
    calibration = nestrt.calibrate(model, EXAMPLES / "images", preprocessing=PIXELS, limit=3)
    assert calibration.preprocessing == nestrt.Preprocessing((128,), calibration.preprocessing.scale, 32) or (
        calibration.preprocessing.resize == 32
    )
    with pytest.raises(nestrt.InvalidArgument, match="calibrated with"):
        nestrt.compile(model, quantize="s8", calibration=calibration, preprocessing={"mean": 100})
    with pytest.warns(UserWarning, match="preprocessed as for"):
        plan = nestrt.compile(model, quantize="s8", calibration=calibration)
    assert plan.inputs[0].preprocessing.resize == 32


def test_a_calibration_of_another_model_is_rejected(samples, model, two_by_two):
    calibration = nestrt.calibrate(model, samples[:2])
    with pytest.raises(nestrt.InvalidArgument):
        nestrt.compile(two_by_two, quantize="s8", calibration=calibration)
    with pytest.raises(ValueError, match="minmax"):
        nestrt.calibrate(model, samples, method="nonsense")


def test_quantization_options_take_effect(model, samples):
    plan = nestrt.compile(
        model, quantize="s8", calibration=samples, keep_f32=["conv1"], corrections=[], rounding="floor",
        method="minmax", per_tensor=True, scales="single",
    )
    assert "conv1" in plan.report["quantization"]["kept_f32"]
    with pytest.raises(nestrt.InvalidArgument, match="nonsense"):
        nestrt.compile(model, quantize="s8", calibration=samples, keep_f32=["nonsense"])


def test_compile_states_the_noise_and_keeps_it_within_a_bound(model, samples, quantized):
    noise = quantized.report["noise"]
    assert noise["samples"] > 0 and not noise["have_calibrated"] and noise["met"] and noise["kept_f32"] == []
    (output,) = noise["outputs"]
    assert output["snr_db"] > 0
    bounded = nestrt.compile(model, quantize="s8", calibration=samples, min_snr=output["snr_db"] + 3)
    assert len(bounded.report["noise"]["kept_f32"]) > 0
    assert bounded.report["noise"]["outputs"][0]["snr_db"] >= output["snr_db"] + 3
    with pytest.raises(nestrt.InvalidArgument, match="min_snr=100"):
        nestrt.compile(model, quantize="s8", calibration=samples, min_snr=100)
    calibration = nestrt.calibrate(model, samples)
    assert "noise" not in nestrt.compile(model, quantize="s8", calibration=calibration).report
    other = nestrt.compile(model, quantize="s8", calibration=calibration, snr_samples=samples)
    assert other.report["noise"]["samples"] == min(16, len(samples))


def test_a_reconstruction_does_not_increase_the_noise(model, samples, quantized):
    plans = [nestrt.compile(model, quantize="s8", calibration=samples, reconstruct=True) for _ in range(2)]
    assert plans[0].metadata["digest"] == plans[1].metadata["digest"]
    assert plans[0].report["noise"]["outputs"][0]["snr_db"] >= quantized.report["noise"]["outputs"][0]["snr_db"]


def test_the_search_finds_a_quantization_within_the_loss_limit(model, samples):
    plan = nestrt.compile(
        model, quantize="s8", calibration=samples, preprocessing=PIXELS, max_loss=50, search_budget=3
    )
    chosen = plan.report["trials"][plan.report["chosen"]]
    assert chosen["loss"] <= 50 and chosen["samples"] == len(samples)


def test_a_plan_for_a_board_contains_accelerator_programs(board_plan):
    assert board_plan.report["units"]["evta"] > 0
    assert any(kind == "evta" for kind, _ in board_plan.units)


def model_with_gbk_names(operator, outputs):
    """Returns a model of one operator and a Relu. The names of the operator and its output are in GBK."""
    nodes = [helper.make_node(operator, ["x", "w"][:1 + (operator == "Conv")], ["TT"], name="NN"),
             helper.make_node("Relu", ["TT"], ["y"], name="r")]
    weights = [numpy_helper.from_array(np.ones((4, 3, 1, 1), np.float32), "w")] if operator == "Conv" else []
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 8, 8])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, outputs)], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    return model.SerializeToString().replace(b"TT", b"\xbe\xed").replace(b"NN", b"\xbe\xee")


def test_names_in_a_model_that_are_not_utf8_are_escaped():
    model, x = model_with_gbk_names("Conv", [1, 4, 8, 8]), np.ones((1, 3, 8, 8), np.float32)
    plan = nestrt.compile(model, quantize="s8", calibration=[x])
    assert nestrt.compile(model).operators[0]["name"] == "\\xbe\\xee"
    assert nestrt.Session(plan).run({"x": x})["y"][0, 0, 0, 0] == pytest.approx(3, rel=0.02)
    assert nestrt.compile(model)._repr_html_().encode()
    seen = nestrt.calibrate(model, [x, 2 * x], workers=2)
    assert nestrt.compile(model, quantize="s8", calibration=seen).operators
    with pytest.raises(nestrt.Unsupported, match=r"Det .*xbe.xee"):
        nestrt.compile(model_with_gbk_names("Det", [1, 3]))
