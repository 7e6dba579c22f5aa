#include "kernels/common/map_elements.h"
#include "kernels/common/s8_operands.h"
#include "kernels/quantize/quantize.h"

namespace nestrt::kernels {

Result<std::unique_ptr<Kernel>> prepare_quantize_reference(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const int exponent, s8::exponent_of(spec.outputs[0], "the output"));
  return map_elements<float, int8_t>(stored_elements(spec.inputs[0]),
                                     [exponent, rounding = spec.op->attributes_as_Quantize()->rounding()](float x) {
                                       return s8::quantize(x, exponent, rounding);
                                     });
}

}  // namespace nestrt::kernels
