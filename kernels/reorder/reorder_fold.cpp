// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/layout/image_fold.h"
#include "kernels/reorder/reorder.h"

namespace nestrt::kernels {

Result<std::unique_ptr<Kernel>> prepare_reorder_to_folded(const OperatorSpec& spec) {
  ImageFold fold(spec.outputs[0]);
  const ScratchSize scratch = fold.scratch();
  const int64_t width = spec.inputs[0].shape[3];
  return make_kernel(
      [fold = std::move(fold), width](const KernelCall& call) {
        const auto* const image = call.input<int8_t>(0);
        fold.run(call,
                 [&](int64_t row, int8_t* to) { std::memcpy(to, image + row * width, static_cast<size_t>(width)); });
      },
      scratch);
}

}  // namespace nestrt::kernels
