// SPDX-License-Identifier: Apache-2.0
#include "nestrt/driver/operators.h"

namespace nestrt::ops {

Attributes::Attributes() = default;
#define NESTRT_CONVERT(Op) \
  Attributes::Attributes(Op value) : AnyOperator(std::move(value)) {}
NESTRT_FOR_EACH_OPERATOR(NESTRT_CONVERT)
#undef NESTRT_CONVERT
Attributes::Attributes(const Attributes& other) = default;
Attributes::Attributes(Attributes&& other) noexcept = default;
Attributes& Attributes::operator=(const Attributes& other) = default;
Attributes& Attributes::operator=(Attributes&& other) noexcept = default;
Attributes::~Attributes() = default;

bool Attributes::operator==(const Attributes& other) const {
  return static_cast<const AnyOperator&>(*this) == static_cast<const AnyOperator&>(other);
}

}  // namespace nestrt::ops
