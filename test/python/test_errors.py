# SPDX-License-Identifier: Apache-2.0
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import nestrt
from conftest import EXAMPLES, PIXELS

CAT = EXAMPLES / "images" / "cat.png"


def test_errors_have_code_message_where_and_remedy(tmp_path):
    with pytest.raises(nestrt.NotFound) as caught:
        nestrt.Plan(tmp_path / "absent.nest")
    error = caught.value
    assert error.code == "not found" and "absent.nest" in error.message and error.where.endswith("absent.nest")
    assert isinstance(error, nestrt.Error) and isinstance(error, LookupError)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.message, again.where) == (nestrt.NotFound, error.message, error.where)


@pytest.mark.parametrize("message, remedy", [
    ("'a.nest' is damaged; copy the file again", "copy the file again"),
    ("no board 'x'; there are a; b, or give a path", "b, or give a path"),
    ("expected 1 to 256 threads; -1 given", ""),
    ("one value for each channel; 'x' was given", ""),
    ("nothing to do", ""),
])
def test_the_remedy_is_the_last_part_of_the_message(message, remedy):
    assert nestrt.Error(message).remedy == remedy


def test_damaged_plans_are_rejected(plan, tmp_path):
    content = plan.to_bytes()
    for damaged in (b"", b"nonsense", content[: len(content) // 2], content[:-1]):
        with pytest.raises((nestrt.InvalidPlan, nestrt.Incompatible)):
            nestrt.Plan(damaged)
    for place in range(0, len(content), len(content) // 50):
        flipped = bytearray(content)
        flipped[place] ^= 1
        with pytest.raises((nestrt.InvalidPlan, nestrt.Incompatible)):
            nestrt.Plan(flipped)
    with pytest.raises(nestrt.Error):
        nestrt.Plan(tmp_path)


def test_errors_name_unknown_units_and_schedules(plan):
    with pytest.raises(nestrt.InvalidArgument, match="nonsense"):
        nestrt.Session(plan, "nonsense")
    with pytest.raises(nestrt.InvalidArgument, match="file-order, sequential, group-enumeration or optimum"):
        nestrt.Session(plan, schedule="nonsense")
    with pytest.raises(TypeError):
        nestrt.Session(plan, nonsense=1)


def test_a_deadline_ends_a_run(slow_session):
    session, x = slow_session
    with pytest.raises(nestrt.DeadlineExceeded) as caught:
        session.run(x, deadline=1e-6)
    assert isinstance(caught.value, TimeoutError)
    limited = nestrt.Session(session.plan, threads=1, deadline=1e-6)
    with pytest.raises(nestrt.DeadlineExceeded):
        limited.run(x)
    for wrong in (0, -1, float("nan"), float("inf")):
        with pytest.raises(nestrt.InvalidArgument, match="deadline"):
            session.run(x, deadline=wrong)


def test_cancel_ends_a_run_of_another_thread(slow_session):
    session, x = slow_session
    ended = []

    def work():
        try:
            session.run(x)
        except nestrt.Error as error:
            ended.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    while thread.is_alive():
        session.cancel()
        time.sleep(0.001)
    thread.join()
    assert [type(error) for error in ended] == [nestrt.Cancelled]


def test_an_interrupt_ends_a_run_and_the_next_one_succeeds(slow_session, default_sigint):
    session, x = slow_session
    timer = threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        while True:
            session.run(x)
    timer.join()
    assert not np.any(session(x))


def test_other_threads_progress_during_a_run(slow_session):
    session, x = slow_session
    done = threading.Event()
    counted = [0]

    def count():
        while not done.is_set():
            counted[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    before = counted[0]
    session.run(x)
    during = counted[0] - before
    done.set()
    thread.join()
    assert during > 0


def test_an_interrupt_ends_a_calibration(model, samples, default_sigint):
    def interrupt(what, done, total):
        if done == 2:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        nestrt.calibrate(model, samples, progress=interrupt)


def test_an_exception_in_progress_ends_the_work(model):
    class Enough(Exception):
        pass

    def stop(what, done, total):
        raise Enough(what)

    with pytest.raises(Enough):
        nestrt.compile(model, progress=stop)


def test_a_forked_child_must_create_its_own_sessions(plan, cat):
    text = f"""
import os, sys, numpy, nestrt
plan = nestrt.Plan({plan.path!r})
x = numpy.zeros((1, 3, 32, 32), numpy.float32)
session = nestrt.Session(plan, threads=2)
expected = session(x)
child = os.fork()
if child == 0:
    try:
        session(x)
        os._exit(1)
    except nestrt.Unavailable:
        os._exit(0 if (nestrt.Session(plan, threads=1)(x) == expected).all() else 2)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert subprocess.run([sys.executable, "-c", text], timeout=120).returncode == 0


def test_plans_without_a_trusted_signature_are_rejected(plan, tmp_path):
    key = tmp_path / "somebody.pub"
    with pytest.raises(nestrt.NotFound):
        nestrt.Plan(plan.path, keys=[key])
    key.write_text("nestrt-public-key " + "ab" * 32 + "\n")
    for source in (plan.path, plan.to_bytes()):
        with pytest.raises(nestrt.Error, match="sign"):
            nestrt.Plan(source, keys=[key])


def test_creating_sessions_repeatedly_does_not_leak_memory(plan, cat):
    def resident_pages():
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1])

    def work(times):
        for _ in range(times):
            session = nestrt.Session(plan, threads=1)
            session(cat)
            with pytest.raises(nestrt.InvalidArgument):
                session.run(cat[0])

    work(30)
    before = resident_pages()
    work(100)
    assert resident_pages() - before < 1000


def test_paths_that_are_not_utf8_are_rejected(model, plan):
    for call in (lambda: nestrt.Plan("bad\udcff.nest"), lambda: nestrt.compile("bad\udcff.onnx"),
                 lambda: plan.preprocess("bad\udcff.png"), lambda: plan.save("bad\udcff.nest")):
        with pytest.raises(nestrt.InvalidArgument, match="UTF-8"):
            call()
    with pytest.raises(TypeError, match="keys: expected a list"):
        nestrt.Plan(plan.path, keys="team.pub")
    for source in (plan.path, plan.to_bytes()):
        with pytest.raises(ValueError, match="keys: expected at least one public key"):
            nestrt.Plan(source, keys=[])
    with pytest.raises(ValueError, match="input: expected 0 to 0"):
        plan.preprocess(np.zeros((32, 32, 3), np.uint8), input=-1)


def test_save_does_not_overwrite_images_models_or_plans(model, plan, samples, tmp_path):
    seen = nestrt.calibrate(model, samples, preprocessing=PIXELS)
    saved = tmp_path / "demo.nest"
    plan.save(saved)
    for name, content, save in (("cat", CAT, plan.save), ("m.onnx", model, plan.save), ("cat", CAT, seen.save),
                                ("m", model, seen.save), ("p", saved, seen.save)):
        path = tmp_path / name
        path.write_bytes(content.read_bytes())
        with pytest.raises(nestrt.Error, match="would be overwritten"):
            save(path)
        assert path.read_bytes() == content.read_bytes()
    plan.save(saved)
    script = tmp_path / "script.py"
    script.write_text("keep = 'me'")
    for save in (plan.save, seen.save):
        with pytest.raises(nestrt.Error, match="exists, is not a"):
            save(script)
    assert script.read_text() == "keep = 'me'"
    seen.save(tmp_path / "profile.yaml")
    seen.save(tmp_path / "profile.yaml")  # replaces another profile


def test_binary_label_files_are_rejected(plan):
    with pytest.raises(nestrt.Error, match="is not a text file"):
        nestrt.evaluate(plan, EXAMPLES / "images", CAT)
