// SPDX-License-Identifier: Apache-2.0
#include "tools/nestc/assembly.h"

#include <fmt/core.h>

#include "drivers/evta/driver/bound_program.h"
#include "drivers/evta/isa/decode.h"
#include "drivers/evta/isa/disassemble.h"
#include "nestrt/driver/plan_tables.h"
#include "runtime/plan/queries/channels.h"
#include "tools/support/text/printable.h"

namespace nestrt::compiler {
namespace {

std::string holder_of(const Plan& plan, const plan::ProgramRange& range) {
  const std::string from = range.offset == 0 ? "" : fmt::format(" from byte {} on", range.offset);
  if (range.tensor < 0) return fmt::format("segment {}{}", range.segment, from);
  const plan::Tensor& tensor = plan.tables().tensors[static_cast<uint32_t>(range.tensor)];
  return "'" + tools::printable(tensor.name) + "'" + from;
}

Status print_program(const Plan& plan, uint32_t branch, const plan::Program& program) {
  const std::string& name = program.configuration;
  const evta::Configuration* configuration = evta::find_configuration(name);
  if (configuration == nullptr)
    return Status(Code::kUnsupported, fmt::format("branch {}: EVTA has no configuration '{}'", branch, name));
  NESTRT_ASSIGN_OR_RETURN(const evta::BoundProgram read, evta::read_program(plan, branch, program, *configuration));
  NESTRT_ASSIGN_OR_RETURN(const auto instructions, evta::decode(*configuration, read.instructions));
  const uint32_t first = plan.tables().branches[branch].operators[0];
  fmt::print("branch {}: '{}'{} on evta {}, {} instructions\n", branch,
             tools::printable(plan.tables().operators[first].name),
             program.channels.all() ? "" : ", channels " + to_string(program.channels), name, instructions.size());
  for (const plan::ProgramRange& range : program.ranges)
    fmt::print("  {:#010x} {:>9} bytes  {:<10} {}\n", range.address, range.size, plan::name(range.access),
               holder_of(plan, range));
  for (size_t i = 0; i < instructions.size(); ++i) fmt::print("  {:>5}  {}\n", i, evta::disassemble(instructions[i]));
  fmt::print("\n");
  return {};
}

}  // namespace

Status print_assembly(const Plan& plan) {
  bool found = false;
  const auto& branches = plan.tables().branches;
  for (uint32_t branch = 0; branch < branches.size(); ++branch) {
    for (const plan::Program& program : branches[branch].programs) {
      if (program.unit != "evta") continue;
      found = true;
      NESTRT_RETURN_IF_ERROR(print_program(plan, branch, program));
    }
  }
  if (found) return {};
  return Status(Code::kNotFound,
                "the plan has no program for EVTA: compile the model in 8 bits (--quantize s8) with "
                "--target zcu102, and inspect the plan");
}

}  // namespace nestrt::compiler
