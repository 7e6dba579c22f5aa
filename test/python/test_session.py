# SPDX-License-Identifier: Apache-2.0
import os
import signal
import threading

import numpy as np
import pytest
from onnx import TensorProto, helper

import nestrt
from conftest import EXAMPLES, PIXELS, run_example


def test_an_image_is_classified(plan, cat):
    session = nestrt.Session(plan, threads=1)
    outputs = session.run({"image": cat})
    assert list(outputs) == ["probabilities"]
    assert outputs["probabilities"].dtype == np.float32
    assert outputs["probabilities"].shape == (1, 10)
    assert outputs["probabilities"].argmax() == 3
    assert outputs["probabilities"].sum() == pytest.approx(1)


def test_a_warmed_up_session_returns_the_same_results(plan, cat):
    session = nestrt.Session(plan, threads=1)
    session.warm_up()
    np.testing.assert_array_equal(session(cat), nestrt.Session(plan, threads=1)(cat))


def test_inputs_are_accepted_by_name_by_position_and_alone(plan, cat):
    session = nestrt.Session(plan, threads=1)
    expected = session.run({"image": cat})["probabilities"]
    for outputs in (session.run([cat]), session.run((cat,)), session.run(cat)):
        np.testing.assert_array_equal(outputs["probabilities"], expected)
    np.testing.assert_array_equal(session(cat), expected)
    np.testing.assert_array_equal(session(image=cat), expected)


def test_several_inputs_and_outputs_keep_their_names(two_by_two):
    session = nestrt.Session(nestrt.compile(two_by_two), threads=1)
    a, b = np.arange(6, dtype=np.float32).reshape(2, 3), np.full((2, 3), 2, np.float32)
    outputs = session(b=b, a=a)
    np.testing.assert_array_equal(outputs["sum"], a + b)
    np.testing.assert_array_equal(outputs["product"], a * b)
    np.testing.assert_array_equal(session(a, b)["sum"], a + b)
    with pytest.raises(nestrt.InvalidArgument, match="by position or all by name"):
        session(a, b=b)


def test_results_do_not_depend_on_threads(plan, cat):
    one, two = (nestrt.Session(plan, threads=threads)(cat) for threads in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_plans_from_bytes_and_files_are_equivalent(plan, cat):
    from_bytes = nestrt.Plan(plan.to_bytes())
    assert from_bytes.path is None
    np.testing.assert_array_equal(nestrt.Session(from_bytes)(cat), nestrt.Session(plan.path)(cat))


def test_a_session_keeps_its_plan_alive(plan, cat):
    session = nestrt.Session(nestrt.Plan(plan.to_bytes()))
    expected = nestrt.Session(plan)(cat)
    np.testing.assert_array_equal(session(cat), expected)


def test_a_simulated_accelerator_is_bit_exact(board_plan, cat):
    cpu = nestrt.Session(board_plan)(cat)
    session = nestrt.Session(board_plan, "cpu,evta:sim", schedule="sequential")
    np.testing.assert_array_equal(session(cat), cpu)
    assert [unit["kind"] for unit in session.units.info] == ["cpu", "evta"]


def test_a_quantized_plan_returns_real_numbers_and_has_exponents(quantized, cat):
    assert quantized.inputs[0].dtype == np.float32
    assert nestrt.Session(quantized)(cat).argmax() == 3
    inner = {name: spec for name, spec in quantized.tensors.items() if spec.dtype == np.int8}
    assert inner
    for spec in inner.values():
        assert spec.quantization.scale == 2.0**-spec.quantization.exponent


def test_sessions_can_share_units(plan, cat):
    units = nestrt.Units("cpu", threads=2)
    sessions = [nestrt.Session(plan, units) for _ in range(3)]
    results = [session(cat) for session in sessions]
    np.testing.assert_array_equal(results[0], results[2])
    with pytest.raises(TypeError, match="open already"):
        nestrt.Session(plan, units, threads=1)


def test_sessions_run_concurrently_on_threads(plan, samples):
    units = nestrt.Units("cpu", threads=2)
    alone = nestrt.Session(plan, threads=1)
    expected = [alone(sample[None]) for sample in samples]
    results = {}

    def work(number):
        session = nestrt.Session(plan, units)
        results[number] = [session(sample[None]) for sample in samples]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(4):
        np.testing.assert_array_equal(np.concatenate(results[number]), np.concatenate(expected))


def test_threads_can_share_one_session(plan, samples):
    session = nestrt.Session(plan, threads=2)
    expected = [session(sample[None]) for sample in samples]
    results = [None] * len(samples)

    def work(index):
        results[index] = session(samples[index][None])

    threads = [threading.Thread(target=work, args=(index,)) for index in range(len(samples))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_array_equal(np.concatenate(results), np.concatenate(expected))


def test_a_session_describes_itself(quantized, cat):
    session = nestrt.Session(quantized, threads=1, priority="urgent")
    session(cat)
    assert session.memory["arena_bytes"] > 0
    assert session.num_host_fallbacks == 0 and session.reschedules == 0
    assert {op["unit"] for op in session.operators} == {"cpu"}
    assert all(step["unit"] == "cpu" for step in session.schedule)
    assert "conv1" in session._repr_html_()
    with pytest.raises(ValueError, match="urgent"):
        nestrt.Session(quantized, priority="high")


def test_the_example_classifies_images():
    files = ["models/nest_squeeze_cifar10.onnx", "images/labels.txt", "images/cat_1.png", "images/ship_1.png"]
    result = run_example("classify.py", *files, cwd=EXAMPLES)
    assert result.returncode == 0, result.stderr
    assert [line.split()[1] for line in result.stdout.splitlines()] == ["cat", "ship"]


def test_the_pynq_example_runs_on_a_simulated_accelerator(model, tmp_path):
    plan = tmp_path / "plan.nest"
    nestrt.compile(model, plan, quantize="s8", calibration=EXAMPLES / "images", preprocessing=PIXELS, target="evta")
    result = run_example("pynq_evta.py", str(plan), "images/cat.png", "--units", "cpu,evta:sim", cwd=EXAMPLES)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("class 3, ") and result.stdout.endswith("on cpu, evta0\n")


def test_the_package_contains_the_transport_without_xrt(plan):
    with pytest.raises(nestrt.Unavailable, match="UIO|uio"):
        nestrt.Units("cpu,evta:uio", plan=plan, device="uio99", device_wait=0.1)


def test_the_installed_package_is_typed_and_documented():
    folder = nestrt.__path__[0]
    assert {"py.typed", "_nestrt.pyi"} <= set(os.listdir(folder))
    for name in nestrt.__all__:
        if name != "__version__":
            assert getattr(nestrt, name).__doc__, name


def test_a_plan_with_several_shapes_selects_the_matching_one():
    model = helper.make_model(
        helper.make_graph(
            [helper.make_node("Relu", ["x"], ["y"])], "relu",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 4])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 4])]),
        opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    plan = nestrt.compile(model, input_shapes={"x": (1, 4)}, other_shapes=[{"x": (3, 4)}])
    for runs in (nestrt.Session(plan), nestrt.Pipeline(plan)):
        for rows in (3, 1):
            array = np.linspace(-1, 1, 4 * rows, dtype=np.float32).reshape(rows, 4)
            if isinstance(runs, nestrt.Pipeline):
                runs.submit(array)
                found = runs.next()["y"]
            else:
                found = runs.run(array)["y"]
            assert np.array_equal(found, np.maximum(array, 0))


def test_a_run_continues_if_the_interrupt_handler_does_not_raise(board_plan, samples):
    expected = nestrt.Session(board_plan, threads=1)(samples[:1])
    session = nestrt.Session(board_plan, "evta:sim,cpu", threads=1, pace=2000)  # each inference takes seconds
    interrupts = []
    before = signal.signal(signal.SIGINT, lambda *_: interrupts.append(True))
    try:
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        found = session(samples[:1])
    finally:
        signal.signal(signal.SIGINT, before)
    assert interrupts == [True]
    np.testing.assert_array_equal(found, expected)
