# SPDX-License-Identifier: Apache-2.0
"""Tests the execution provider with the Python package of ONNX Runtime.

    provider_test.py LIBRARY BIN_DIR

Exit code 77 if ONNX Runtime cannot be installed (compiler-lite/check/ort_environment.py)."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
MODELS = pathlib.Path(os.environ.get("NESTRT_SHARED", ROOT.parent / "shared")) / "data" / "models"
DEMO = ROOT / "examples/models/nest_squeeze_cifar10.onnx"
IN_ENVIRONMENT = "NESTRT_IN_ORT_ENVIRONMENT"


def enter_environment():
    """Runs this file with a Python in which ONNX Runtime is installed."""
    found = subprocess.run([sys.executable, ROOT / "compiler-lite/check/ort_environment.py"], stdout=subprocess.PIPE, text=True)
    if found.returncode != 0:
        print("skipped: ONNX Runtime cannot be installed")
        sys.exit(77)
    os.environ[IN_ENVIRONMENT] = "1"
    python = found.stdout.strip()
    os.execv(python, [python, *sys.argv])


if IN_ENVIRONMENT not in os.environ:
    enter_environment()

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

LIBRARY, BIN = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
# f32 results may differ from ONNX Runtime by 1e-5 per operator relative to the largest value; errors add up over the
# about 100 layers of the networks here, mostly with opposite signs.
TOLERANCE = 1e-4


def random_inputs(session):
    generator = np.random.default_rng(1)
    return {value.name: generator.standard_normal(value.shape).astype(np.float32) for value in session.get_inputs()}


def value(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def model_of(nodes, inputs, outputs, constants=()):
    tensors = [numpy_helper.from_array(array, name) for name, array in dict(constants).items()]
    graph = helper.make_graph(nodes, "test", inputs, outputs, tensors)
    opsets = [helper.make_opsetid("", 17)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()


def weights(*shape):
    return (np.random.default_rng(2).standard_normal(shape) / 8).astype(np.float32)


def convolutions(prefix, source, count):
    """Returns pairs of a 3x3 convolution with weight "w" and a Relu; the last result is named PREFIX."""
    nodes = []
    for i in range(count):
        result = prefix if i == count - 1 else f"{prefix}{i}"
        nodes.append(helper.make_node("Conv", [source, "w"], [f"{result}_sum"], f"{result}_conv", pads=[1, 1, 1, 1]))
        nodes.append(helper.make_node("Relu", [f"{result}_sum"], [result], f"{result}_relu"))
        source = result
    return nodes


def mixed_model():
    """Convolutions, then a Det, which nestc does not support, then convolutions of its result."""
    nodes = [*convolutions("a", "x", 2), helper.make_node("Det", ["a"], ["d"], "det"),
             helper.make_node("Mul", ["a", "k"], ["m"], "scale"), helper.make_node("Reshape", ["d", "s"], ["r"], "shape"),
             helper.make_node("Add", ["m", "r"], ["t"], "sum"), *convolutions("y", "t", 2)]
    constants = {"w": weights(4, 4, 3, 3), "k": np.float32([0.5]), "s": np.int64([1, 4, 1, 1])}
    return model_of(nodes, [value("x", [1, 4, 8, 8])], [value("y", [1, 4, 8, 8])], constants)


def qdq_model():
    """Two quantized convolutions in QDQ form. All scales are powers of two and all sums of 72 products are
    below 2^24 steps, so f32 represents every value exactly and runtimes must agree."""
    constants = {"zero": np.uint8(128), "wzero": np.int8(0)}
    nodes, last = [], "x"
    for i in range(2):
        constants.update({f"s{i}": np.float32(2.0**-(6 - i)), f"ws{i}": np.float32(2.0**-7),
                          f"w{i}": np.random.default_rng(i).integers(-127, 128, (8, 8, 3, 3)).astype(np.int8)})
        for kind, suffix, source in (("QuantizeLinear", "q", last), ("DequantizeLinear", "f", f"{last}q")):
            nodes.append(helper.make_node(kind, [source, f"s{i}", "zero"], [f"{last}{suffix}"], f"{last}{suffix}"))
        nodes.append(helper.make_node("DequantizeLinear", [f"w{i}", f"ws{i}", "wzero"], [f"wf{i}"], f"wf{i}"))
        nodes.append(helper.make_node("Conv", [f"{last}f", f"wf{i}"], [f"c{i}"], f"c{i}", pads=[1, 1, 1, 1]))
        last = f"c{i}"
    return model_of(nodes, [value("x", [1, 8, 12, 12])], [value(last, [1, 8, 12, 12])], constants)


def conditional_model():
    """The branches of an If read a result of the convolutions."""
    branches = []
    for name, kind in (("then", "Neg"), ("else", "Abs")):
        node = helper.make_node(kind, ["a"], [f"{name}_result"], f"{name}_node")
        branches.append(helper.make_graph([node], name, [], [value(f"{name}_result", [1, 4, 8, 8])]))
    nodes = [*convolutions("a", "x", 2),
             helper.make_node("If", ["c"], ["b"], "if", then_branch=branches[0], else_branch=branches[1]),
             *convolutions("y", "b", 2)]
    inputs = [value("x", [1, 4, 8, 8]), value("c", [], TensorProto.BOOL)]
    return model_of(nodes, inputs, [value("y", [1, 4, 8, 8])], {"w": weights(4, 4, 3, 3)})


class Provider(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.environ["NESTRT_COST_CACHE"] = ""
        onnxruntime.register_execution_provider_library("nestrt", str(LIBRARY))
        cls.devices = [device for device in onnxruntime.get_ep_devices() if device.ep_name == "nestrt"]

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def session(self, model, uses_nestrt=True, optimised=True, dims=None, **options):
        settings = onnxruntime.SessionOptions()
        settings.log_severity_level = 3
        settings.enable_profiling = True
        settings.profile_file_prefix = str(self.folder / "profile")
        if not optimised:
            settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        for name, size in (dims or {}).items():
            settings.add_free_dimension_override_by_name(name, size)
        if uses_nestrt:
            settings.add_provider_for_devices(self.devices, {name: str(value) for name, value in options.items()})
        model = model if isinstance(model, bytes) else str(model)
        # Otherwise, if the provider fails, ONNX Runtime would use its CPU provider.
        return onnxruntime.InferenceSession(model, settings, enable_fallback=False)

    def nodes_run(self, session):
        """Returns the number of nodes that each provider ran since the session was created."""
        events = json.loads(pathlib.Path(session.end_profiling()).read_text())
        counts = {}
        for event in events:
            provider = event.get("args", {}).get("provider")
            if provider:
                counts[provider] = counts.get(provider, 0) + 1
        return counts

    def assert_close(self, actual, expected):
        self.assertEqual(len(actual), len(expected))
        for mine, theirs in zip(actual, expected):
            self.assertEqual(mine.dtype, theirs.dtype)
            np.testing.assert_allclose(mine, theirs, rtol=0, atol=TOLERANCE * np.abs(theirs).max())

    def run_alone(self, model, inputs):
        """Returns the outputs by name, computed with nestc and nestrt without ONNX Runtime."""
        plan, out = self.folder / "alone.nest", self.folder / "out"
        subprocess.run([BIN / "nestc", "compile", model, "-o", plan], check=True, capture_output=True)
        arguments = []
        for name, array in inputs.items():
            np.save(self.folder / "in.npy", array)
            arguments += ["--input", f"{name}={self.folder / 'in.npy'}"]
        subprocess.run([BIN / "nestrt", "run", plan, *arguments, "--output", out], check=True, capture_output=True)
        return [np.load(file) for file in sorted(out.glob("*.npy"))]

    def check_network(self, model):
        reference = self.session(model, uses_nestrt=False)
        inputs = random_inputs(reference)
        expected = reference.run(None, inputs)
        session = self.session(model)
        self.assert_close(session.run(None, inputs), expected)
        self.assertEqual(self.nodes_run(session), {"nestrt": 1})
        exact = self.session(model, optimised=False).run(None, inputs)
        np.testing.assert_array_equal(exact[0].view(np.int32), self.run_alone(model, inputs)[0].view(np.int32))

    def test_the_demo_network_is_bit_identical_to_nestrt_alone(self):
        self.check_network(DEMO)

    def test_imagenet_networks_are_bit_identical_to_nestrt_alone(self):
        for name in ("squeezenet1.1.onnx", "mobilenet_v2_1.0_224_qat_deq.onnx"):
            if not (MODELS / name).is_file():
                self.skipTest(f"{name} is missing from {MODELS}")
            with self.subTest(name):
                self.check_network(MODELS / name)

    def test_a_quantized_model_gives_the_results_of_onnx_runtime(self):
        model, inputs = qdq_model(), {"x": np.random.default_rng(3).standard_normal((1, 8, 12, 12)).astype(np.float32)}
        session = self.session(model, optimised=False)
        expected = self.session(model, False, optimised=False).run(None, inputs)
        actual = session.run(None, inputs)
        np.testing.assert_array_equal(actual[0], expected[0])
        self.assertEqual(self.nodes_run(session), {"nestrt": 1})
        (self.folder / "qdq.onnx").write_bytes(model)
        alone = self.run_alone(self.folder / "qdq.onnx", inputs)
        np.testing.assert_array_equal(actual[0], alone[0])

    def test_unsupported_nodes_stay_with_onnx_runtime(self):
        model, inputs = mixed_model(), {"x": np.random.default_rng(3).standard_normal((1, 4, 8, 8)).astype(np.float32)}
        session = self.session(model)
        self.assert_close(session.run(None, inputs), self.session(model, False).run(None, inputs))
        self.assertEqual(self.nodes_run(session), {"nestrt": 2, "CPUExecutionProvider": 1})

    def test_nodes_with_subgraphs_stay_with_onnx_runtime(self):
        model = conditional_model()
        session, reference = self.session(model), self.session(model, False)
        for condition in (True, False):
            inputs = {"x": np.random.default_rng(3).standard_normal((1, 4, 8, 8)).astype(np.float32),
                      "c": np.array(condition)}
            self.assert_close(session.run(None, inputs), reference.run(None, inputs))
        self.assertEqual(self.nodes_run(session)["nestrt"], 4)

    def test_dynamic_dimensions_run_on_nestrt_once_they_are_fixed(self):
        model = model_of(convolutions("y", "x", 2), [value("x", ["batch", 4, 8, 8])], [value("y", ["batch", 4, 8, 8])],
                         {"w": weights(4, 4, 3, 3)})
        inputs = {"x": np.random.default_rng(3).standard_normal((2, 4, 8, 8)).astype(np.float32)}
        dynamic, fixed = self.session(model), self.session(model, dims={"batch": 2})
        self.assert_close(fixed.run(None, inputs), dynamic.run(None, inputs))
        self.assertEqual(self.nodes_run(fixed), {"nestrt": 1})
        self.assertNotIn("nestrt", self.nodes_run(dynamic))

    def test_small_groups_stay_with_onnx_runtime(self):
        model = model_of(convolutions("y", "x", 2), [value("x", [1, 4, 8, 8])], [value("y", [1, 4, 8, 8])],
                         {"w": weights(4, 4, 3, 3)})
        inputs = {"x": np.ones((1, 4, 8, 8), np.float32)}
        for limit, expected in ((4, True), (5, False)):
            session = self.session(model, optimised=False, min_nodes=limit)
            session.run(None, inputs)
            self.assertEqual("nestrt" in self.nodes_run(session), expected)

    def test_errors_name_invalid_options(self):
        for option, text in (({"thread": 2}, "unknown option ep.nestrt.thread"),
                             ({"threads": "two"}, "option ep.nestrt.threads: expected a number"),
                             ({"units": "gpu"}, "gpu")):
            with self.subTest(option), self.assertRaisesRegex(Exception, text):
                self.session(DEMO, **option)

    def test_concurrent_runs_of_one_session_give_the_same_results(self):
        session = self.session(mixed_model(), threads=1)
        generator = np.random.default_rng(4)
        inputs = [{"x": generator.standard_normal((1, 4, 8, 8)).astype(np.float32)} for _ in range(4)]
        expected = [session.run(None, each)[0] for each in inputs]
        wrong = []

        def work(index):
            for _ in range(25):
                if not np.array_equal(session.run(None, inputs[index])[0], expected[index]):
                    wrong.append(index)

        threads = [threading.Thread(target=work, args=(index,)) for index in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_plans_are_cached_and_damaged_plans_replaced(self):
        cache = self.folder / "plans"
        first = self.session(DEMO, cache=cache)
        inputs = random_inputs(first)
        expected = first.run(None, inputs)[0]
        (file,) = cache.glob("*.nest")
        content = file.read_bytes()
        damaged = bytearray(content)
        damaged[len(damaged) // 2] ^= 1
        for kept in (content, bytes(damaged), b"no plan"):
            file.write_bytes(kept)
            np.testing.assert_array_equal(self.session(DEMO, cache=cache).run(None, inputs)[0], expected)
            self.assertEqual(file.read_bytes(), content)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
