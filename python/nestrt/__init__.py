# SPDX-License-Identifier: Apache-2.0
"""Compiles ONNX models for boards with an ARM CPU and an FPGA NPU, and runs them.

    import nestrt

    plan = nestrt.compile("model.onnx", "model.nest")
    session = nestrt.Session(plan, threads=4)
    outputs = session.run({"data": array})     # a dict of NumPy arrays by name

See docs/how-to/python.md for an introduction. Errors are raised as subclasses of nestrt.Error, such as
nestrt.InvalidArgument and nestrt.InvalidPlan.
"""

from ._errors import (
    Cancelled,
    DeadlineExceeded,
    DeviceFault,
    Error,
    Incompatible,
    InputOutput,
    InternalError,
    InvalidArgument,
    InvalidModel,
    InvalidPlan,
    NotFound,
    OutOfMemory,
    Unavailable,
    Unsupported,
)
from ._evaluation import TaskReport, evaluate_task
from ._frame import Frame
from ._nestrt import set_progress, version
from ._plan import Plan, Preprocessing, Quantization, TensorSpec
from ._reports import BenchReport, Calibration, CheckReport, ProfileReport, SimulateReport
from ._session import Pipeline, Session, Units
from ._sweeps import EvaluateReport, SensitivityReport, evaluate
from ._tools import bench, calibrate, check, compile, profile, sensitivity, simulate

__version__ = version()

__all__ = [
    "BenchReport",
    "Calibration",
    "Cancelled",
    "CheckReport",
    "DeadlineExceeded",
    "DeviceFault",
    "Error",
    "EvaluateReport",
    "Frame",
    "Incompatible",
    "InputOutput",
    "InternalError",
    "InvalidArgument",
    "InvalidModel",
    "InvalidPlan",
    "NotFound",
    "OutOfMemory",
    "Pipeline",
    "Plan",
    "Preprocessing",
    "ProfileReport",
    "Quantization",
    "SensitivityReport",
    "Session",
    "SimulateReport",
    "TaskReport",
    "TensorSpec",
    "Unavailable",
    "Units",
    "Unsupported",
    "__version__",
    "bench",
    "calibrate",
    "check",
    "compile",
    "evaluate",
    "evaluate_task",
    "profile",
    "sensitivity",
    "set_progress",
    "simulate",
    "version",
]
