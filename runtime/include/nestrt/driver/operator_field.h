// SPDX-License-Identifier: Apache-2.0
// The list of an operator's members with their names in the schema.
#pragma once

#include <string_view>
#include <tuple>
#include <type_traits>

#include "nestrt/visibility.h"

namespace nestrt {
namespace NESTRT_PUBLIC ops {

// A member of an operator and its name in the schema.
template <typename Owner, typename Member>
struct Field {
  std::string_view name;
  Member Owner::*member;
};

// Returns the field; deduces the types of the owner and the member.
template <typename Owner, typename Member>
constexpr Field<Owner, Member> field(std::string_view name, Member Owner::*member) {
  return {name, member};
}

// Calls visit(name, member) for every field of an operator, in order.
template <typename Op, typename Visitor>
constexpr void for_each_field(Op& op, Visitor&& visit) {
  std::apply([&](const auto&... entry) { (visit(entry.name, op.*(entry.member)), ...); },
             std::remove_const_t<Op>::fields());
}

}  // namespace ops
}  // namespace nestrt
