// SPDX-License-Identifier: Apache-2.0
// The table of every operator and kernel of nestrt.
#pragma once

#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

// The table row of an operator, defined in the operator's folder: rules<ops::Conv>() in kernels/conv/conv.cpp. A
// missing row is a link error.
template <typename Op>
[[gnu::visibility("hidden")]] const OperatorRules& rules();  // GCC would use the visibility of Op, which is public
#define NESTRT_ROW(Op) \
  template <>          \
  const OperatorRules& rules<ops::Op>();
NESTRT_FOR_EACH_OPERATOR(NESTRT_ROW)
#undef NESTRT_ROW

// Returns the table of all operators. Static; never fails.
const OperatorTable& operators();

}  // namespace nestrt::kernels
