// SPDX-License-Identifier: Apache-2.0
// The encoding of an operator's attributes in a table of plan.fbs: field i of ops::X::fields() is field i of table X.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <type_traits>

#include "nestrt/driver/operators.h"
#include "runtime/plan/format/plan_generated.h"

namespace nestrt::plan_format {

constexpr flatbuffers::voffset_t field_offset(size_t index) {
  return static_cast<flatbuffers::voffset_t>(2 * sizeof(flatbuffers::voffset_t) +
                                             index * sizeof(flatbuffers::voffset_t));
}

template <typename T>
inline constexpr bool kIsList = false;
template <typename T>
inline constexpr bool kIsList<std::vector<T>> = true;

#define NESTRT_SAME_NUMBER(Op) \
  static_assert(static_cast<int>(ops::Kind::k##Op) == static_cast<int>(wire::Attributes::Op), #Op);
NESTRT_FOR_EACH_OPERATOR(NESTRT_SAME_NUMBER)
#undef NESTRT_SAME_NUMBER
static_assert(ops::kNumKinds == static_cast<size_t>(wire::Attributes::MAX) + 1);

}  // namespace nestrt::plan_format
