# SPDX-License-Identifier: Apache-2.0
"""Frames in every format give what the same pixels give through Plan.preprocess()."""

import numpy as np
import pytest

import nestrt


@pytest.fixture(scope="module")
def session(plan):
    return nestrt.Session(plan, threads=2)


@pytest.fixture(scope="module")
def rgb():
    return np.random.default_rng(1).integers(0, 256, (75, 101, 3), dtype=np.uint8)


@pytest.fixture(scope="module")
def expected(plan, session, rgb):
    return session(plan.preprocess(rgb))


def test_packed_and_planar_frames_equal_preprocessed_images(session, rgb, expected):
    alpha = np.zeros((*rgb.shape[:2], 1), np.uint8)
    frames = {
        "rgb": rgb,
        "bgr": rgb[:, :, ::-1].copy(),
        "rgba": np.concatenate([rgb, alpha], axis=2),
        "bgra": np.concatenate([rgb[:, :, ::-1], alpha], axis=2),
        "rgb-planes": rgb.transpose(2, 0, 1).copy(),
        "bgr-planes": rgb[:, :, ::-1].transpose(2, 0, 1).copy(),
    }
    for format, pixels in frames.items():
        np.testing.assert_array_equal(session(nestrt.Frame(pixels, format)), expected, err_msg=format)


def test_rows_may_have_any_distance_and_direction(session, rgb, expected):
    wide = np.zeros((80, 120, 3), np.uint8)
    wide[3:78, 10:111] = rgb
    np.testing.assert_array_equal(session(nestrt.Frame(wide[3:78, 10:111])), expected)
    np.testing.assert_array_equal(session(nestrt.Frame(wide, crop=(10, 3, 101, 75))), expected)
    np.testing.assert_array_equal(session(nestrt.Frame(rgb[::-1].copy()[::-1])), expected)
    np.testing.assert_array_equal(session(nestrt.Frame(rgb[:, ::-1].copy()[:, ::-1])), expected)  # copied


def test_grey_and_neutral_yuv_frames_are_grey(plan, session):
    luma = np.random.default_rng(2).integers(16, 236, (64, 48), dtype=np.uint8)
    grey = np.round((luma.astype(float) - 16) * 1.164).clip(0, 255).astype(np.uint8)
    nv12 = np.concatenate([luma, np.full((32, 48), 128, np.uint8)])
    yuyv = np.stack([luma, np.full_like(luma, 128)], axis=2)
    expected = session(plan.preprocess(np.repeat(grey[:, :, None], 3, axis=2)))
    np.testing.assert_allclose(session(nestrt.Frame(grey, "grey")), expected, rtol=0, atol=0)
    first = session(nestrt.Frame(nv12, "nv12"))
    np.testing.assert_array_equal(session.run({"image": nestrt.Frame(yuyv, "yuyv")})["probabilities"], first)
    np.testing.assert_allclose(first, expected, atol=0.05)  # some pixels differ by 1


def test_frames_that_do_not_fit_are_rejected(session, plan, rgb):
    with pytest.raises(ValueError, match="expected one of rgb, bgr"):
        nestrt.Frame(rgb, "argb")
    with pytest.raises(TypeError, match="expected a uint8 array, got float32"):
        nestrt.Frame(rgb.astype(np.float32))
    with pytest.raises(ValueError, match="does not fit the format 'nv12'"):
        nestrt.Frame(rgb, "nv12")
    with pytest.raises(ValueError, match="even width"):
        nestrt.Frame(rgb[:, :, :2], "yuyv")
    with pytest.raises(ValueError, match="a width of at least 1"):
        nestrt.Frame(rgb, crop=(0, 0, 0, 5))
    with pytest.raises(nestrt.InvalidArgument, match="not inside the frame of 101 x 75"):
        session(nestrt.Frame(rgb, crop=(90, 0, 20, 20)))
    with pytest.raises(nestrt.InvalidArgument, match="not inside the frame of 101 x 75"):
        nestrt.Pipeline(plan, threads=1).submit(nestrt.Frame(rgb, crop=(90, 0, 20, 20)))


def test_the_pixels_of_a_submitted_frame_may_change(plan, session, rgb):
    pipeline = nestrt.Pipeline(plan, threads=1, in_flight=2, waiting=10)
    shifted = [np.roll(rgb, shift, axis=1) for shift in range(8)]
    buffer = np.zeros((75, 110, 3), np.uint8)
    for pixels in shifted:
        buffer[:, 5:106] = pixels[:, :, ::-1]
        pipeline.submit(nestrt.Frame(buffer[:, 5:106], "bgr"))
    for pixels in shifted:
        wanted = session(plan.preprocess(pixels))
        np.testing.assert_array_equal(pipeline.next()["probabilities"], wanted)


def test_interpolation_is_part_of_the_plan(model, rgb):
    stated = nestrt.Preprocessing(mean=128, scale=1 / 64, antialias=False)
    plain = nestrt.compile(model, preprocessing=stated)
    assert plain.inputs[0].preprocessing.antialias is False
    session = nestrt.Session(plain, threads=1)
    np.testing.assert_array_equal(session(nestrt.Frame(rgb)), session(plain.preprocess(rgb)))
