// SPDX-License-Identifier: Apache-2.0
#include "test/compiler-lite/import/tflite/lite_models.h"
#include "test/fuzz/seeds.h"

namespace nestrt::test {

void add_tflite_seeds(SeedFolder& folder) {
  for (const LiteWriter& model : sample_lite_models()) folder.add(model.bytes());
}

}  // namespace nestrt::test
