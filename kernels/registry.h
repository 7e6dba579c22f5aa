// The table of every operator and kernel that nestrt has.
#pragma once

#include "nestrt/driver/kernel.h"

namespace nestrt::kernels {

// An operator's row. Its folder defines it: rules<ops::Conv>() in kernels/conv/conv.cpp; one that is missing does not
// link.
template <typename Op>
[[gnu::visibility("hidden")]] const OperatorRules& rules();  // GCC would go by Op, which is public
#define NESTRT_ROW(Op) \
  template <>          \
  const OperatorRules& rules<ops::Op>();
NESTRT_FOR_EACH_OPERATOR(NESTRT_ROW)
#undef NESTRT_ROW

// Has every operator. Static; never fails.
const OperatorTable& operators();

}  // namespace nestrt::kernels
