# SPDX-License-Identifier: Apache-2.0
"""Plans behind Ray Serve: a deployment with a pipeline inside (pip install nestrt[ray]).

    from ray import serve
    import nestrt.serve

    serve.run(nestrt.serve.application("model.nest", units="cpu,evta"))
    handle = serve.get_app_handle("default")
    outputs = handle.remote({"data": array}).result()

Requests are gathered for a moment and handed to the pipeline one after the other, which has as many in flight as its
units can work on; what it cannot take waits in the queue of Serve, and what is more than that is refused there
(ray.serve.exceptions.BackPressureError).
"""

from __future__ import annotations

import asyncio
import concurrent.futures
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from ._plan import PathLike, Plan
from ._session import Pipeline, as_plan
from ._values import within

try:
    from ray import serve as _serve
except ImportError:
    raise ImportError("nestrt.serve needs Ray Serve: pip install nestrt[ray]") from None


class Server:
    """What a replica runs. Made from the plan's bytes, so that it may be on another machine."""

    def __init__(
        self, plan: bytes, units: str, threads: int, in_flight: int, largest_batch: int, wait_s: float
    ) -> None:
        self._pipeline = Pipeline(Plan(plan), units, threads=threads, in_flight=in_flight, waiting=largest_batch)
        self._thread = concurrent.futures.ThreadPoolExecutor(1)  # a pipeline is handed work by one thread at a time
        self._batch.set_max_batch_size(largest_batch)
        self._batch.set_batch_wait_timeout_s(wait_s)
        self._statistics = {"requests": 0, "batches": 0, "largest_batch": 0}

    async def __call__(self, inputs: Any) -> Dict[str, Any]:
        result = await self._batch(inputs)
        if isinstance(result, Exception):
            raise result
        return result

    async def statistics(self) -> Dict[str, int]:
        """requests and batches that this replica has had, and the largest_batch of them."""
        return dict(self._statistics)

    @_serve.batch
    async def _batch(self, requests: List[Any]) -> List[Any]:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._run, requests)

    def _run(self, requests: Sequence[Any]) -> List[Any]:
        self._count(len(requests))
        results: List[Any] = [None] * len(requests)
        begun = []
        for index, inputs in enumerate(requests):
            try:
                self._pipeline.submit(inputs)
                begun.append(index)
            except Exception as error:  # of this request alone
                results[index] = error
        for index in begun:
            try:
                results[index] = self._pipeline.next()
            except Exception as error:
                results[index] = error
        return results

    def _count(self, requests: int) -> None:
        before = self._statistics
        self._statistics = {"requests": before["requests"] + requests, "batches": before["batches"] + 1,
                            "largest_batch": max(before["largest_batch"], requests)}


def application(
    plan: Union[Plan, PathLike, bytes],
    units: str = "cpu",
    *,
    threads: int = 0,
    in_flight: int = 0,
    largest_batch: int = 8,
    batch_wait_s: float = 0.005,
    most_waiting: int = 64,
    name: str = "nestrt",
    options: Optional[Mapping[str, Any]] = None,
) -> Any:
    """What serve.run() takes: a plan behind a handle. HTTP is for a deployment of yours, which calls the handle.

    plan, units, threads, in_flight: as Pipeline takes them.
    largest_batch, batch_wait_s: requests that a replica gathers, and how long it waits for more.
    most_waiting: requests that may wait for a replica; one more is refused.
    options: further ones of a Serve deployment, such as num_replicas or ray_actor_options.
    """
    within({"largest_batch": (largest_batch, 1, 10**6), "most_waiting": (most_waiting, 1, 10**9),
            "batch_wait_s": (batch_wait_s, 0.0, 1e6)})
    content = as_plan(plan).to_bytes()
    limits = {"max_ongoing_requests": 2 * largest_batch, "max_queued_requests": most_waiting}
    served = _serve.deployment(**{"name": name, **limits, **(options or {})})(Server)
    return served.bind(content, units, threads, in_flight, largest_batch, batch_wait_s)
