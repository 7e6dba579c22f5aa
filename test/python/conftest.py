# SPDX-License-Identifier: Apache-2.0
"""Shared fixtures. The tests run in a clean environment outside of the source tree: script/dev/wheel --test."""

import os
import pathlib
import signal
import subprocess
import sys

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import nestrt

EXAMPLES = pathlib.Path(os.environ["NESTRT_EXAMPLES"])
DATA = pathlib.Path(os.environ.get("NESTRT_SHARED", EXAMPLES.parent.parent / "shared")) / "data"
PIXELS = nestrt.Preprocessing(mean=(128, 128, 128), scale=(1 / 64,), resize=32)


def run_example(name, *arguments, cwd=None):
    """Runs an example in a separate process, like a user."""
    program = [sys.executable, EXAMPLES / "python" / name, *map(str, arguments)]
    return subprocess.run(program, cwd=cwd, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="session", autouse=True)
def caches(tmp_path_factory):
    """Disables the user's cost cache. The environment of ONNX Runtime stays shared."""
    os.environ["NESTRT_COST_CACHE"] = ""


@pytest.fixture(scope="session")
def cluster():
    """A Ray instance with two workers. On a busy machine they may need longer than Ray's timeout of 30 s."""
    ray = pytest.importorskip("ray")
    for _ in range(4):
        try:
            ray.init(num_cpus=2, log_to_driver=False, include_dashboard=False)
            break
        except Exception as error:
            ray.shutdown()
            reason = str(error)
    else:
        pytest.skip(f"Ray does not start on this machine: {reason}")
    yield ray
    ray.shutdown()


@pytest.fixture(scope="session")
def model():
    """The demo network: 10 classes of 32x32 images."""
    return EXAMPLES / "models" / "nest_squeeze_cifar10.onnx"


@pytest.fixture(scope="session")
def plan(model, tmp_path_factory):
    return nestrt.compile(model, tmp_path_factory.mktemp("plan") / "demo.nest", preprocessing=PIXELS)


@pytest.fixture(scope="session")
def cat(plan):
    return plan.preprocess(EXAMPLES / "images" / "cat.png")


@pytest.fixture(scope="session")
def samples(plan):
    images = sorted((EXAMPLES / "images").glob("*.png"))
    return np.concatenate([plan.preprocess(image) for image in images])


@pytest.fixture(scope="session")
def quantized(model, samples):
    return nestrt.compile(model, quantize="s8", calibration=samples, preprocessing=PIXELS)


@pytest.fixture(scope="session")
def board_plan(model, samples):
    """A plan with programs for the CPU and EVTA."""
    return nestrt.compile(
        model, quantize="s8", calibration=samples, preprocessing=PIXELS, target="zcu102", tuning_cache="none"
    )


@pytest.fixture(scope="session")
def two_by_two():
    """An onnx.ModelProto with sum = a + b and product = a * b, in f32 [2, 3]."""
    tensors = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 3]) for name in ("a", "b", "sum", "product")]
    nodes = [helper.make_node("Add", ["a", "b"], ["sum"]), helper.make_node("Mul", ["a", "b"], ["product"])]
    return make_model(nodes, tensors[:2], tensors[2:])


def make_model(nodes, inputs, outputs, constants=()):
    """Returns a checked model of the nodes, with constants as initializers."""
    initializers = [numpy_helper.from_array(value, name) for name, value in constants]
    graph = helper.make_graph(nodes, "test", inputs, outputs, initializers)
    result = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    result.ir_version = 8
    onnx.checker.check_model(result)
    return result


@pytest.fixture(scope="session")
def slow_session():
    """A session that can be interrupted, with twenty large convolutions, and its input."""
    weights = np.full((64, 64, 3, 3), 1e-3, np.float32)
    names = ["x"] + [f"y{i}" for i in range(20)]
    nodes = [helper.make_node("Conv", [a, "weights"], [b], pads=[1, 1, 1, 1]) for a, b in zip(names, names[1:])]
    shape = [1, 64, 256, 256]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in (names[0], names[-1])]
    network = make_model(nodes, ends[:1], ends[1:], [("weights", weights)])
    return nestrt.Session(nestrt.compile(network), threads=1), np.zeros(shape, np.float32)


@pytest.fixture
def default_sigint():
    """Installs Python's SIGINT handler, because test runs in the background may ignore the signal."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
