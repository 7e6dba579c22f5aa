#include "kernels/common/map_elements.h"
#include "kernels/common/s8_operands.h"
#include "kernels/dequantize/dequantize.h"

namespace nestrt::kernels {

Result<std::unique_ptr<Kernel>> prepare_dequantize_reference(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const int exponent, s8::exponent_of(spec.inputs[0], "the input"));
  return map_elements<int8_t, float>(stored_elements(spec.inputs[0]),
                                     [exponent](int8_t q) { return s8::dequantize(q, exponent); });
}

}  // namespace nestrt::kernels
