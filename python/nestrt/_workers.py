# SPDX-License-Identifier: Apache-2.0
"""Distributes work as tasks, to processes on this machine or to a Ray cluster.

A task is a module-level function of nestrt. A worker calls it as task(shared, item); each worker receives `shared`
once. Results have the order of the items, regardless of the worker. If a worker dies, its tasks are retried.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import threading
import types
import uuid
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Callable, Dict, Iterator, List, Optional, Protocol, Sequence, Union

Task = Callable[[Any, Any], Any]
Progress = Callable[[str, int, int], None]

MAX_TRIES = 4  # per item, if its worker dies


class Workers(Protocol):
    """A pool of workers. Call close() when done.

    Workers keep values derived from `shared` as long as map() is called with the same object.
    """

    def map(self, task: Task, shared: Any, items: Sequence[Any], what: str, progress: Optional[Progress]) -> List[Any]:
        """Returns task(shared, item) of each item, and calls progress(what, done, total).

        An exception of a task stops the work and is raised here.
        """

    def close(self) -> None: ...


def open_workers(workers: Union[str, int, None]) -> Workers:
    """Opens a pool of workers.

    workers: None or 1 uses this process; a number or "local:N" starts N processes; "local" starts one per core; "ray"
        uses a local Ray instance or the one the program is connected to; "ray=ADDRESS" uses a cluster.
    """
    if workers is None or workers == "local:1":
        return InProcess()
    if isinstance(workers, int) and not isinstance(workers, bool) and workers > 0:
        return InProcess() if workers == 1 else ProcessPool(workers)
    kind, separator, rest = str(workers).partition(":" if str(workers).startswith("local") else "=")
    if kind == "local" and (not separator or rest.isdigit() and int(rest) > 0):
        return ProcessPool(int(rest) if separator else len(os.sched_getaffinity(0)))
    if kind == "ray" and (rest or not separator):
        return RayPool(rest or None)
    raise ValueError(f"workers: expected a number, 'local', 'local:N', 'ray' or 'ray=ADDRESS', got {workers!r}")


class InProcess:
    """Runs the tasks in this process, one after the other."""

    def __init__(self) -> None:
        self._shared = SharedKey()

    def map(self, task: Task, shared: Any, items: Sequence[Any], what: str, progress: Optional[Progress]) -> List[Any]:
        results = []
        self._shared.update(shared)
        for item in items:
            _report(progress, what, len(results), len(items))
            results.append(_call(self._shared.key, task, shared, item))
        _report(progress, what, len(items), len(items))
        return results

    def close(self) -> None:
        _forget(self._shared.key)


class ProcessPool:
    """Runs the tasks in processes on this machine. If there are enough CPUs, each process has its own."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._shared = SharedKey()
        self._pool: Optional[concurrent.futures.ProcessPoolExecutor] = None
        self._folder = ""  # for temporary files of its processes

    def map(self, task: Task, shared: Any, items: Sequence[Any], what: str, progress: Optional[Progress]) -> List[Any]:
        results: Dict[int, Any] = {}
        for _ in range(MAX_TRIES):
            missing = [index for index in range(len(items)) if index not in results]
            if not missing:
                break
            try:
                self._run(task, shared, items, missing, results, what, progress)
            except BrokenProcessPool:
                self.close()  # new processes retry the missing items
        if len(results) < len(items):
            left = len(items) - len(results)
            raise RuntimeError(f"workers were lost {MAX_TRIES} times; {left} of {len(items)} tasks are unfinished")
        return [results[index] for index in range(len(items))]

    def _run(self, task: Task, shared: Any, items: Sequence[Any], missing: Sequence[int], results: Dict[int, Any],
             what: str, progress: Optional[Progress]) -> None:
        pool = self._ensure_pool(shared)
        try:
            with _without_main(), _interrupts_deferred():
                futures = {pool.submit(_call_initialized, task, items[index]): index for index in missing}
            _report(progress, what, len(results), len(items))
            for future in concurrent.futures.as_completed(futures):
                results[futures[future]] = future.result()
                _report(progress, what, len(results), len(items))
        except BaseException:
            self._abort(pool)
            raise

    def _abort(self, pool: concurrent.futures.ProcessPoolExecutor) -> None:
        """Ends the processes immediately; results of running tasks are not needed."""
        # A process that ends while it writes or reads leaves part of a message in the pipe. The pool's threads would
        # wait for the rest: the reader of results until all writers are closed, the writer of tasks likewise.
        pool._result_queue._writer.close()
        for process in list((pool._processes or {}).values()):
            process.terminate()
        pool._call_queue._reader.close()
        pool.shutdown(wait=False, cancel_futures=True)
        self._discard_pool()

    def _ensure_pool(self, shared: Any) -> concurrent.futures.ProcessPoolExecutor:
        """Returns the pool, and starts its processes with `shared` if necessary."""
        if self._shared.update(shared):
            self.close()
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            cpu_sets = context.SimpleQueue()
            for cpus in self._cpus():
                cpu_sets.put(cpus)
            self._folder = tempfile.mkdtemp(prefix="nestrt-")
            arguments = (cpu_sets, shared, self._folder)
            self._pool = concurrent.futures.ProcessPoolExecutor(self._count, context, _initialize, arguments)
            _serialize_close(self._pool._call_queue._reader)
        return self._pool

    def _discard_pool(self) -> None:
        self._pool = None
        shutil.rmtree(self._folder, ignore_errors=True)  # files of killed workers

    def _cpus(self) -> List[List[int]]:
        available = sorted(os.sched_getaffinity(0))
        if len(available) < self._count:
            return [available] * self._count
        return [available[worker :: self._count] for worker in range(self._count)]

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()
            self._discard_pool()


class RayPool:
    """Runs the tasks on a Ray cluster, with one CPU each. `shared` and the items are in its object store."""

    def __init__(self, address: Optional[str]) -> None:
        try:
            import ray
        except ImportError:
            raise ImportError("workers='ray' needs Ray: pip install nestrt[ray]") from None
        self._ray = ray
        self._shared = SharedKey()
        self._reference: Any = None
        self._owned = not ray.is_initialized()
        if not self._owned and address is not None and address != ray.get_runtime_context().gcs_address:
            raise ValueError(f"workers: the program is connected to a Ray cluster other than '{address}'; use "
                             "workers='ray' for that one")
        if self._owned:
            ray.init(address=address, log_to_driver=False, include_dashboard=False if address is None else None)

    def map(self, task: Task, shared: Any, items: Sequence[Any], what: str, progress: Optional[Progress]) -> List[Any]:
        ray = self._ray
        if self._shared.update(shared):
            self._reference = ray.put(shared)
        remote = ray.remote(num_cpus=1, max_retries=MAX_TRIES - 1)(_call)
        futures = [remote.remote(self._shared.key, task, self._reference, _portable(item)) for item in items]
        left = list(futures)
        while left:
            _report(progress, what, len(futures) - len(left), len(futures))
            done, left = ray.wait(left)
            self._results(done)  # raises the exception of a failed task
        _report(progress, what, len(futures), len(futures))
        return self._results(futures)

    def _results(self, futures: Sequence[Any]) -> List[Any]:
        try:
            return self._ray.get(list(futures))
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause or error from None
        except self._ray.exceptions.RayError as error:  # such as WorkerCrashedError
            raise RuntimeError(f"workers were lost {MAX_TRIES} times, or the cluster was lost: {error}") from None

    def close(self) -> None:
        self._reference = None
        if self._owned:
            self._ray.shutdown()


class SharedKey:
    """A unique key for the current `shared` value, by which workers cache derived values."""

    def __init__(self) -> None:
        self.key = ""
        self._value: Any = None

    def update(self, value: Any) -> bool:
        """Returns whether the value is a new object, and assigns a new key if so."""
        if self.key and value is self._value:
            return False
        self.key, self._value = uuid.uuid4().hex, value
        return True


_main_lock = threading.Lock()


@contextlib.contextmanager
def _without_main() -> Iterator[None]:
    """Hides __main__ while processes start, so that they do not run the user's program again.

    Otherwise a program without a check of __name__ would start workers recursively.
    """
    with _main_lock:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = types.ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = main


@contextlib.contextmanager
def _interrupts_deferred() -> Iterator[None]:
    """Defers SIGINT while processes start, because a pool that is interrupted there may not know all its processes.

    The processes inherit the blocked signal: Ctrl-C reaches all processes of a terminal, but the program ends them.
    """
    received: List[int] = []
    in_main = threading.current_thread() is threading.main_thread()  # only this thread receives KeyboardInterrupt
    handler = signal.signal(signal.SIGINT, lambda number, _: received.append(number)) if in_main else None
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if in_main:
            signal.signal(signal.SIGINT, handler if handler is not None else signal.SIG_DFL)
        if received:
            signal.raise_signal(signal.SIGINT)


def _serialize_close(connection: Any) -> None:
    """Lets several threads call connection.close(); without a lock, two of them can close the same descriptor.

    In newer versions of Python, the thread of a broken pool closes the reader of its tasks, as ProcessPool does.
    """
    close = connection.close
    lock = threading.Lock()

    def close_locked() -> None:
        with lock:
            close()

    connection.close = close_locked


def _report(progress: Optional[Progress], what: str, done: int, total: int) -> None:
    if progress is not None:
        progress(what, done, total)


def _portable(item: Any) -> Any:
    """Returns the item in a form that can be used on another machine."""
    return item.portable() if hasattr(item, "portable") else item


# --- In a worker ---

# Values that tasks derived from `shared`, such as a loaded network, by key. Only the last key is kept.
_cache: Dict[str, Dict[str, Any]] = {}
_initial_shared: Any = None


def _initialize(cpu_sets: Any, shared: Any, folder: str) -> None:
    global _initial_shared
    tempfile.tempdir = folder
    os.sched_setaffinity(0, cpu_sets.get())
    _initial_shared = shared


def _call_initialized(task: Task, item: Any) -> Any:
    return _call("", task, _initial_shared, item)


def _call(key: str, task: Task, shared: Any, item: Any) -> Any:
    if key not in _cache:
        _cache.clear()
    return task(Shared(shared, _cache.setdefault(key, {})), item)


def _forget(key: str) -> None:
    _cache.pop(key, None)


class Shared:
    """The shared values of a map() call, and the values that its tasks cache in their worker."""

    def __init__(self, values: Dict[str, Any], cache: Dict[str, Any]) -> None:
        self._values = values
        self._cache = cache

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def keep(self, name: str, make: Callable[[], Any]) -> Any:
        """Returns the value of make(), which is called once per worker."""
        if name not in self._cache:
            self._cache[name] = make()
        return self._cache[name]
