"""A network whose one output are the numbers of its picture input, one row: pixels_model.py CHANNELS,HEIGHT,WIDTH OUT.onnx"""

import sys

import onnx
from onnx import TensorProto, helper

shape = [1, *map(int, sys.argv[1].split(","))]
graph = helper.make_graph(
    [helper.make_node("Flatten", ["picture"], ["numbers"], name="numbers")], "pixels",
    [helper.make_tensor_value_info("picture", TensorProto.FLOAT, shape)],
    [helper.make_tensor_value_info("numbers", TensorProto.FLOAT, [1, shape[1] * shape[2] * shape[3]])])
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), sys.argv[2])
