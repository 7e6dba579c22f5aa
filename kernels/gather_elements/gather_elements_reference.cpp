#include "kernels/common/elements.h"
#include "kernels/common/function_kernel.h"
#include "kernels/common/indices.h"
#include "kernels/common/rules.h"
#include "kernels/gather_elements/gather_elements.h"

namespace nestrt::kernels {

Result<std::unique_ptr<Kernel>> prepare_gather_elements_reference(const OperatorSpec& spec) {
  const Shape data = spec.inputs[0].shape, output = spec.outputs[0].shape;
  NESTRT_ASSIGN_OR_RETURN(const int axis, checked_axis(spec.op->attributes_as_GatherElements()->axis(), data.rank()));
  const Index data_strides = strides_of(data), output_strides = strides_of(output);
  const size_t size = size_bytes(spec.inputs[0].type);
  return make_kernel([=, index_type = spec.inputs[1].type](const KernelCall& call) {
    copy_elements(output, size, call.inputs[0], call.outputs[0], [&](const Index& index) {
      int64_t source = 0, position = 0;
      for (size_t i = 0; i < static_cast<size_t>(output.rank()); ++i) {
        position += index[i] * output_strides[i];
        if (static_cast<int>(i) != axis) source += index[i] * data_strides[i];
      }
      return source +
             index_at(call.inputs[1], index_type, position, data[axis]) * data_strides[static_cast<size_t>(axis)];
    });
  });
}

}  // namespace nestrt::kernels
