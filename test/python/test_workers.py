# SPDX-License-Identifier: Apache-2.0
"""Tests that distributed work returns the same bytes as one process, even if workers are lost."""

import concurrent.futures
import json
import multiprocessing
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from onnx import TensorProto, helper

import nestrt
from nestrt import _samples, _tasks, _workers
from conftest import EXAMPLES, PIXELS, make_model

IMAGES = EXAMPLES / "images"


CLASSES = (IMAGES / "labels.txt").read_text().split()


def class_of(name):
    """Returns the class of an example image."""
    return CLASSES.index(name.partition(".")[0].partition("_")[0])


def text(calibration):
    return calibration._core._text()


def dies_once(shared, item):
    """A task whose worker is killed the first time it gets the third item."""
    marker = pathlib.Path(shared["marker"])
    if item == 2 and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return item * 10


def always_dies(shared, item):
    os.kill(os.getpid(), signal.SIGKILL)


def fails(shared, item):
    raise nestrt.NotFound(f"item {item} does not exist", "here")


def writes_much(shared, item):
    return bytes(item)


def observe_but_die_once(shared, chunk):
    """A calibration task whose worker is killed once."""
    marker = pathlib.Path(shared["marker"])
    if chunk.names[0] == shared["fatal"] and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return _tasks.observe(shared, chunk)


@pytest.fixture(scope="module")
def ray(cluster):
    cluster.cloudpickle.register_pickle_by_value(sys.modules[__name__])  # Ray workers cannot import this module
    return cluster


@pytest.fixture(scope="module")
def many_samples(samples):
    """Samples for several parts of a calibration, the last one incomplete."""
    return np.concatenate([samples * np.float32(scale) for scale in (1, 0.5, 0.25)])[:50]


@pytest.fixture(scope="module")
def bidirectional_gru():
    """A network with two operators of the same name, from the directions of a GRU, and samples for it."""
    rng = np.random.default_rng(0)
    shapes = {"U": (6, 6), "W": (2, 24, 6), "R": (2, 24, 8), "V": (16, 4)}
    weights = [(name, rng.normal(size=shape).astype(np.float32)) for name, shape in shapes.items()]
    nodes = [helper.make_node("MatMul", ["x", "U"], ["u"], name="in"),
             helper.make_node("GRU", ["u", "W", "R"], ["y"], name="rnn", hidden_size=8, direction="bidirectional"),
             helper.make_node("Transpose", ["y"], ["t"], perm=[0, 2, 1, 3]),
             helper.make_node("Reshape", ["t", "shape"], ["r"]),
             helper.make_node("MatMul", ["r", "V"], ["z"], name="out")]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
            for name, shape in {"x": [12, 1, 6], "z": [12, 4]}.items()]
    network = make_model(nodes, ends[:1], ends[1:], weights + [("shape", np.array([12, 16]))])
    return network, rng.normal(size=(10, 12, 1, 6)).astype(np.float32)


@pytest.mark.parametrize("workers", [1, 2, "local:2"])
def test_workers_calibrate_like_one_process(model, many_samples, workers):
    alone = nestrt.calibrate(model, many_samples)
    shared = nestrt.calibrate(model, many_samples, workers=workers)
    assert text(shared) == text(alone)
    assert shared.samples == 50


def test_workers_observe_images_like_one_process(model):
    alone = nestrt.calibrate(model, IMAGES, preprocessing=PIXELS, limit=5)
    assert text(nestrt.calibrate(model, IMAGES, preprocessing=PIXELS, limit=5, workers=2)) == text(alone)


def test_workers_report_unreadable_images(model, tmp_path):
    (tmp_path / "a.png").write_bytes((IMAGES / "cat.png").read_bytes())
    (tmp_path / "b.png").write_bytes(b"no image")
    seen = nestrt.calibrate(model, tmp_path, preprocessing=PIXELS, workers=2, skip_unreadable=True)
    assert seen.samples == 1
    assert len(seen.skipped) == 1 and "b.png" in seen.skipped[0]
    with pytest.raises(nestrt.Error, match="b.png"):
        nestrt.calibrate(model, tmp_path, preprocessing=PIXELS, workers=2)


def test_skipped_samples_are_reported_by_global_index(model, many_samples):
    samples = many_samples.copy()
    samples[40, 0, 0, 0] = np.nan
    for workers in (None, 2):
        seen = nestrt.calibrate(model, samples, skip_unreadable=True, workers=workers)
        assert len(seen.skipped) == 1 and "samples.npy[40]" in seen.skipped[0]
    with pytest.raises(nestrt.InvalidArgument, match=r"samples\.npy\[40\]"):
        nestrt.calibrate(model, samples, workers=2)


def test_a_calibration_without_readable_samples_is_rejected(model, tmp_path):
    (tmp_path / "b.png").write_bytes(b"no image")
    with pytest.raises(nestrt.InvalidArgument, match="none of the"):
        nestrt.calibrate(model, tmp_path, preprocessing=PIXELS, workers=2, skip_unreadable=True)


def test_workers_measure_sensitivity_like_one_process(model, samples):
    seen = nestrt.calibrate(model, samples)
    alone = nestrt.sensitivity(model, seen, samples, limit=4)
    shared = nestrt.sensitivity(model, seen, samples, limit=4, workers=2)
    assert json.dumps(shared.to_dict()) == json.dumps(alone.to_dict())
    assert len(alone.layers) > 10
    noise = [layer["only_it"]["snr_db"] for layer in alone.layers]
    assert noise == sorted(noise)


@pytest.fixture(scope="module")
def bad_start(samples):
    """Options of a search with a bad start, because most values are clipped."""
    return {"quantize": "s8", "calibration": samples, "method": "percentile", "percentile": 50, "max_loss": 0,
            "search_budget": 24}


def test_the_directions_of_a_gru_are_one_layer(bidirectional_gru):
    network, samples = bidirectional_gru
    layers = nestrt.sensitivity(network, nestrt.calibrate(network, samples), samples).layers
    shares = {layer["name"]: layer["mac_share"] for layer in layers}
    assert len(layers) == 3
    assert shares["rnn"] == pytest.approx(8 * shares["in"])  # both directions


def test_a_search_keeps_both_directions_of_a_gru_in_f32(bidirectional_gru):
    network, samples = bidirectional_gru
    with pytest.raises(nestrt.InvalidArgument, match="none of the [0-9]+ quantizations tried"):
        nestrt.compile(network, quantize="s8", calibration=samples, max_loss=-1)


def test_sensitivity_rejects_networks_without_quantizable_layers(samples):
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 8]) for name in ("x", "y")]
    network = make_model([helper.make_node("Relu", ["x"], ["y"])], ends[:1], ends[1:])
    values = np.ones((4, 1, 8), np.float32)
    with pytest.raises(nestrt.InvalidArgument, match="no Conv and no Dense"):
        nestrt.sensitivity(network, nestrt.calibrate(network, values), values)


def test_workers_search_like_one_process(model, bad_start):
    alone, shared = nestrt.compile(model, **bad_start), nestrt.compile(model, **bad_start, workers=2)
    assert len(alone.report["trials"]) > 1
    assert shared.report == alone.report
    assert shared.to_bytes() == alone.to_bytes()


def test_workers_keep_the_same_layers_in_f32(model, samples):
    found, reported = [], []
    for workers in (None, 2):
        with pytest.raises(nestrt.InvalidArgument, match="none of the [0-9]+ quantizations tried") as caught:
            nestrt.compile(model, quantize="s8", calibration=samples, max_loss=-1, search_budget=16, workers=workers,
                           progress=lambda what, *_: reported.append(what))
        found.append(str(caught.value))
    assert found[0] == found[1]
    assert {"configurations", "layers"} <= set(reported)


def test_workers_search_with_labels_like_one_process(model, tmp_path):
    names = sorted(path.name for path in IMAGES.glob("*.png"))
    (tmp_path / "labels.tsv").write_text("".join(f"{name}\t{class_of(name)}\n" for name in names))
    how = {"quantize": "s8", "calibration": IMAGES, "preprocessing": PIXELS, "labels": tmp_path / "labels.tsv",
           "max_loss": -100, "search_budget": 4}
    found = []
    for workers in (None, 2):
        with pytest.raises(nestrt.InvalidArgument, match="none of the 4 quantizations tried") as caught:
            nestrt.compile(model, **how, workers=workers)
        found.append(str(caught.value))
    assert found[0] == found[1]


def test_workers_evaluate_like_one_process(plan):
    names = sorted(path.name for path in IMAGES.glob("*.png"))
    labels = {name: class_of(name) for name in names}
    alone = nestrt.evaluate(plan, IMAGES, labels)
    shared = nestrt.evaluate(plan, IMAGES, labels, workers=2)
    assert shared.predictions == alone.predictions
    assert alone.n == len(names)
    assert alone.top1 > 0.8
    assert alone.interval[0] < alone.top1 <= alone.interval[1]
    assert alone.agreement(shared) == 1


class Column:
    """Classes in a table's column whose index has another order."""

    def __init__(self, classes):
        self.classes = classes

    def __len__(self):
        return len(self.classes)

    def __iter__(self):
        return iter(self.classes)

    def __getitem__(self, index):
        return self.classes[-1 - index]


def test_labels_in_order_are_read_by_iteration(plan, samples):
    classes = [top[0] for _, top in nestrt.evaluate(plan, samples).predictions]
    assert nestrt.evaluate(plan, samples, Column(classes)).top1 == 1


def test_unsigned_scores_are_sorted_correctly():
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 4])
    y = helper.make_tensor_value_info("y", TensorProto.UINT8, [1, 4])
    constants = [("scale", np.array(0.01, np.float32)), ("zero", np.array(0, np.uint8))]
    node = helper.make_node("QuantizeLinear", ["x", "scale", "zero"], ["y"])
    scores = nestrt.compile(make_model([node], [x], [y], constants))
    report = nestrt.evaluate(scores, [np.array([[0, 0.5, 0.2, 0.9]], np.float32)])
    assert report.predictions == [("[0]", [3, 1, 2, 0])]


def test_accuracy_at_chance_level_causes_a_warning(plan, samples):
    classes = [(top[0] + 1) % 10 for _, top in nestrt.evaluate(plan, samples).predictions]
    with pytest.warns(UserWarning, match="not above chance for 10 classes.*offset"):
        nestrt.evaluate(plan, samples, classes)


def test_concurrent_sweeps_restore_the_main_module():
    main = sys.modules["__main__"]

    def hide_main_repeatedly():
        for _ in range(200):
            with _workers._without_main():
                time.sleep(0)

    threads = [threading.Thread(target=hide_main_repeatedly) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sys.modules["__main__"] is main


def test_labels_must_match_the_samples(plan):
    with pytest.raises(nestrt.InvalidArgument, match="no class for"):
        nestrt.evaluate(plan, IMAGES, {"other.png": 1})
    with pytest.raises(nestrt.InvalidArgument, match="any other sample selected by limit"):
        nestrt.evaluate(plan, IMAGES, {"other.png": 1}, limit=2)
    with pytest.raises(TypeError, match="units: each worker opens its own"):
        nestrt.evaluate(plan, IMAGES, units=nestrt.Units("cpu"))
    with pytest.raises(nestrt.InvalidArgument, match="labels: expected .* got 2"):
        nestrt.evaluate(plan, IMAGES, [1, 2])


def test_tasks_of_a_killed_worker_are_retried(tmp_path):
    shared = {"marker": str(tmp_path / "killed")}
    assert _workers.ProcessPool(2).map(dies_once, shared, range(8), "", None) == [10 * item for item in range(8)]
    assert (tmp_path / "killed").exists()


def test_a_program_ends_if_workers_are_stopped_while_writing():
    program = """
import time

from nestrt import _workers
import test_workers

def map(stop):
    _workers.open_workers(2).map(test_workers.writes_much, {}, [0, 200 << 20], "work", stop)

def measure(what, done, total):
    if done:
        ends.append(time.monotonic())

def stop(what, done, total):
    if done:
        time.sleep((ends[1] - ends[0]) * part)
        raise RuntimeError("enough")

ends = []
map(measure)
for part in (0.2, 0.4, 0.6, 0.8):
    try:
        map(stop)
    except RuntimeError:
        print("ended")
"""
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(__file__)}
    ended = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True,
                           timeout=100)
    assert ended.stdout == "ended\n" * 4, ended.stderr


def test_threads_close_a_connection_once():
    reader, writer = multiprocessing.Pipe(duplex=False)
    close, closed = reader._close, []

    def close_slowly():
        closed.append(reader.fileno())
        time.sleep(0.1)  # until the other threads have called close()
        close()

    reader._close = close_slowly
    _workers._serialize_close(reader)
    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        for done in [threads.submit(reader.close) for _ in range(4)]:
            done.result()
    assert len(closed) == 1
    assert reader.closed
    writer.close()


def test_an_interrupt_during_the_start_of_a_worker_ends_the_program(default_sigint):
    program = """
import signal
import time
from multiprocessing.process import BaseProcess

from nestrt import _workers
import test_workers

def start_interrupted(process):
    start(process)
    time.sleep(1)  # until the process waits for work
    signal.raise_signal(signal.SIGINT)  # before the pool has recorded the process

start = BaseProcess.start
BaseProcess.start = start_interrupted
try:
    _workers.open_workers(2).map(test_workers.writes_much, {}, [1, 1], "work", None)
except KeyboardInterrupt:
    print("interrupted")
"""
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(__file__)}
    ended = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True,
                           timeout=100)
    assert ended.stdout == "interrupted\n", ended.stderr


def test_the_work_fails_if_workers_are_always_killed():
    with pytest.raises(RuntimeError, match="workers were lost"):
        _workers.ProcessPool(2).map(always_dies, {}, range(3), "", None)


def test_an_exception_of_a_task_reaches_the_caller():
    with pytest.raises(nestrt.NotFound, match="item 0 does not exist") as caught:
        _workers.ProcessPool(2).map(fails, {}, range(1), "", None)
    assert caught.value.where == "here"


def test_progress_counts_all_tasks(model, many_samples):
    reported = []
    nestrt.calibrate(model, many_samples, workers=2, progress=lambda *values: reported.append(values))
    assert [done for _, done, _ in reported] == [0, 1, 2, 3, 4]
    assert all(entry[0] == "calibrating" and entry[2] == 4 for entry in reported)


@pytest.mark.parametrize("workers", [0, -1, "ray:", "local:0", "local:x", "threads", 2.5, True, "ray="])
def test_invalid_worker_choices_are_rejected(model, samples, workers):
    with pytest.raises(ValueError, match="workers: expected"):
        nestrt.calibrate(model, samples, workers=workers)


def test_a_cluster_returns_the_results_of_one_process(ray, model, many_samples):
    seen = nestrt.calibrate(model, many_samples)
    assert text(nestrt.calibrate(model, many_samples, workers="ray")) == text(seen)
    alone = nestrt.sensitivity(model, seen, many_samples, limit=3, all_but_one=False)
    shared = nestrt.sensitivity(model, seen, many_samples, limit=3, all_but_one=False, workers="ray")
    assert json.dumps(shared.to_dict()) == json.dumps(alone.to_dict())


def test_a_cluster_searches_like_one_process(ray, model, bad_start):
    alone, shared = nestrt.compile(model, **bad_start), nestrt.compile(model, **bad_start, workers="ray")
    assert shared.report == alone.report
    assert shared.to_bytes() == alone.to_bytes()


def test_a_cluster_that_loses_a_worker_returns_the_same_result(ray, model, many_samples, tmp_path):
    divided = _samples.split_samples(many_samples, 0, 16)
    shared = {"model": pathlib.Path(model).read_bytes(), "options": {}, "skip_unreadable": False, "threads": 1}
    expected = _workers.InProcess().map(_tasks.observe, shared, divided, "", None)
    killed = {**shared, "marker": str(tmp_path / "killed"), "fatal": divided[2].names[0]}
    assert _workers.RayPool(None).map(observe_but_die_once, killed, divided, "", None) == expected
    assert (tmp_path / "killed").exists()


def test_an_exception_of_a_cluster_task_reaches_the_caller(ray):
    with pytest.raises(nestrt.NotFound, match="does not exist"):
        _workers.RayPool(None).map(fails, {}, range(2), "", None)


def test_a_program_without_a_main_guard_can_use_workers(model, tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import nestrt, sys\n"
                       "pixels = nestrt.Preprocessing(mean=(128, 128, 128), scale=(1 / 64,), resize=32)\n"
                       "seen = nestrt.calibrate(sys.argv[1], sys.argv[2], preprocessing=pixels, limit=4, workers=2)\n"
                       "print(seen.samples)\n")
    done = subprocess.run([sys.executable, program, model, IMAGES], capture_output=True, text=True, timeout=60)
    assert done.stdout == "4\n", done.stderr


def run_module(*arguments):
    return subprocess.run([sys.executable, "-m", "nestrt", *map(str, arguments)], capture_output=True, text=True,
                          timeout=60)


def test_the_command_line_calibrates_and_evaluates(model, plan, tmp_path):
    profile, found = tmp_path / "profile.yaml", tmp_path / "found.json"
    done = run_module("calibrate", model, IMAGES, "-o", profile, "--mean", "128", "--scale", "0.015625",
                      "--resize", "32", "--workers", "2")
    assert done.returncode == 0, done.stderr
    alone = nestrt.calibrate(model, IMAGES, preprocessing=PIXELS)
    assert text(nestrt.Calibration.load(profile)) == text(alone)
    done = run_module("evaluate", plan.path, IMAGES, "--workers", "local:2", "--json", found)
    assert done.returncode == 0, done.stderr
    assert json.loads(found.read_text())["n"] == len(list(IMAGES.glob("*.png")))


def test_the_command_line_compiles_with_a_loss_limit(model, tmp_path):
    output, found = tmp_path / "model.nest", tmp_path / "found.json"
    done = run_module("compile", model, IMAGES, "-o", output, "--mean", "128", "--scale", "0.015625", "--resize", "32",
                      "--max-loss", "50", "--workers", "2", "--json", found)
    assert done.returncode == 0, done.stderr
    report = json.loads(found.read_text())
    assert report["trials"][report["chosen"]]["loss"] <= 50
    alone = nestrt.compile(model, quantize="s8", calibration=IMAGES, preprocessing=PIXELS, max_loss=50)
    assert output.read_bytes() == alone.to_bytes()
    plain = run_module("compile", model, IMAGES, "-o", output, "--mean", "128", "--scale", "0.015625", "--resize", "32")
    assert plain.returncode == 0, plain.stderr
    refused = run_module("compile", model, IMAGES, "-o", output, "--labels", found)
    assert refused.returncode == 2 and "max_loss" in refused.stderr


def test_the_command_line_starts_its_own_ray(plan, tmp_path):
    pytest.importorskip("ray")
    found = tmp_path / "found.json"
    done = run_module("evaluate", plan.path, IMAGES, "--workers", "ray", "--json", found)
    assert done.returncode == 0, done.stderr
    alone = nestrt.evaluate(plan, IMAGES)
    assert json.loads(found.read_text())["predictions"] == [[name, classes] for name, classes in alone.predictions]


@pytest.mark.parametrize("arguments", [
    ("calibrate", "absent.onnx", "absent", "-o", "x.yaml"), ("evaluate", "absent.nest", "absent"),
    ("sensitivity", "absent.onnx", "absent", "--workers", "threads"), ("nonsense",),
])
def test_the_command_line_exits_with_2_for_bad_input(arguments):
    done = run_module(*arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
