// SPDX-License-Identifier: Apache-2.0
#include "tools/nestrt/debugging/debugged_program.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "drivers/evta/isa/disassemble.h"
#include "drivers/evta/simulator/vector_file.h"
#include "tools/support/text/files.h"
#include "tools/support/text/printable.h"

namespace nestrt::command {
namespace {

using tools::Json;

// Number of instructions shown before and after a marked one.
constexpr size_t kContext = 6;

bool can_read(const evta::MemoryRange& range) { return allows(range.access, evta::MemoryRange::Access::kRead); }

std::string describe(const DebuggedProgram& program, const evta::RangeDifference& difference) {
  const bool is_observed = difference.range >= program.ranges.size();
  const std::string name = is_observed ? "the accumulators" : tools::printable(program.ranges[difference.range]);
  return fmt::format("{}: {} bytes differ; at {:#x}, expected {}, got {}", name, difference.count, difference.offset,
                     std::to_integer<int>(difference.expected), std::to_integer<int>(difference.actual));
}

std::string describe_run(const DebuggedProgram& program, const evta::DebugRun& run) {
  if (!run.status.ok()) return fmt::format("  {}\n", tools::printable_message(run.status.message()));
  std::string text;
  for (const evta::RangeDifference& difference : run.differences)
    text += fmt::format("  {}\n", describe(program, difference));
  return text;
}

std::string describe_registers(const DebuggedProgram& program) {
  std::string text;
  for (const evta::DeviceRegister& reg : program.registers)
    text += fmt::format("  register {:<26} {:#010x}\n", reg.name, reg.value);
  return text;
}

std::string describe_first_wrong(const DebuggedProgram& program, const evta::WrongInstruction& wrong) {
  const size_t at = wrong.instruction, size = program.instructions.size();
  std::string text = fmt::format("first wrong instruction: {} of {} ({})\n", at, size,
                                 !wrong.run.status.ok() ? "the accelerator does not complete it"
                                 : wrong.is_computation ? "its accumulators differ from the simulator's"
                                                        : "what it stores differs from the simulator's");
  text += describe_run(program, wrong.run);
  if (wrong.unobserved > 0)
    text += fmt::format("  {} computations before it cannot be observed separately\n", wrong.unobserved);
  return text + list_instructions(program.instructions, at - std::min(at, kContext), std::min(at + kContext, size), at);
}

Json to_json(const DebuggedProgram& program, const evta::DebugRun& run) {
  Json differences = Json::array();
  for (const evta::RangeDifference& difference : run.differences)
    differences.push_back(
        Json{{"range", difference.range < program.ranges.size() ? program.ranges[difference.range] : "accumulators"},
             {"bytes", difference.count},
             {"offset", difference.offset},
             {"expected", std::to_integer<int>(difference.expected)},
             {"actual", std::to_integer<int>(difference.actual)}});
  return Json{{"status", run.status.ok() ? std::string("ok") : run.status.to_string()},
              {"differences", std::move(differences)}};
}

evta::VectorCase vector_of(const DebuggedProgram& program, const evta::BoundProgram& source,
                           const evta::ProgramDebugger& debugger) {
  evta::VectorCase vector;
  vector.name = fmt::format("branch {} ({})", program.branch, program.operators);
  vector.instructions.assign(source.instructions.begin(), source.instructions.end());
  for (size_t i = 0; i < source.ranges.size(); ++i) {
    const auto address = static_cast<uint32_t>(source.ranges[i].address);
    if (can_read(source.ranges[i]))
      vector.inputs.push_back({address, debugger.before(i)});
    else
      vector.outputs.push_back({address, debugger.expected(i)});
  }
  return vector;
}

}  // namespace

std::vector<std::string> names_of_ranges(const plan::Tables& tables, const plan::Program& program) {
  std::vector<std::string> names;
  for (const plan::ProgramRange& range : program.ranges)
    names.push_back(range.tensor >= 0 ? tables.tensors[static_cast<size_t>(range.tensor)].name : "constants");
  return names;
}

std::string list_instructions(const std::vector<evta::Instruction>& instructions, size_t begin, size_t end,
                              std::optional<size_t> marked) {
  std::string text;
  for (size_t i = begin; i < end; ++i)
    text += fmt::format("{} {:6}  {}\n", marked == i ? '>' : ' ', i, evta::disassemble(instructions[i]));
  return text;
}

std::string describe_fault(const DebuggedProgram& program) {
  std::string text = fmt::format("\nbranch {} ({}), {} instructions:\n", program.branch,
                                 tools::printable(program.operators), program.instructions.size());
  text += describe_run(program, program.whole) + describe_registers(program);
  if (program.wrong) return text + describe_first_wrong(program, *program.wrong);
  if (!program.search.ok())
    return text + fmt::format("  the search ended: {}\n", tools::printable_message(program.search.message()));
  return text + "  no shorter program is wrong: the fault depends on timing or does not always occur; run it again\n";
}

std::string describe_prefix(const DebuggedProgram& program) {
  const size_t count = *program.until;
  return fmt::format("branch {} ({}), the first {} of {} instructions:\n", program.branch,
                     tools::printable(program.operators), count, program.instructions.size()) +
         (program.is_right() ? "  the memory equals the simulator's\n" : describe_run(program, program.whole)) +
         describe_registers(program) +
         list_instructions(program.instructions, count - std::min(count, kContext), count);
}

Json to_json(const DebuggedProgram& program) {
  Json json{{"branch", program.branch},
            {"operators", program.operators},
            {"configuration", program.configuration},
            {"instructions", program.instructions.size()},
            {"right", program.is_right()},
            {"run", to_json(program, program.whole)}};
  Json registers = Json::array();
  for (const evta::DeviceRegister& reg : program.registers)
    registers.push_back(Json{{"name", reg.name}, {"value", reg.value}});
  json.set("registers", std::move(registers));
  if (program.until) json.set("until", *program.until);
  if (!program.search.ok()) json.set("search", program.search.to_string());
  if (!program.wrong) return json;
  json.set("first_wrong", Json{{"instruction", program.wrong->instruction},
                               {"text", evta::disassemble(program.instructions[program.wrong->instruction])},
                               {"is_computation", program.wrong->is_computation},
                               {"unobserved", program.wrong->unobserved},
                               {"run", to_json(program, program.wrong->run)}});
  return json;
}

Status write_bundle(const std::string& folder, const DebuggedProgram& program, const evta::BoundProgram& source,
                    const evta::ProgramDebugger& debugger) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Status(Code::kIo, fmt::format("'{}' cannot be created: {}", folder, error.message()));
  const std::vector<evta::VectorCase> cases = {vector_of(program, source, debugger)};
  NESTRT_RETURN_IF_ERROR(tools::write_file(folder + "/program.vtav", evta::format_vectors(cases)));
  const std::string listing = list_instructions(program.instructions, 0, program.instructions.size());
  NESTRT_RETURN_IF_ERROR(tools::write_text(folder + "/program.txt", listing));
  return tools::write_json(folder + "/report.json", to_json(program));
}

}  // namespace nestrt::command
