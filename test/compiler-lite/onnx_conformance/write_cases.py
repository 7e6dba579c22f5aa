#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generates the operator tests of the onnx package, with the folder structure of Debian's libonnx-testdata.

Writes model.onnx and the test data to ${XDG_CACHE_HOME:-~/.cache}/nestrt/onnx-cases/VERSION/GROUP/CASE, and version.txt
next to VERSION once all cases exist. Run it with the interpreter that compiler-lite/check/ort_environment.py prints.
"""

import os
import pathlib
import shutil
import sys
import warnings

import onnx
from onnx import TensorProto, numpy_helper

GROUPS = ("pytorch-converted", "pytorch-operator", "simple")  # stored as files in the package


def cases_folder():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(base) / "nestrt" / "onnx-cases"


def proto_of(value, info):
    if isinstance(value, TensorProto):
        return value
    kind = info.type.WhichOneof("value")
    convert = {
        "sequence_type": numpy_helper.from_list,
        "optional_type": numpy_helper.from_optional,
        "map_type": numpy_helper.from_dict,
    }.get(kind, numpy_helper.from_array)
    return convert(value, info.name)


def write_values(folder, prefix, values, infos):
    for i, (value, info) in enumerate(zip(values, infos)):
        (folder / f"{prefix}_{i}.pb").write_bytes(proto_of(value, info).SerializeToString())


def write_case(case, folder):
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(case.model.SerializeToString())
    for i, (inputs, outputs) in enumerate(case.data_sets):
        data = folder / f"test_data_set_{i}"
        data.mkdir()
        write_values(data, "input", inputs, case.model.graph.input)
        write_values(data, "output", outputs, case.model.graph.output)


def main():
    folder = cases_folder()
    marker = folder / "version.txt"
    if marker.is_file() and marker.read_text() == onnx.__version__:
        return
    print("writing the operator tests of onnx", onnx.__version__, "to", folder, file=sys.stderr)
    shutil.rmtree(folder, ignore_errors=True)
    warnings.simplefilter("ignore")  # some tests overflow intentionally
    from onnx.backend.test.case.node import collect_testcases

    version = folder / onnx.__version__
    for case in collect_testcases(None):
        write_case(case, version / "node" / case.name)
    data = pathlib.Path(onnx.__file__).parent / "backend" / "test" / "data"
    for group in GROUPS:
        if (data / group).is_dir():
            shutil.copytree(data / group, version / group)
    marker.write_text(onnx.__version__)


if __name__ == "__main__":
    main()
