# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

import nestrt


class OnlyDlpack:
    """An array of another library that only supports DLPack."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


@pytest.fixture(scope="module")
def session(plan):
    return nestrt.Session(plan, threads=1)


def test_arrays_of_other_libraries_are_exchanged_through_dlpack(session, cat):
    expected = session(cat)
    np.testing.assert_array_equal(session(OnlyDlpack(cat)), expected)
    out = np.zeros((1, 10), np.float32)
    other = OnlyDlpack(out)
    assert session.run(cat, out=other)["probabilities"] is other
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(np.from_dlpack(session(cat)), expected)


def test_read_only_and_strided_inputs_are_read(session, cat):
    expected = session(cat)
    locked = cat.copy()
    locked.setflags(write=False)
    np.testing.assert_array_equal(session(locked), expected)
    wide = np.zeros((1, 3, 32, 64), np.float32)
    wide[..., ::2] = cat
    np.testing.assert_array_equal(session(wide[..., ::2]), expected)
    np.testing.assert_array_equal(session(np.asfortranarray(cat)), expected)


def test_inputs_of_any_alignment_are_read(session, cat):
    block = np.zeros(cat.nbytes + 64, np.uint8)
    for offset in (0, 4, 12):
        view = block[offset : offset + cat.nbytes].view(np.float32).reshape(cat.shape)
        view[...] = cat
        np.testing.assert_array_equal(session(view), session(cat))


def test_outputs_are_written_to_the_callers_arrays(session, cat):
    out = np.full((1, 10), np.nan, np.float32)
    for form in (out, {"probabilities": out}, [out]):
        out.fill(np.nan)
        result = session.run(cat, out=form)["probabilities"]
        assert result is out
        assert out.argmax() == 3


def test_new_outputs_are_aligned_and_independent(session, cat):
    first, second = session(cat), session(cat)
    assert first.ctypes.data % 64 == 0 and not np.shares_memory(first, second)
    del session
    assert first.argmax() == 3


def test_outputs_that_cannot_be_written_in_place_are_rejected(session, cat):
    locked = np.zeros((1, 10), np.float32)
    locked.setflags(write=False)
    strided = np.zeros((1, 20), np.float32)[:, ::2]
    for out in (locked, strided, [0.0] * 10):
        with pytest.raises(nestrt.InvalidArgument):
            session.run(cat, out=out)
    with pytest.raises(nestrt.InvalidArgument, match="expected f32 1x10, got f32 1x9"):
        session.run(cat, out=np.zeros((1, 9), np.float32))


def test_errors_about_inputs_state_the_expected_array(session, cat):
    with pytest.raises(nestrt.InvalidArgument, match="astype") as caught:
        session.run(cat.astype(np.float64))
    assert "array.astype(numpy.float32)" in caught.value.remedy
    with pytest.raises(nestrt.InvalidArgument, match="expected f32 1x3x32x32, got f32 3x32x32"):
        session.run(cat[0])
    with pytest.raises(nestrt.InvalidArgument, match="expected f32 1x3x32x32, got s32 1x3x32x32"):
        session.run(cat.astype(np.int32))
    with pytest.raises(nestrt.InvalidArgument, match="input 'image' is missing"):
        session.run({"photo": cat})
    with pytest.raises(nestrt.InvalidArgument, match="unknown names: the plan expects 'image'"):
        session.run({"image": cat, "photo": cat})
    with pytest.raises(nestrt.InvalidArgument, match=r"the plan expects 1 \('image'\), got 2"):
        session.run([cat, cat])
    for nothing in (3, "image", object()):
        with pytest.raises(nestrt.InvalidArgument, match="expected an array"):
            session.run(nothing)


def test_a_run_after_a_rejected_one_succeeds(session, cat):
    with pytest.raises(nestrt.InvalidArgument):
        session.run(cat[0])
    assert session(cat).argmax() == 3


def test_images_are_preprocessed_as_the_plan_states(plan, cat):
    image = np.zeros((32, 32, 3), np.uint8)
    np.testing.assert_array_equal(plan.preprocess(image), np.full((1, 3, 32, 32), -2, np.float32))
    assert plan.inputs[0].preprocessing.mean == (128, 128, 128)
    for wrong in (image.astype(np.float32), image[..., :2], image[0]):
        with pytest.raises(nestrt.InvalidArgument, match="expected uint8"):
            plan.preprocess(wrong)
    with pytest.raises(nestrt.NotFound):
        plan.preprocess("absent.png")


def test_masked_and_byte_swapped_arrays_are_rejected(session, cat):
    with pytest.raises(nestrt.InvalidArgument, match="masked arrays are not supported"):
        session(np.ma.masked_array(cat, mask=cat > 0))
    with pytest.raises(nestrt.InvalidArgument, match="native byte order; .*array.astype"):
        session(cat.astype(">f4"))


def test_misaligned_arrays_are_copied(plan, cat):
    unaligned = np.frombuffer(b"\0" + cat.tobytes(), "<f4", offset=1).reshape(cat.shape)
    assert not unaligned.flags.aligned
    session = nestrt.Session(plan, threads=1)
    assert np.array_equal(session(unaligned), session(cat))


def test_a_failing_dlpack_export_is_reported(plan):
    class NoArray:
        def __dlpack__(self, **_):
            raise RuntimeError("use detach() first")

        def __dlpack_device__(self):
            return (1, 0)

    with pytest.raises(nestrt.InvalidArgument, match="NoArray.*use detach"):
        nestrt.Session(plan, threads=1)(NoArray())


def test_arrays_of_other_libraries_that_are_not_dense_are_copied(session, cat):
    wide = np.repeat(cat, 2, axis=3)
    np.testing.assert_array_equal(session(OnlyDlpack(wide[..., ::2])), session(cat))
