// SPDX-License-Identifier: Apache-2.0
#include "test/fuzz/seeds.h"
#include "test/support/sample_images.h"

namespace nestrt::test {

void add_image_seeds(SeedFolder& folder) {
  using namespace images;
  for (const std::string_view hex :
       {kPngRgb3x2, kPngRgba2x2, kBmpRgb3x2, kJpeg5x4, kJpegGrey, kJpegProgressive, kJpegCmyk})
    folder.add(from_hex(hex));
  folder.add(jpeg_with_exif(kJpeg5x4, from_hex(kExifBigEndian)));
  folder.add(png_with_exif(kPngRgb3x2, from_hex(kExifLittleEndian)));
}

}  // namespace nestrt::test
