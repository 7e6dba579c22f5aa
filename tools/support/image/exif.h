// SPDX-License-Identifier: Apache-2.0
// Orientation of an image according to its EXIF block: Exif 2.32 (JEITA CP-3451), 4.6.4, a TIFF 6.0 header and
// directory.
//
// A phone stores pixels in the orientation of its sensor, and records in the block how to rotate them for display. The
// block is in an APP1 segment of a JPEG, or in an eXIf chunk of a PNG.
#pragma once

#include <cstddef>
#include <span>

#include "tools/support/image/image.h"

namespace nestrt::tools {

// Returns the Orientation tag, 1 to 8, of the main image's directory. `exif` starts with the TIFF header and is
// untrusted. Returns 1 (no rotation) if the tag is missing or damaged.
int exif_orientation(std::span<const std::byte> exif);

// Rotates or mirrors an image that is stored in an orientation of 1 to 8. From 5 on, width and height are swapped.
Image turned(Image image, int orientation);

}  // namespace nestrt::tools
