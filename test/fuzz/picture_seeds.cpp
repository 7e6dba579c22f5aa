#include "test/fuzz/seeds.h"
#include "test/support/sample_pictures.h"

namespace nestrt::test {

void add_picture_seeds(SeedFolder& folder) {
  using namespace pictures;
  for (const std::string_view hex :
       {kPngRgb3x2, kPngRgba2x2, kBmpRgb3x2, kJpeg5x4, kJpegGrey, kJpegProgressive, kJpegCmyk})
    folder.add(from_hex(hex));
}

}  // namespace nestrt::test
