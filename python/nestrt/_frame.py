# SPDX-License-Identifier: Apache-2.0
"""Frames: pixels as cameras, decoders and OpenCV deliver them."""

from __future__ import annotations

from typing import List, Optional, Sequence, Tuple

import numpy as np

from . import _nestrt

# In the order of nestrt::PixelFormat.
FORMATS = ("rgb", "bgr", "rgba", "bgra", "grey", "rgb-planes", "bgr-planes", "nv12", "yuyv")
_CHANNELS = {"rgb": 3, "bgr": 3, "rgba": 4, "bgra": 4, "yuyv": 2}


class Frame(_nestrt.Frame):
    """8-bit pixels of any size, for Session.run() and Pipeline.submit(), which convert, crop, resize and normalise them
    as the plan specifies.

    pixels: a uint8 array, read in place if the pixels of each row are adjacent; rows may have any distance, as in a
        slice of a larger array.
    format: "rgb", "bgr" (OpenCV), "rgba", "bgra": [height, width, channels]; "grey": [height, width]; "rgb-planes",
        "bgr-planes": [3, height, width]; "nv12": [height * 3 / 2, width]; "yuyv": [height, width, 2]. YUV has limited
        range and the ITU-R BT.601 matrix.
    crop: the part to use: left, top, width, height; None uses all.
    """

    def __init__(
        self, pixels: np.ndarray, format: str = "rgb", *, crop: Optional[Tuple[int, int, int, int]] = None
    ) -> None:
        if format not in FORMATS:
            raise ValueError(f"format: expected one of {', '.join(FORMATS)}, got {format!r}")
        if not isinstance(pixels, np.ndarray) or pixels.dtype != np.uint8:
            got = f"{pixels.dtype} array" if isinstance(pixels, np.ndarray) else type(pixels).__name__
            raise TypeError(f"pixels: expected a uint8 array, got {got}")
        self._planes = [_with_adjacent_pixels(plane) for plane in _planes_of(pixels, format)]  # kept alive
        height, width = self._planes[0].shape[:2]
        if crop is not None and (len(crop) != 4 or crop[2] < 1):
            raise ValueError(f"crop: expected left, top, width and height, with a width of at least 1, got {crop}")
        places = [(plane.ctypes.data, plane.strides[0]) for plane in self._planes]
        super().__init__(FORMATS.index(format), width, height, places, crop)


def _planes_of(pixels: np.ndarray, format: str) -> Sequence[np.ndarray]:
    """Returns the planes of a format. Raises ValueError for another shape."""
    shape = pixels.shape
    if pixels.size > 0:
        if format in _CHANNELS and len(shape) == 3 and shape[2] == _CHANNELS[format]:
            return _even_pairs(pixels) if format == "yuyv" else [pixels]
        if format == "grey" and (len(shape) == 2 or (len(shape) == 3 and shape[2] == 1)):
            return [pixels]
        if format.endswith("-planes") and len(shape) == 3 and shape[0] == 3:
            return list(pixels)
        if format == "nv12" and len(shape) == 2 and shape[0] % 3 == 0 and shape[1] % 2 == 0:
            height = shape[0] // 3 * 2
            return [pixels[:height], pixels[height:]]
    raise ValueError(f"pixels: the shape {shape} does not fit the format {format!r}; see nestrt.Frame")


def _even_pairs(pixels: np.ndarray) -> List[np.ndarray]:
    if pixels.shape[1] % 2 != 0:
        raise ValueError(f"pixels: 'yuyv' needs an even width, got {pixels.shape[1]}")
    return [pixels]


def _with_adjacent_pixels(plane: np.ndarray) -> np.ndarray:
    """Returns the plane, or a copy if the bytes of its rows are not adjacent."""
    expected = 1
    for size, stride in zip(reversed(plane.shape[1:]), reversed(plane.strides[1:])):
        if stride != expected and size > 1:
            return np.ascontiguousarray(plane)
        expected *= size
    # The stride of a single row is irrelevant; NumPy may report any value.
    return plane if abs(plane.strides[0]) >= expected else np.ascontiguousarray(plane)
