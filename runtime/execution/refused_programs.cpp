// SPDX-License-Identifier: Apache-2.0
#include "runtime/execution/refused_programs.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "nestrt/log.h"
#include "runtime/core/unit_infos.h"
#include "runtime/plan/queries/program_for.h"

namespace nestrt {
namespace {

void find_refused(const plan::Tables& plan, uint32_t unit, const UnitInfo& host, Executables& executables,
                  UnitInfo& info) {
  std::string reason;
  for_each_program_for(plan, info, [&](uint32_t branch, uint32_t index, const plan::Program& program) {
    if (program.kind != plan::ProgramKind::kBlob || program_for(plan.branches[branch], host) == nullptr) return;
    const auto prepared = executables.get(unit, branch, index, program.channels);
    if (prepared) return;
    if (reason.empty()) reason = prepared.error().message();
    info.refused.push_back(&program);
  });
  if (info.refused.empty()) return;
  log(LogLevel::kWarning, fmt::format("the CPU computes {} branch{} whose program unit '{}' rejects: {}",
                                      info.refused.size(), info.refused.size() == 1 ? "" : "es", info.name, reason));
}

}  // namespace

std::vector<UnitInfo> infos_with_refusals(const plan::Tables& plan, const UnitList& units, Executables& executables) {
  std::vector<UnitInfo> infos = unit_infos(units);
  const auto host = std::ranges::find_if(infos, &UnitInfo::is_host);
  if (host == infos.end()) return infos;
  for (uint32_t unit = 0; unit < infos.size(); ++unit)
    if (!infos[unit].is_host) find_refused(plan, unit, *host, executables, infos[unit]);
  return infos;
}

}  // namespace nestrt
