// SPDX-License-Identifier: Apache-2.0
// The table of all operators and kernels of nestrt.
#pragma once

#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

// The table row of an operator. It is defined in the operator's folder: rules<ops::Conv>() in kernels/conv/conv.cpp. A
// missing row causes a link error.
template <typename Op>
[[gnu::visibility("hidden")]] const OperatorRules& rules();  // GCC would use the visibility of Op, which is public
#define NESTRT_ROW(Op) \
  template <>          \
  const OperatorRules& rules<ops::Op>();
NESTRT_FOR_EACH_OPERATOR(NESTRT_ROW)
#undef NESTRT_ROW

// Returns the table of all operators, a static object. Never fails.
const OperatorTable& operators();

}  // namespace nestrt::kernels
