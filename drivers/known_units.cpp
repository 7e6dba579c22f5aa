// SPDX-License-Identifier: Apache-2.0
#include "drivers/known_units.h"

#include <algorithm>
#include <iterator>

#include "drivers/evta/isa/configuration.h"

namespace nestrt {
namespace {

constexpr KnownUnit kKnownUnits[] = {{kHostUnit, ""}, {"evta", evta::kConfigurations.front().name}};

Status complete_evta(std::string& configuration, int64_t& instances) {
  NESTRT_ASSIGN_OR_RETURN(const evta::Instances stated, evta::parse_instances(configuration));
  if (stated.count > 1 && instances > 1)
    return Status(Code::kInvalidArgument,
                  "the number of instances is specified twice: in the configuration and separately");
  instances = std::max<int64_t>(instances, stated.count);
  configuration = stated.configuration->name;
  return {};
}

}  // namespace

const KnownUnit* find_known_unit(std::string_view kind) {
  const auto* const found =
      std::find_if(std::begin(kKnownUnits), std::end(kKnownUnits), [&](const auto& unit) { return unit.kind == kind; });
  return found == std::end(kKnownUnits) ? nullptr : found;
}

std::string known_units() {
  std::string known;
  for (const KnownUnit& unit : kKnownUnits) known.append(known.empty() ? "" : ", ").append(unit.kind);
  return known;
}

Status complete_unit(std::string_view kind, std::string& configuration, int64_t& instances) {
  if (find_known_unit(kind) == nullptr)
    return Status(Code::kInvalidArgument, "unknown unit '" + std::string(kind) + "'; available: " + known_units());
  if (kind != kHostUnit) return complete_evta(configuration, instances);
  if (configuration.empty()) return {};
  return Status(Code::kInvalidArgument, "unit 'cpu' does not support configuration '" + configuration + "'");
}

}  // namespace nestrt
