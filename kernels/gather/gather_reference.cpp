#include <cstring>

#include "kernels/common/function_kernel.h"
#include "kernels/common/indices.h"
#include "kernels/common/parallel_ranges.h"
#include "kernels/common/rules.h"
#include "kernels/gather/gather.h"

namespace nestrt::kernels {

Result<std::unique_ptr<Kernel>> prepare_gather_reference(const OperatorSpec& spec) {
  const Shape& data = spec.inputs[0].shape;
  NESTRT_ASSIGN_OR_RETURN(const int axis, checked_axis(spec.op->attributes_as_Gather()->axis(), data.rank()));
  const int64_t outer = data.product(0, axis), dim = data[axis], inner = data.product(axis + 1, data.rank());
  const int64_t picks = spec.inputs[1].shape.num_elements();
  const size_t slice_bytes = static_cast<size_t>(inner) * size_bytes(spec.inputs[0].type);
  return make_kernel([=, index_type = spec.inputs[1].type](const KernelCall& call) {
    if (slice_bytes == 0) return;
    parallel_ranges(*call.parallel, outer * picks, inner, [&](int64_t first, int64_t last) {
      for (int64_t slice = first; slice < last; ++slice) {
        const int64_t source = slice / picks * dim + index_at(call.inputs[1], index_type, slice % picks, dim);
        std::memcpy(call.outputs[0] + static_cast<size_t>(slice) * slice_bytes,
                    call.inputs[0] + static_cast<size_t>(source) * slice_bytes, slice_bytes);
      }
    });
  });
}

}  // namespace nestrt::kernels
