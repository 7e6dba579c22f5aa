// SPDX-License-Identifier: Apache-2.0
// nestrt conformance: tests a vendor's plug-in against nestrt/vendor.h, or a unit against nestrt/driver/unit.h.
#include "drivers/vendor/conformance/conformance.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "drivers/vendor/program.h"
#include "nestrt/driver/plan_tables.h"
#include "runtime/platform/aligned_memory.h"
#include "runtime/text/parse.h"
#include "tools/nestrt/commands.h"
#include "tools/nestrt/load.h"
#include "tools/support/report/plan_shape.h"
#include "tools/support/report/unit_conformance.h"
#include "tools/support/text/files.h"
#include "tools/support/text/printable.h"

namespace nestrt::command {
namespace {

struct ConformanceOptions {
  std::string plan, blob;
  UnitChoice units;  // empty: test the plug-in without a unit
  std::vector<uint64_t> input_bytes, output_bytes;
};

// A program and the memory that holds it.
struct Source {
  std::shared_ptr<const Plan> plan;
  AlignedMemory blob;  // unless the plan contains it
  vendor::ConformanceProgram program;
};

Status parse_sizes(const std::string& text, std::vector<uint64_t>* sizes) {
  for (const std::string_view part : split(text, ",")) {
    const auto size = parse_number<uint64_t>(part);
    if (!size || *size == 0 || *size > uint64_t{1} << 32)
      return Status(Code::kInvalidArgument,
                    fmt::format("expected numbers of bytes such as 64,64, got '{}'", tools::printable(text)));
    sizes->push_back(*size);
  }
  return {};
}

Result<Source> from_blob(const ConformanceOptions& options) {
  if (options.output_bytes.empty())
    return Status(Code::kInvalidArgument, "--blob requires --output-bytes with the sizes of the program's outputs");
  NESTRT_ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, tools::read_file(options.blob));
  Source source;
  NESTRT_ASSIGN_OR_RETURN(source.blob, AlignedMemory::allocate(bytes.size() + 1, "the blob"));
  if (!bytes.empty()) std::memcpy(source.blob.data(), bytes.data(), bytes.size());
  source.program.blob = {source.blob.data(), bytes.size()};
  for (const uint64_t size : options.input_bytes) source.program.inputs.push_back({size});
  for (const uint64_t size : options.output_bytes) source.program.outputs.push_back({size});
  return source;
}

// Returns the first blob program of a plan.
Result<Source> from_plan(const std::string& path) {
  Source source;
  NESTRT_ASSIGN_OR_RETURN(source.plan, Plan::map(path, LoadOptions(Verification::kComplete)));
  for (const plan::Branch& branch : source.plan->tables().branches) {
    for (const plan::Program& program : branch.programs) {
      if (program.kind != plan::ProgramKind::kBlob) continue;
      NESTRT_ASSIGN_OR_RETURN(auto ported, vendor::read_program(*source.plan, program, program.configuration));
      source.program = std::move(ported.part);
      source.blob = std::move(ported.joined);
      return source;
    }
  }
  return Status(Code::kInvalidArgument, fmt::format("'{}' has no vendor program", path));
}

template <typename CaseResult>
void print(const CaseResult& result) {
  fmt::print("{}  {}\n", result.status.ok() ? "ok    " : "FAILED", result.name);
  if (!result.status.ok()) fmt::print("        {}\n", tools::printable_message(result.status.message()));
}

// Prints the number of passed cases and returns whether all passed.
template <typename CaseResult>
bool summarize(const std::vector<CaseResult>& results) {
  const auto failed = std::ranges::count_if(results, [](const auto& result) { return !result.status.ok(); });
  fmt::print("{} of {} cases passed\n", results.size() - static_cast<size_t>(failed), results.size());
  return failed == 0;
}

Result<bool> test_plugin(const ConformanceOptions& options) {
  if (options.units.plugin.empty())
    return Status(Code::kInvalidArgument, "expected --plugin with a vendor library, or --units");
  if (options.units.isolate)
    return Status(Code::kInvalidArgument,
                  "--isolate requires --units; --plugin alone tests the library within this process");
  if (options.plan.empty() == options.blob.empty())
    return Status(Code::kInvalidArgument, "expected a PLAN with a vendor program, or --blob");
  NESTRT_ASSIGN_OR_RETURN(const Source source, options.plan.empty() ? from_blob(options) : from_plan(options.plan));
  NESTRT_ASSIGN_OR_RETURN(auto device_options, vendor::parse_plugin_options(options.units.plugin_options, 0));
  NESTRT_ASSIGN_OR_RETURN(const auto plugin, vendor::load_plugin(options.units.plugin, std::move(device_options)));
  return summarize(vendor::run_conformance(plugin, source.program, print<vendor::ConformanceResult>));
}

Result<bool> test_units(const ConformanceOptions& options) {
  if (options.plan.empty()) return Status(Code::kInvalidArgument, "expected a PLAN with a program for each of --units");
  NESTRT_ASSIGN_OR_RETURN(const auto whole, Plan::map(options.plan, LoadOptions(Verification::kComplete)));
  NESTRT_ASSIGN_OR_RETURN(const auto plan, tools::plan_of_shape(whole, options.units.shape));
  NESTRT_ASSIGN_OR_RETURN(const UnitList units, options.units.open(*plan));
  bool all_passed = true;
  for (const auto& unit : units) {
    fmt::print("{} ({})\n", unit->info().name, unit->info().configuration);
    NESTRT_ASSIGN_OR_RETURN(const auto results,
                            tools::run_unit_conformance(plan, *unit, print<tools::UnitConformanceResult>));
    all_passed = summarize(results) && all_passed;
  }
  return all_passed;
}

Result<ExitCode> run_conformance(const ConformanceOptions& options) {
  NESTRT_ASSIGN_OR_RETURN(const bool passed, options.units.units.empty() ? test_plugin(options) : test_units(options));
  return passed ? ExitCode::kOk : ExitCode::kMismatch;
}

}  // namespace

void add_conformance(tools::Cli& cli) {
  auto options = std::make_shared<ConformanceOptions>();
  options->units.units.clear();
  tools::Command app = cli.add_command(
      "conformance", "Test whether a vendor plug-in or a unit conforms to its interface",
      {"nestrt conformance --plugin ./libnpu.so model.nest", "nestrt conformance --units evta model.nest",
       "nestrt conformance --plugin ./libskeleton.so --blob copy.blob --input-bytes 64 --output-bytes 64"},
      [options] { return run_conformance(*options); });
  app.add_option("PLAN", options->plan, "compiled network (.nest) with a program for the unit to test")
      .type_name("FILE");
  add_unit_options(app, options->units);
  app.add_option("--blob", options->blob, "vendor program, instead of a plan").type_name("FILE").not_empty();
  app.add_parsed_option(
         "--input-bytes", [options](const std::string& text) { return parse_sizes(text, &options->input_bytes); },
         "sizes of the blob's inputs in bytes")
      .type_name("LIST");
  app.add_parsed_option(
         "--output-bytes", [options](const std::string& text) { return parse_sizes(text, &options->output_bytes); },
         "sizes of the blob's outputs in bytes")
      .type_name("LIST");
}

}  // namespace nestrt::command
