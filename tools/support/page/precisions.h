// SPDX-License-Identifier: Apache-2.0
// The arithmetic of each operator of a plan, why it is f32 if others are s8, and what change of the model would help.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "nestrt/driver/plan_tables.h"
#include "tools/support/text/table.h"

namespace nestrt::tools {

struct OperatorPrecision {
  std::string type;  // "s8", "s8c" (with scales), "f32", "integers", "convert" (types or layouts), or "view" (no work)
  std::string what;  // the kind, with the function if it has one: "Unary silu"
  std::string reason;  // why it is f32 in a plan with 8-bit operators; empty otherwise
  std::string remedy;  // the change of the model or of the options that would make it s8; may be empty
};

// Returns one entry per operator. `stated`: reasons of the quantizer by operator name, which take precedence. Requires:
// a verified plan, here and below.
std::vector<OperatorPrecision> precisions(const plan::Tables& tables,
                                          const std::map<std::string, std::string>& stated = {});

// Returns the number of operators of a type.
size_t count_of(const std::vector<OperatorPrecision>& precisions, std::string_view type);

// Returns for example "s8: 11 operators, f32: 8, conversions: 3".
std::string counts_of(const std::vector<OperatorPrecision>& precisions);

// Returns a table with one row per group of operators with equal entries, largest share of multiplications first.
Table summary_of(const plan::Tables& tables, const std::vector<OperatorPrecision>& precisions);

// Returns a table with one row per operator.
Table table_of(const plan::Tables& tables, const std::vector<OperatorPrecision>& precisions);

}  // namespace nestrt::tools
