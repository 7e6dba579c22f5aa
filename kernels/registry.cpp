// SPDX-License-Identifier: Apache-2.0
#include "kernels/registry.h"

namespace nestrt::kernels {

const OperatorTable& operators() {
#define NESTRT_ROW(Op) &rules<ops::Op>(),
  static const OperatorRules* const kRows[] = {NESTRT_FOR_EACH_OPERATOR(NESTRT_ROW)};
#undef NESTRT_ROW
  static const OperatorTable table{kRows};
  return table;
}

}  // namespace nestrt::kernels
