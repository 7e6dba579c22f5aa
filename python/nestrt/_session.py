# SPDX-License-Identifier: Apache-2.0
"""Sessions: plans that are loaded on units, ready to run."""

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


def given(**options: Any) -> Dict[str, Any]:
    """Those that are not None, with paths as text."""
    return {
        name: path_text(value) if isinstance(value, (str, os.PathLike)) else value
        for name, value in options.items()
        if value is not None
    }


def as_plan(plan: Union[Plan, PathLike, bytes]) -> Plan:
    return plan if isinstance(plan, Plan) else Plan(plan)


class Units:
    """Units that were opened once, for any number of sessions: they share its threads and accelerators.

    units: a list such as "cpu", "cpu,evta", "cpu,evta:sim" (simulated), "evta:2_1x32_15_15_18_17,cpu".
    threads: of the CPU; 0: all cores that this process may use.
    plan: units without a configuration get the one that it was compiled for.
    cpus: the machine's CPUs that may be used, such as "0-1,3"; the calling thread stays on them.
    pace: simulated units take at least so many times their modelled time.
    xclbin, device: what the fabric of a board runs, and which board.
    plugin, isolate: a vendor's library, and whether it runs in a process of its own.

    Raises InvalidArgument for an unknown unit, Unavailable where there is none.
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
        plugin: Optional[PathLike] = None,
        isolate: bool = False,
    ) -> None:
        options = given(
            units=units, threads=threads, cpus=cpus, pace=pace, xclbin=xclbin, device=device, plugin=plugin,
            isolate=isolate,
        )
        self._core = _nestrt.Units(plan._core if plan is not None else None, options)

    @property
    def info(self) -> Tuple[Dict[str, Any], ...]:
        """name, kind, configuration, threads and is_host of each unit."""
        return tuple(self._core._describe())

    def __repr__(self) -> str:
        return f"<nestrt.Units {', '.join(unit['name'] for unit in self.info)}>"


def _opened(units: Union[str, Units], plan: Plan, threads: Optional[int], options: Dict[str, Any]) -> Units:
    if not isinstance(units, Units):
        return Units(units, threads=threads or 0, plan=plan, **options)
    if threads is not None or options:
        raise TypeError("threads and options of units belong to Units(...), which is open already")
    return units


class _Loaded:
    """What has a plan and the units that it is loaded on."""

    _plan: Plan
    _units: Units

    @property
    def plan(self) -> Plan:
        return self._plan

    @property
    def units(self) -> Units:
        return self._units


class Session(_Loaded, _nestrt.Session):
    """A plan that is loaded on units, ready to run. Creating it allocates all memory but that of the outputs.

    plan: a Plan, or what makes one.
    units: as Units takes them, or Units to share.
    threads: of the CPU; 0: all cores that this process may use. Not with Units.
    deadline: seconds that each run may take; None: any time.
    priority: "urgent": units and threads that sessions share take this session's work first; else "normal".
    schedule: how branches are placed: "file-order", "sequential", "group-enumeration" or "optimum" (docs/concepts/scheduling.md).
    split: one operator may be divided between units.
    partition: a file that places the branches, instead of a schedule.
    cost_file: costs measured on this board are kept here.
    keep_costs: what runs have shown is kept in the user's cache for the next session of this plan.
    measure: measure costs now, which takes as long as some tens of inferences.
    check_every: in every so many runs the CPU computes again what other units have computed; 0: never.
    unit_timeout: seconds after which an accelerator has failed.
    Further options are those of Units.

    Threads: one run at a time, a second thread waits; sessions may run side by side. After fork() a child makes
    sessions of its own. Raises Unavailable, Incompatible, NotFound, OutOfMemory, InvalidArgument.
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
        self._units = _opened(units, self._plan, threads, unit_options)
        options = given(
            schedule=schedule, split=split, partition=partition, cost_file=cost_file, keep_costs=keep_costs,
            measure=measure, check_every=check_every, unit_timeout=unit_timeout, urgent=priority == "urgent",
        )
        super().__init__(self._plan._core, self._units._core, deadline, options)

    @property
    def operators(self) -> Tuple[Dict[str, Any], ...]:
        """name, kind, unit, kernel, shape, type ("s8 2^-4") and macs of each operator."""
        return tuple(self._operators())

    @property
    def schedule(self) -> Tuple[Dict[str, Any], ...]:
        """The steps of the next run: branch, unit, lane, threads, predicted_us, waits (for earlier steps)."""
        return tuple(self._schedule())

    def __repr__(self) -> str:
        return f"<nestrt.Session of {self._plan!r} on {self._units!r}>"

    def _repr_html_(self) -> str:
        rows = [(op["name"], op["kind"], op["unit"], op["kernel"], op["type"], op["shape"]) for op in self.operators]
        return table(repr(self._units), ("operator", "kind", "unit", "kernel", "type", "shape"), rows)


class Pipeline(_Loaded, _nestrt.Pipeline):
    """Several inferences of one plan in flight, so that every unit has work: more of them in a second than a Session's,
    each of them later.

    plan, units, threads, cost_file, keep_costs: as Session takes them; its other options are for sessions alone.
    in_flight: inferences that are computed at once; 0: three for each unit. waiting: more that submit() takes.
    Further options are those of Units.

    What is wrong with an inference is raised by submit() where it is seen there, else by next() in its turn; others
        go on.
    Threads: submit() from one thread at a time, a second one waits; the same for next(). The threads may differ.
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
        self._units = _opened(units, self._plan, threads or None, unit_options)
        for name, value, least in (("in_flight", in_flight, 0), ("waiting", waiting, 0)):
            if value < least:
                raise ValueError(f"{name}: expected at least {least}, got {value}")
        options = given(cost_file=cost_file, keep_costs=keep_costs)
        super().__init__(self._plan._core, self._units._core, in_flight, waiting, options)
        self._submitting = threading.Lock()
        self._asking = threading.Lock()
        self._handed_in = threading.Condition()
        self._submitted = self._taken = 0

    def submit(self, inputs: Any) -> None:
        """Hands in an inference, in the forms that Session.run() takes; waits while `capacity` inferences are in the
        pipeline, until another thread has called next(). The arrays have to stay as they are until next() has returned
        its result. KeyboardInterrupt ends the waiting."""
        with self._submitting:
            super().submit(inputs)
            with self._handed_in:
                self._submitted += 1
                self._handed_in.notify_all()

    def next(self, wait: bool = False) -> Dict[str, np.ndarray]:
        """Waits for the oldest inference that has not been asked for, and returns its outputs by name. Raises
        InvalidArgument where there is none; with `wait`, for a thread beside the one that submits, it waits for one."""
        with self._asking:
            if wait:
                with self._handed_in:
                    self._handed_in.wait_for(lambda: self._submitted > self._taken)
            was_due = self._submitted > self._taken
            try:
                outputs = super().next()
            except Error:
                self._taken += was_due  # one that has failed; what handlers of signals raise is of none
                raise
            self._taken += 1
            return outputs
