# SPDX-License-Identifier: Apache-2.0
"""Work that is divided: tasks on processes of this machine, or on a cluster of Ray.

A task is a function of a module of nestrt, called as task(shared, item) in a worker; `shared` reaches each worker once.
Results come in the order of the items, whoever computed them, and a worker that is lost costs its tasks another try.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import multiprocessing
import os
import shutil
import sys
import tempfile
import threading
import types
import uuid
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Callable, Dict, Iterator, List, Optional, Protocol, Sequence, Union

Task = Callable[[Any, Any], Any]
Progress = Callable[[str, int, int], None]

TRIES = 4  # of an item whose worker is lost


class Workers(Protocol):
    """What divides work; closed by close(). Workers keep what they made of `shared` as long as the same object comes."""

    def map(self, task: Task, shared: Any, items: Sequence[Any], what: str, progress: Optional[Progress]) -> List[Any]:
        """task(shared, item) of each. What a task raises ends all; `progress` is told (what, done, total)."""

    def close(self) -> None: ...


def open_workers(workers: Union[str, int, None]) -> Workers:
    """None or 1: this process; a number or "local:N": so many processes; "local": one for each core; "ray": a Ray of
    this machine, or the one that the program is connected to; "ray=ADDRESS": a cluster."""
    if workers is None or workers == "local:1":
        return Here()
    if isinstance(workers, int) and not isinstance(workers, bool) and workers > 0:
        return Here() if workers == 1 else Processes(workers)
    kind, separator, rest = str(workers).partition(":" if str(workers).startswith("local") else "=")
    if kind == "local" and (not separator or rest.isdigit() and int(rest) > 0):
        return Processes(int(rest) if separator else len(os.sched_getaffinity(0)))
    if kind == "ray" and (rest or not separator):
        return Ray(rest or None)
    raise ValueError(f"workers: expected a number, 'local', 'local:N', 'ray' or 'ray=ADDRESS', got {workers!r}")


class Here:
    """This process, one item after the other."""

    def __init__(self) -> None:
        self._shared = Named()

    def map(self, task: Task, shared: Any, items: Sequence[Any], what: str, progress: Optional[Progress]) -> List[Any]:
        results = []
        self._shared.take(shared)
        for item in items:
            _tell(progress, what, len(results), len(items))
            results.append(_call(self._shared.key, task, shared, item))
        _tell(progress, what, len(items), len(items))
        return results

    def close(self) -> None:
        _forget(self._shared.key)


class Processes:
    """Processes of this machine, each on CPUs of its own where there are enough."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._shared = Named()
        self._pool: Optional[concurrent.futures.ProcessPoolExecutor] = None
        self._folder = ""  # for temporary files of its processes

    def map(self, task: Task, shared: Any, items: Sequence[Any], what: str, progress: Optional[Progress]) -> List[Any]:
        results: Dict[int, Any] = {}
        for _ in range(TRIES):
            missing = [index for index in range(len(items)) if index not in results]
            if not missing:
                break
            try:
                self._run(task, shared, items, missing, results, what, progress)
            except BrokenProcessPool:
                self.close()  # the others begin again what is missing
        if len(results) < len(items):
            left = len(items) - len(results)
            raise RuntimeError(f"workers were lost {TRIES} times; {left} of {len(items)} tasks are left")
        return [results[index] for index in range(len(items))]

    def _run(self, task: Task, shared: Any, items: Sequence[Any], missing: Sequence[int], results: Dict[int, Any],
             what: str, progress: Optional[Progress]) -> None:
        pool = self._opened(shared)
        try:
            with _without_main():
                futures = {pool.submit(_call_begun, task, items[index]): index for index in missing}
            _tell(progress, what, len(results), len(items))
            for future in concurrent.futures.as_completed(futures):
                results[futures[future]] = future.result()
                _tell(progress, what, len(results), len(items))
        except BaseException:
            # One that ends while it writes leaves half a result, which is read for ever as long as somebody could write.
            pool._result_queue._writer.close()
            for process in list((pool._processes or {}).values()):
                process.terminate()  # what they have begun nobody waits for
            pool.shutdown(wait=False, cancel_futures=True)
            self._forget_pool()
            raise

    def _opened(self, shared: Any) -> concurrent.futures.ProcessPoolExecutor:
        """Processes that have been given `shared`."""
        if self._shared.take(shared):
            self.close()
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            places = context.SimpleQueue()
            for cpus in self._cpus():
                places.put(cpus)
            self._folder = tempfile.mkdtemp(prefix="nestrt-")
            given = (places, shared, self._folder)
            self._pool = concurrent.futures.ProcessPoolExecutor(self._count, context, _begin, given)
        return self._pool

    def _forget_pool(self) -> None:
        self._pool = None
        shutil.rmtree(self._folder, ignore_errors=True)  # what workers leave that are killed

    def _cpus(self) -> List[List[int]]:
        available = sorted(os.sched_getaffinity(0))
        if len(available) < self._count:
            return [available] * self._count
        return [available[worker :: self._count] for worker in range(self._count)]

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()
            self._forget_pool()


class Ray:
    """A cluster of Ray: `shared` and the items lie in its object store, a task takes one CPU."""

    def __init__(self, address: Optional[str]) -> None:
        try:
            import ray
        except ImportError:
            raise ImportError("workers='ray' needs Ray: pip install nestrt[ray]") from None
        self._ray = ray
        self._shared = Named()
        self._reference: Any = None
        self._owned = not ray.is_initialized()
        if not self._owned and address is not None and address != ray.get_runtime_context().gcs_address:
            raise ValueError(f"workers: the program is connected to another Ray than '{address}'; 'ray' uses that one")
        if self._owned:
            ray.init(address=address, log_to_driver=False, include_dashboard=False if address is None else None)

    def map(self, task: Task, shared: Any, items: Sequence[Any], what: str, progress: Optional[Progress]) -> List[Any]:
        ray = self._ray
        if self._shared.take(shared):
            self._reference = ray.put(shared)
        remote = ray.remote(num_cpus=1, max_retries=TRIES - 1)(_call)
        futures = [remote.remote(self._shared.key, task, self._reference, _carried(item)) for item in items]
        left = list(futures)
        while left:
            _tell(progress, what, len(futures) - len(left), len(futures))
            done, left = ray.wait(left)
            self._results(done)  # what a task has raised ends all
        _tell(progress, what, len(futures), len(futures))
        return self._results(futures)

    def _results(self, futures: Sequence[Any]) -> List[Any]:
        try:
            return self._ray.get(list(futures))
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause or error from None
        except self._ray.exceptions.RayError as error:  # such as WorkerCrashedError
            raise RuntimeError(f"workers were lost {TRIES} times, or the cluster is: {error}") from None

    def close(self) -> None:
        self._reference = None
        if self._owned:
            self._ray.shutdown()


class Named:
    """A `shared` with a key of its own, by which workers know it."""

    def __init__(self) -> None:
        self.key = ""
        self._value: Any = None

    def take(self, value: Any) -> bool:
        """Whether it is another one than before."""
        if self.key and value is self._value:
            return False
        self.key, self._value = uuid.uuid4().hex, value
        return True


_main_is_away = threading.Lock()


@contextlib.contextmanager
def _without_main() -> Iterator[None]:
    """Processes that begin do not run the user's program again, which may not ask whether it is `__main__`."""
    with _main_is_away:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = types.ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = main


def _tell(progress: Optional[Progress], what: str, done: int, total: int) -> None:
    if progress is not None:
        progress(what, done, total)


def _carried(item: Any) -> Any:
    """As it can be used on another machine."""
    return item.carried() if hasattr(item, "carried") else item


# --- in a worker ---

# What tasks have made of `shared`, such as a network that is loaded: by its key, the last one's only.
_made: Dict[str, Dict[str, Any]] = {}
_begun: Any = None


def _begin(places: Any, shared: Any, folder: str) -> None:
    global _begun
    tempfile.tempdir = folder
    os.sched_setaffinity(0, places.get())
    _begun = shared


def _call_begun(task: Task, item: Any) -> Any:
    return _call("", task, _begun, item)


def _call(key: str, task: Task, shared: Any, item: Any) -> Any:
    if key not in _made:
        _made.clear()
    return task(Shared(shared, _made.setdefault(key, {})), item)


def _forget(key: str) -> None:
    _made.pop(key, None)


class Shared:
    """What tasks of a map() have, and what they keep in their worker."""

    def __init__(self, values: Dict[str, Any], made: Dict[str, Any]) -> None:
        self._values = values
        self._made = made

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def keep(self, name: str, make: Callable[[], Any]) -> Any:
        """make()'s value, made once in a worker."""
        if name not in self._made:
            self._made[name] = make()
        return self._made[name]
