# SPDX-License-Identifier: Apache-2.0
import json
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import onnx
import pytest

import nestrt
from conftest import make_model


def test_bench_returns_the_figures_of_json(plan):
    report = nestrt.bench(plan, runs=3, warmup=1, threads=2, per_op=True, per_unit=True)
    assert (report.runs, report.threads) == (3, 2)
    assert 0 < report.min_ms <= report.median_ms <= report.p99_ms
    assert {op["unit"] for op in report.operators} == {"cpu"}
    assert report.units and report.pipeline is None
    figures = report.to_dict()
    assert figures["plan"] == plan.path and figures["digest"] == plan.metadata["digest"]
    json.dumps(figures)
    assert "median_ms" in report._repr_html_()


def test_tools_use_the_plan_as_it_was_read(tmp_path, monkeypatch):
    def network(channels):
        tensors = [
            onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, count, 8, 8])
            for name, count in (("x", 1), ("y", channels))
        ]
        node = onnx.helper.make_node("Conv", ["x", "w"], ["y"])
        return make_model([node], tensors[:1], tensors[1:], [("w", np.ones((channels, 1, 1, 1), np.float32))])

    monkeypatch.chdir(tmp_path)
    small = nestrt.compile(network(2), "net.nest")
    large = nestrt.compile(network(16), "net.nest")  # overwrites the same file
    products = 8 * 8
    assert nestrt.bench(small, runs=1).macs == 2 * products
    assert nestrt.bench(large, runs=1).macs == 16 * products
    assert nestrt.check(network(2), small)
    os.remove("net.nest")
    assert nestrt.bench(large, runs=1).macs == 16 * products


def test_bench_accepts_inputs(two_by_two):
    plan = nestrt.compile(two_by_two)
    a, b = np.full((2, 3), 3, np.float32), np.zeros((2, 3), np.float32)
    assert nestrt.bench(plan, inputs={"b": b, "a": a}, runs=2, warmup=0).runs == 2
    with pytest.raises(nestrt.InvalidArgument, match="'b' is missing"):
        nestrt.bench(plan, inputs={"a": a}, runs=2)


def test_bench_measures_a_pipeline_and_compares_schedules(board_plan):
    report = nestrt.bench(
        board_plan, "cpu,evta:sim", runs=2, warmup=0, pipeline=2, against="sequential", schedule="optimum"
    )
    assert report.pipeline["in_flight"] == 2 and report.pipeline["per_second"] > 0
    assert report.comparison


def test_progress_is_shown_only_on_request(plan):
    def standard_error(prelude):
        text = f"import nestrt; {prelude}; nestrt.bench({plan.path!r}, runs=2, warmup=0)"
        environment = {**os.environ, "NESTRT_PROGRESS": "0"}
        return subprocess.run([sys.executable, "-c", text], env=environment, capture_output=True, text=True).stderr

    assert standard_error("pass") == ""
    assert "runs" in standard_error("nestrt.set_progress(True)")


def test_bench_writes_a_trace(plan, tmp_path):
    nestrt.bench(plan, runs=1, warmup=0, trace=tmp_path / "trace.json")
    assert json.loads((tmp_path / "trace.json").read_text())
    with pytest.raises(nestrt.InvalidArgument, match="over"):
        nestrt.bench(plan, runs=1, trace=plan.path)


def test_an_interrupt_ends_only_the_current_bench(plan, default_sigint):
    with pytest.raises(KeyboardInterrupt):
        timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        nestrt.bench(plan, runs=10_000_000)
    assert nestrt.bench(plan, runs=2).runs == 2


def test_bench_rejects_invalid_options(plan):
    with pytest.raises(ValueError, match="runs"):
        nestrt.bench(plan, runs=0)
    with pytest.raises(TypeError, match="nonsense"):
        nestrt.bench(plan, nonsense=1)
    with pytest.raises(nestrt.InvalidArgument, match="nonsense"):
        nestrt.bench(plan, "nonsense")
    with pytest.raises(nestrt.InvalidPlan):
        nestrt.bench(b"nonsense")


def test_simulate_predicts_a_board(board_plan, tmp_path):
    report = nestrt.simulate(board_plan, "zcu102", npu_clocks_mhz=[100, 333], trace=tmp_path / "trace.json")
    assert report.board == "zcu102"
    assert 0 < report.lower_bound_ms <= report.split_ms <= report.cpu_only_ms
    assert len(report.sensitivity) == 2
    assert {step["unit"] for step in report.steps} == {"cpu", "evta0"}
    assert (tmp_path / "trace.json").exists()
    assert "zcu102" in report._repr_html_()


def test_simulate_reports_missing_boards_and_profiles(board_plan, tmp_path):
    with pytest.raises(nestrt.NotFound, match="zcu102"):
        nestrt.simulate(board_plan, "nonsense")
    with pytest.raises(nestrt.NotFound):
        nestrt.simulate(board_plan, profiles=[tmp_path / "absent"])


def test_sessions_use_the_costs_of_profile(quantized, tmp_path, cat):
    clocks = {"cpu": 1234.5}
    report = nestrt.profile(quantized, tmp_path / "costs", counts=[1], max_runs=3, max_seconds=1, clocks=clocks)
    assert "\nclock\t1234.5\n" in (tmp_path / "costs").read_text()
    assert report.digest == quantized.metadata["digest"]
    assert all(work["median_us"] >= 0 and work["unit"] == "cpu" for work in report.works)
    assert "conv1" in report._repr_html_()
    session = nestrt.Session(quantized, threads=1, cost_file=tmp_path / "costs")
    assert session(cat).argmax() == 3


def onnx_runtime(call):
    """Returns call(), or skips the test if ONNX Runtime is not available, for example without a network."""
    try:
        return call()
    except nestrt.Unavailable as error:
        pytest.skip(str(error))


def test_check_compares_with_onnx_runtime(model, plan, cat):
    report = onnx_runtime(lambda: nestrt.check(model, plan, layers=True))
    assert report and report.matches and not report.quantized
    assert report.layers and report.first_divergence is None
    assert report.outputs[0]["name"] == "probabilities" and report.outputs[0]["cosine"] > 0.9999
    assert nestrt.check(model, plan, {"image": cat}).matches
    assert "matches" in report._repr_html_()


def test_check_accepts_samples_and_reports_noise(model, quantized, samples):
    report = onnx_runtime(lambda: nestrt.check(model, quantized, samples, layers=True, limit=5))
    assert report.quantized and report.matches
    assert report.outputs[0]["runs"] == 5 and report.noise


def test_arrays_by_name_must_match_the_inputs_of_the_plan(model, plan, cat):
    for call in (lambda inputs: nestrt.check(model, plan, inputs),
                 lambda inputs: nestrt.bench(plan, inputs=inputs, runs=1)):
        with pytest.raises(nestrt.InvalidArgument, match="is missing: the plan expects 'image', got 'img'"):
            call({"img": cat})
        with pytest.raises(nestrt.InvalidArgument, match="input 'image'") as caught:
            call({"image": cat[:, :, :5, :5]})
        assert "3x5x5" in caught.value.message
        assert "--" not in caught.value.message and "/" not in caught.value.message
    with pytest.raises(nestrt.InvalidArgument, match="unknown names: the plan expects"):
        nestrt.bench(plan, inputs={"image": cat, "img": cat}, runs=1)
    with pytest.raises(TypeError, match="inputs: expected {name: array}, got ndarray"):
        nestrt.bench(plan, inputs=cat, runs=1)
    assert nestrt.bench(plan, inputs={"image": np.asfortranarray(cat)}, runs=1, warmup=0).runs == 1


def test_check_accepts_arrays_in_other_layouts_and_without_batch(model, plan, cat):
    for array in (np.asfortranarray(cat), cat[0], cat.astype(np.float64)):
        assert onnx_runtime(lambda: nestrt.check(model, plan, {"image": array}))


def test_check_errors_name_python_arguments(model, plan):
    with pytest.raises(nestrt.Unavailable, match="set python= to"):
        nestrt.check(model, plan, python="/bin/false")


def test_check_rejects_the_plan_of_another_network(model, two_by_two):
    other = nestrt.compile(two_by_two)
    onnx_runtime(lambda: nestrt.check(two_by_two, other))
    with pytest.raises(nestrt.Error):
        nestrt.check(model, other)


def test_check_is_false_for_a_wrong_plan(two_by_two):
    wrong = onnx.ModelProto()
    wrong.CopyFrom(two_by_two)
    wrong.graph.node[0].op_type = "Sub"
    report = onnx_runtime(lambda: nestrt.check(two_by_two, nestrt.compile(wrong)))
    assert not report
    assert {output["name"]: output["matches"] for output in report.outputs} == {"sum": False, "product": True}
    assert np.isfinite(report.outputs[0]["max_absolute"])
