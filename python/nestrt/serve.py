# SPDX-License-Identifier: Apache-2.0
"""Deploys plans behind Ray Serve, with one pipeline per replica (pip install nestrt[ray]).

    from ray import serve
    import nestrt.serve

    serve.run(nestrt.serve.application("model.nest", units="cpu,evta"))
    handle = serve.get_app_handle("default")
    outputs = handle.remote({"data": array}).result()

A replica collects requests for a short time and submits them to its pipeline in order. The pipeline keeps as many
inferences in flight as its units can process. Further requests wait in Serve's queue. If that queue is full, Serve
rejects the request with ray.serve.exceptions.BackPressureError.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from ._plan import PathLike, Plan
from ._session import Pipeline, as_plan
from ._values import check_ranges

try:
    from ray import serve as _serve
except ImportError:
    raise ImportError("nestrt.serve needs Ray Serve: pip install nestrt[ray]") from None


class Server:
    """Runs the plan in a replica. It is created from the plan's bytes because the replica may be on another machine."""

    def __init__(
        self, plan: bytes, units: str, threads: int, in_flight: int, max_batch_size: int, wait_s: float
    ) -> None:
        self._pipeline = Pipeline(Plan(plan), units, threads=threads, in_flight=in_flight, waiting=max_batch_size)
        self._thread = concurrent.futures.ThreadPoolExecutor(1)  # only one thread at a time may submit to a pipeline
        self._batch.set_max_batch_size(max_batch_size)
        self._batch.set_batch_wait_timeout_s(wait_s)
        self._statistics = {"requests": 0, "batches": 0, "largest_batch": 0}

    async def __call__(self, inputs: Any) -> Dict[str, Any]:
        result = await self._batch(inputs)
        if isinstance(result, Exception):
            raise result
        return result

    async def statistics(self) -> Dict[str, int]:
        """Returns how many requests and batches this replica has processed, and the size of the largest batch."""
        return dict(self._statistics)

    @_serve.batch
    async def _batch(self, requests: List[Any]) -> List[Any]:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._run, requests)

    def _run(self, requests: Sequence[Any]) -> List[Any]:
        self._count(len(requests))
        results: List[Any] = [None] * len(requests)
        submitted = []
        for index, inputs in enumerate(requests):
            try:
                self._pipeline.submit(inputs)
                submitted.append(index)
            except Exception as error:  # affects only this request
                results[index] = error
        for index in submitted:
            try:
                results[index] = self._pipeline.next()
            except Exception as error:
                results[index] = error
        return results

    def _count(self, num_requests: int) -> None:
        before = self._statistics
        self._statistics = {"requests": before["requests"] + num_requests, "batches": before["batches"] + 1,
                            "largest_batch": max(before["largest_batch"], num_requests)}


def application(
    plan: Union[Plan, PathLike, bytes],
    units: str = "cpu",
    *,
    threads: int = 0,
    in_flight: int = 0,
    max_batch_size: int = 8,
    batch_wait_s: float = 0.005,
    max_queue_length: int = 64,
    name: str = "nestrt",
    options: Optional[Mapping[str, Any]] = None,
) -> Any:
    """Returns an application for serve.run() that serves a plan through a deployment handle.

    For HTTP access, write a deployment that calls the handle.

    plan, units, threads, in_flight: as for Pipeline.
    max_batch_size: the maximum number of requests in a batch of a replica.
    batch_wait_s: how long a replica waits for a batch to fill, in seconds.
    max_queue_length: the maximum number of queued requests; Serve rejects further ones.
    options: further options of the Serve deployment, such as num_replicas or ray_actor_options.
    """
    check_ranges({"max_batch_size": (max_batch_size, 1, 10**6), "max_queue_length": (max_queue_length, 1, 10**9),
            "batch_wait_s": (batch_wait_s, 0.0, 1e6)})
    content = as_plan(plan).to_bytes()
    limits = {"max_ongoing_requests": 2 * max_batch_size, "max_queued_requests": max_queue_length}
    deployment = _serve.deployment(**{"name": name, **limits, **(options or {})})(Server)
    return deployment.bind(content, units, threads, in_flight, max_batch_size, batch_wait_s)
