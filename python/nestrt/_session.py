# SPDX-License-Identifier: Apache-2.0
"""Units, sessions and pipelines: plans loaded on units, ready to run."""

from __future__ import annotations

import os
import threading
from typing import Any, Dict, Optional, Tuple, Union

import numpy as np

from . import _nestrt
from ._errors import Error
from ._html import table
from ._plan import PathLike, Plan
from ._values import path_text


def drop_none(**options: Any) -> Dict[str, Any]:
    """Returns the options that are not None, with paths as text."""
    return {
        name: path_text(value) if isinstance(value, (str, os.PathLike)) else value
        for name, value in options.items()
        if value is not None
    }


def as_plan(plan: Union[Plan, PathLike, bytes]) -> Plan:
    """Returns the plan, loading it if a path or bytes are given."""
    return plan if isinstance(plan, Plan) else Plan(plan)


class Units:
    """Units opened once for any number of sessions, which share the threads and accelerators.

    units: a list such as "cpu", "cpu,evta", "cpu,evta:sim" (simulated) or "evta:2_1x32_15_15_18_17,cpu".
    threads: number of CPU threads; 0 uses all cores available to this process.
    plan: the plan whose configuration is used for units without one.
    cpus: CPUs to use, such as "0-1,3"; the calling thread is pinned to them.
    pace: minimum run time of simulated units, as a multiple of their modelled time.
    xclbin: the bitstream of the board's FPGA.
    device: the board to use.
    device_wait: how long to wait, in seconds, if another process uses the accelerator.
    plugin: the vendor's library.
    plugin_options: options for the library's devices, "NAME=VALUE,..."; "1:NAME=VALUE" applies to the second only.
    isolate: run the vendor's library in a separate process.

    Raises InvalidArgument for an unknown unit, Unavailable if a unit is not available.
    """

    def __init__(
        self,
        units: str = "cpu",
        *,
        threads: int = 0,
        plan: Optional[Plan] = None,
        cpus: Optional[str] = None,
        pace: float = 0.0,
        xclbin: Optional[PathLike] = None,
        device: Optional[str] = None,
        device_wait: float = 0.0,
        plugin: Optional[PathLike] = None,
        plugin_options: Optional[str] = None,
        isolate: bool = False,
    ) -> None:
        options = drop_none(
            units=units, threads=threads, cpus=cpus, pace=pace, xclbin=xclbin, device=device,
            device_wait=device_wait, plugin=plugin, plugin_options=plugin_options,
            isolate=isolate,
        )
        self._core = _nestrt.Units(plan._core if plan is not None else None, options)

    @property
    def info(self) -> Tuple[Dict[str, Any], ...]:
        """The name, kind, configuration, threads and is_host of each unit."""
        return tuple(self._core._describe())

    def __repr__(self) -> str:
        return f"<nestrt.Units {', '.join(unit['name'] for unit in self.info)}>"


def _open_units(units: Union[str, Units], plan: Plan, threads: Optional[int], options: Dict[str, Any]) -> Units:
    if not isinstance(units, Units):
        return Units(units, threads=threads or 0, plan=plan, **options)
    if threads is not None or options:
        raise TypeError("threads and unit options: pass them to Units(...); the given units are open already")
    return units


class _Loaded:
    """Base class of objects that load a plan on units."""

    _plan: Plan
    _units: Units

    @property
    def plan(self) -> Plan:
        """The plan."""
        return self._plan

    @property
    def units(self) -> Units:
        """The units."""
        return self._units


class Session(_Loaded, _nestrt.Session):
    """A plan loaded on units, ready to run. The constructor allocates all memory except that of the outputs.

    plan: a Plan, a path, or a plan file's content as bytes.
    units: a list as for Units, or Units to share.
    threads: number of CPU threads; 0 uses all cores available to this process. Not allowed with Units.
    deadline: time limit of each run in seconds; None disables it.
    priority: "normal" or "urgent"; urgent sessions precede others on shared units and threads.
    schedule: how branches are placed: "file-order", "sequential", "group-enumeration" or "optimum"
        (docs/concepts/scheduling.md).
    split: allow an operator to be split across units.
    partition: a file that places the branches, instead of a schedule.
    cost_file: a file that stores costs measured on this board.
    keep_costs: store measured costs in the user's cache for the next session of this plan.
    measure: measure costs now, which takes as long as several tens of inferences.
    check_every: recompute the results of other units on the CPU every N runs; 0 disables the check.
    unit_timeout: seconds after which an accelerator counts as failed.

    Further options are those of Units.

    Only one run at a time is possible per session; a second thread waits. Different sessions may run concurrently. A
    child process made by fork() must create its own sessions.

    Raises Unavailable, Incompatible, NotFound, OutOfMemory, InvalidArgument.
    """

    def __init__(
        self,
        plan: Union[Plan, PathLike, bytes],
        units: Union[str, Units] = "cpu",
        *,
        threads: Optional[int] = None,
        deadline: Optional[float] = None,
        priority: str = "normal",
        schedule: Optional[str] = None,
        split: bool = True,
        partition: Optional[PathLike] = None,
        cost_file: Optional[PathLike] = None,
        keep_costs: bool = True,
        measure: bool = False,
        check_every: int = 0,
        unit_timeout: Optional[float] = None,
        **unit_options: Any,
    ) -> None:
        if priority not in ("normal", "urgent"):
            raise ValueError(f"priority: expected 'normal' or 'urgent', got {priority!r}")
        self._plan = as_plan(plan)
        self._units = _open_units(units, self._plan, threads, unit_options)
        options = drop_none(
            schedule=schedule, split=split, partition=partition, cost_file=cost_file, keep_costs=keep_costs,
            measure=measure, check_every=check_every, unit_timeout=unit_timeout, urgent=priority == "urgent",
        )
        super().__init__(self._plan._core, self._units._core, deadline, options)

    @property
    def operators(self) -> Tuple[Dict[str, Any], ...]:
        """The name, kind, unit, kernel, shape, type (such as "s8 2^-4") and macs of each operator."""
        return tuple(self._operators())

    @property
    def schedule(self) -> Tuple[Dict[str, Any], ...]:
        """The steps of the next run: branch, unit, lane, threads, predicted_us, waits (steps to wait for)."""
        return tuple(self._schedule())

    def __repr__(self) -> str:
        return f"<nestrt.Session of {self._plan!r} on {self._units!r}>"

    def _repr_html_(self) -> str:
        rows = [(op["name"], op["kind"], op["unit"], op["kernel"], op["type"], op["shape"]) for op in self.operators]
        return table(repr(self._units), ("operator", "kind", "unit", "kernel", "type", "shape"), rows)


class Pipeline(_Loaded, _nestrt.Pipeline):
    """A plan with several inferences in flight, so that all units stay busy.

    Compared with Session, throughput is higher and the latency of each inference is longer.

    plan, units, threads, cost_file, keep_costs: as for Session, whose other options are not supported.
    in_flight: the number of concurrent inferences; 0 uses three per unit.
    waiting: the number of further inferences that submit() accepts.

    Further options are those of Units.

    Errors of an inference are raised by submit() if it can detect them, otherwise by the matching next(). Other
    inferences are not affected.

    One thread may call submit() while another calls next(). Further threads calling the same method wait.
    """

    def __init__(
        self,
        plan: Union[Plan, PathLike, bytes],
        units: Union[str, Units] = "cpu",
        *,
        threads: int = 0,
        in_flight: int = 0,
        waiting: int = 4,
        cost_file: Optional[PathLike] = None,
        keep_costs: bool = True,
        **unit_options: Any,
    ) -> None:
        self._plan = as_plan(plan)
        self._units = _open_units(units, self._plan, threads or None, unit_options)
        for name, value in (("in_flight", in_flight), ("waiting", waiting)):
            if value < 0:
                raise ValueError(f"{name}: expected at least 0, got {value}")
        options = drop_none(cost_file=cost_file, keep_costs=keep_costs)
        super().__init__(self._plan._core, self._units._core, in_flight, waiting, options)
        self._submit_lock = threading.Lock()
        self._next_lock = threading.Lock()
        self._submission = threading.Condition()
        self._submitted = self._returned = 0

    def submit(self, inputs: Any) -> None:
        """Submits an inference, with inputs in the forms that Session.run() accepts.

        If `capacity` inferences are already in the pipeline, waits until another thread has called next(). Do not
        change the arrays until next() has returned the result; a nestrt.Frame is converted first, so its pixels may
        change. KeyboardInterrupt ends the wait.
        """
        with self._submit_lock:
            super().submit(inputs)
            with self._submission:
                self._submitted += 1
                self._submission.notify_all()

    def next(self, wait: bool = False) -> Dict[str, np.ndarray]:
        """Waits for the oldest inference whose result was not yet returned, and returns its outputs by name.

        wait: if no inference is submitted, wait for another thread to submit one instead of raising InvalidArgument.
        """
        with self._next_lock:
            if wait:
                with self._submission:
                    self._submission.wait_for(lambda: self._submitted > self._returned)
            is_due = self._submitted > self._returned
            try:
                outputs = super().next()
            except Error:
                self._returned += is_due  # a failed inference counts; exceptions of signal handlers do not
                raise
            self._returned += 1
            return outputs
