# SPDX-License-Identifier: Apache-2.0
"""Tests several inferences in flight, directly and behind Ray Serve."""

import os
import signal
import threading
import time

import numpy as np
import pytest

import nestrt


@pytest.fixture(scope="module")
def images(samples):
    return [samples[index : index + 1] for index in range(len(samples))]


@pytest.fixture(scope="module")
def expected(plan, images):
    session = nestrt.Session(plan, threads=1)
    return [session.run({"image": image})["probabilities"].copy() for image in images]


LIMIT_S = 60  # for work that takes a second


def test_results_have_the_order_of_submission(plan, images, expected):
    pipeline = nestrt.Pipeline(plan, threads=1, in_flight=3, waiting=len(images))
    for image in images:
        pipeline.submit({"image": image})
    for wanted in expected:
        assert np.array_equal(pipeline.next()["probabilities"], wanted)


def test_the_pipeline_keeps_inputs_alive_until_their_result(plan, images, expected):
    pipeline = nestrt.Pipeline(plan, threads=1, in_flight=2, waiting=8)
    for image in images[:4]:
        pipeline.submit({"image": image.copy()})
    assert np.array_equal(pipeline.next()["probabilities"], expected[0])


def test_an_invalid_input_does_not_affect_other_inferences(plan, images, expected):
    pipeline = nestrt.Pipeline(plan, threads=1, in_flight=2)
    pipeline.submit(images[0])
    pipeline.submit(np.zeros((1, 3, 5, 5), np.float32))
    with pytest.raises(nestrt.InvalidArgument, match="missing"):
        pipeline.submit({"other": images[0]})
    pipeline.submit(images[1])
    assert np.array_equal(pipeline.next()["probabilities"], expected[0])
    with pytest.raises(nestrt.InvalidArgument):
        pipeline.next()
    assert np.array_equal(pipeline.next()["probabilities"], expected[1])


def test_an_interrupt_ends_a_waiting_submit(plan, images, default_sigint):
    pipeline = nestrt.Pipeline(plan, threads=1, in_flight=2, waiting=1)
    assert pipeline.capacity == 3
    for image in images[: pipeline.capacity]:
        pipeline.submit(image)
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        pipeline.submit(images[0])
    for _ in range(pipeline.capacity):
        pipeline.next()
    with pytest.raises(nestrt.InvalidArgument):
        pipeline.next()
    for image in images[: pipeline.capacity]:
        pipeline.submit(image)


def test_next_can_be_repeated_after_an_interrupt(board_plan, images, default_sigint):
    session = nestrt.Session(board_plan, threads=1)
    slow = nestrt.Units("evta:sim,cpu", plan=board_plan, pace=2000)  # each inference takes seconds
    pipeline = nestrt.Pipeline(board_plan, slow, in_flight=1)
    for image in images[:2]:
        pipeline.submit(image)
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        pipeline.next()
    for image in images[:2]:
        assert np.array_equal(pipeline.next(wait=True)["probabilities"], session(image))


def test_an_exception_of_a_signal_handler_does_not_drop_an_inference(board_plan, images):
    slow = nestrt.Units("evta:sim,cpu", plan=board_plan, pace=2000)
    pipeline = nestrt.Pipeline(board_plan, slow, in_flight=1)
    pipeline.submit(images[0])

    def raise_timeout(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, raise_timeout)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(TimeoutError):
            pipeline.next(wait=True)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert np.array_equal(pipeline.next(wait=True)["probabilities"], nestrt.Session(board_plan, threads=1)(images[0]))


def test_next_without_a_submitted_inference_is_rejected(plan):
    with pytest.raises(nestrt.InvalidArgument):
        nestrt.Pipeline(plan, threads=1).next()


def test_one_thread_can_submit_while_another_calls_next(plan, images, expected):
    pipeline = nestrt.Pipeline(plan, threads=1, in_flight=2, waiting=1)
    rounds = 50
    found = []

    def take_results():
        while len(found) < rounds * len(images):
            try:
                found.append(pipeline.next()["probabilities"])
            except nestrt.InvalidArgument:  # nothing has been submitted yet
                time.sleep(0)

    consumer = threading.Thread(target=take_results)
    consumer.start()
    for _ in range(rounds):
        for image in images:
            pipeline.submit(image)
    consumer.join()
    for index, result in enumerate(found):
        assert np.array_equal(result, expected[index % len(expected)])


def test_a_pipeline_can_be_destroyed_with_inferences_in_flight(plan, images):
    for _ in range(20):
        pipeline = nestrt.Pipeline(plan, threads=1, in_flight=2, waiting=8)
        for image in images[:6]:
            pipeline.submit(image.copy())
        del pipeline


def test_a_negative_number_in_flight_is_rejected(plan):
    with pytest.raises(ValueError, match="in_flight"):
        nestrt.Pipeline(plan, in_flight=-1)


def test_a_pipeline_rejects_options_of_sessions(plan, images, tmp_path):
    pipeline = nestrt.Pipeline(plan, "cpu", threads=1, cost_file=tmp_path / "costs.tsv", keep_costs=False, cpus="0")
    pipeline.submit(images[0])
    assert "probabilities" in pipeline.next()
    for option in ({"priority": "urgent"}, {"check_every": 1}, {"split": False}, {"deadline": 1.0}):
        with pytest.raises(TypeError, match=next(iter(option))):
            nestrt.Pipeline(plan, **option)


@pytest.fixture(scope="module")
def served(plan, cluster):
    serve = pytest.importorskip("ray.serve")
    import nestrt.serve

    serve.start(proxy_location="Disabled")
    application = nestrt.serve.application(plan, threads=1, in_flight=2, max_batch_size=4, max_queue_length=64)
    yield serve.run(application, name="test", route_prefix=None)
    serve.shutdown()


def test_a_deployment_returns_the_results_of_a_session(served, images, expected):
    responses = [served.remote({"image": image}) for image in images]
    for response, wanted in zip(responses, expected):
        assert np.array_equal(response.result(timeout_s=LIMIT_S)["probabilities"], wanted)


def test_an_invalid_request_does_not_affect_others(served, images, expected):
    good, bad = served.remote(images[0]), served.remote(np.zeros((2, 2), np.float32))
    with pytest.raises(nestrt.InvalidArgument):
        bad.result(timeout_s=LIMIT_S)
    assert np.array_equal(good.result(timeout_s=LIMIT_S)["probabilities"], expected[0])


def test_a_replica_fills_its_batches(served, plan, images, expected):
    serve = pytest.importorskip("ray.serve")
    import nestrt.serve

    application = nestrt.serve.application(plan, threads=1, max_batch_size=4, batch_wait_s=10 * LIMIT_S,
                                           name="batching")
    batching = serve.run(application, name="batching", route_prefix=None)  # full batches start immediately
    responses = [batching.remote({"image": image}) for image in images[:8]]
    for response, wanted in zip(responses, expected):
        assert np.array_equal(response.result(timeout_s=LIMIT_S)["probabilities"], wanted)
    statistics = batching.statistics.remote().result(timeout_s=LIMIT_S)
    assert statistics == {"requests": 8, "batches": 2, "largest_batch": 4}
    serve.delete("batching")


def test_requests_beyond_the_queue_limit_are_rejected(served, plan, images):
    serve = pytest.importorskip("ray.serve")
    import nestrt.serve
    from ray.serve.exceptions import BackPressureError

    application = nestrt.serve.application(plan, threads=1, max_batch_size=1, max_queue_length=1, name="narrow",
                                           options={"max_ongoing_requests": 1})
    narrow = serve.run(application, name="narrow", route_prefix=None)
    responses = [narrow.remote({"image": images[0]}) for _ in range(200)]
    rejected = 0
    for response in responses:
        try:
            response.result(timeout_s=LIMIT_S)
        except BackPressureError:
            rejected += 1
    assert 0 < rejected < 200
    serve.delete("narrow")


def test_next_can_wait_for_another_thread_to_submit(plan, images):
    pipeline = nestrt.Pipeline(plan, threads=1)
    found = []
    consumer = threading.Thread(target=lambda: found.extend(pipeline.next(wait=True) for _ in range(3)))
    consumer.start()
    for _ in range(3):
        pipeline.submit(images[0])
    consumer.join()
    assert len(found) == 3
    with pytest.raises(nestrt.InvalidArgument, match="no inference is pending"):
        pipeline.next()
