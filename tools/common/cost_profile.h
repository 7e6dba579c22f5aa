// Profiles: what operators cost on a board's units, as YAML that people read, keep and exchange (docs/profiles.md).
#pragma once

#include <string>
#include <string_view>

#include "nestrt/costs.h"
#include "nestrt/result.h"

namespace nestrt::tools {

struct CostProfile {
  std::string board;  // for people; may be empty
  CostTable costs;
};

// Times with five digits.
std::string format_cost_profile(const CostProfile& profile);
Status write_cost_profile(const std::string& path, const CostProfile& profile);

// Errors: kInvalidArgument: with `name` and the line.
Result<CostProfile> parse_cost_profile(const std::string& text, std::string_view name);
// Also kNotFound, kIo.
Result<CostProfile> read_cost_profile(const std::string& path);

}  // namespace nestrt::tools
