#include "kernels/common/map_elements.h"
#include "kernels/common/s8_operands.h"
#include "kernels/requantize/requantize.h"

namespace nestrt::kernels {

Result<std::unique_ptr<Kernel>> prepare_requantize_reference(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const int from, s8::exponent_of(spec.inputs[0], "the input"));
  NESTRT_ASSIGN_OR_RETURN(const int to, s8::exponent_of(spec.outputs[0], "the output"));
  return map_elements<int8_t, int8_t>(stored_elements(spec.inputs[0]),
                                      [from, to, rounding = spec.op->attributes_as_Requantize()->rounding()](int8_t q) {
                                        return s8::requantize(q, from, to, rounding);
                                      });
}

}  // namespace nestrt::kernels
