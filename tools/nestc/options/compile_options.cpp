// SPDX-License-Identifier: Apache-2.0
#include "tools/nestc/options/compile_options.h"

#include <algorithm>
#include <utility>

#include "compiler-lite/codegen/evta/tuning/tuning_cache.h"
#include "compiler-lite/codegen/make_backends.h"
#include "compiler-lite/target/target_description.h"
#include "drivers/unit_list.h"
#include "tools/support/board/board.h"
#include "tools/support/image/preprocessing_warnings.h"
#include "tools/support/text/files.h"

namespace nestrt::compiler {

void CompileFlags::add_to(tools::Command command) {
  const auto add = [&](const tools::Option& option) {
    options_.push_back(option);
    return option;
  };
  for (const tools::Option& option : import_.add_to(command)) options_.push_back(option);
  for (const tools::Option& option : images_.add_to(command)) options_.push_back(option);
  add(command.add_option("--expose", choice_.exposed,
                         "also make an inner value of the model an output, to inspect it (repeatable)"))
      .repeatable();
  add(command.add_option("--layout", choice_.layout, "memory layout inside the plan")).one_of({"auto", "plain"});
  add(command.add_option("--no-pass", choice_.disabled_passes,
                         "disable an optimisation pass; see nestc compile --passes"))
      .repeatable();
  add(command.add_option("--target", choice_.target,
                         "targets of the plan, separated by commas: boards (zcu102, or the path of a .yaml), CPUs "
                         "(host, x86-64, x86-64-v3, x86-64-v4, x86-64-v4-amx, aarch64, aarch64-dotprod), units such as "
                         "evta:1x16_15_15_18_17 or evta:path/vta_config.json"))
      .type_name("TARGET,...");
  add(command.add_option(
          "--kernels", choice_.kernels,
          "CPU kernels per operator from which sessions may select by measurement: the best one, those with "
          "identical results (for s8 operators), or all (in f32 used only if a session requests it)"))
      .one_of({"one", "same-bits", "all"});
  add(command.add_option("--partial-programs", choice_.num_partial_programs,
                         "partial programs for N shares of a layer's output channels, so that a unit and the CPU can "
                         "share the layer; 0: none"))
      .in_range(0, evta::kDefaultPartialPrograms);
  add(command.add_option("--tuning-cache", choice_.tuning_cache,
                         "file for tuned tilings, reused by later compilations, or none (default: "
                         "nestrt/evta-schedules in $XDG_CACHE_HOME or ~/.cache)"))
      .type_name("FILE|none")
      .not_empty();
}

std::string CompileFlags::first_given() const {
  const auto given =
      std::find_if(options_.begin(), options_.end(), [](const tools::Option& option) { return option.given(); });
  return given == options_.end() ? std::string() : given->name();
}

Status CompileFlags::check_output(const std::string& output) const {
  NESTRT_RETURN_IF_ERROR(import_.check_output(output));
  NESTRT_RETURN_IF_ERROR(tools::check_not_input(output, choice_.tuning_cache));
  for (const UnitRequest& item : parse_unit_list(choice_.target))
    if (const auto board = tools::find_board(std::string(item.text)))
      NESTRT_RETURN_IF_ERROR(tools::check_not_input(output, tools::files_of_board(*board)));
  return {};
}

Result<CompileOptions> CompileFlags::options() const {
  CompileOptions options;
  NESTRT_ASSIGN_OR_RETURN(options.import, import_.options());
  options.preprocessing = images_.preprocessing();
  if (options.preprocessing) tools::warn_about_preprocessing(*options.preprocessing);
  NESTRT_RETURN_IF_ERROR(choice_.add_to(options));
  NESTRT_ASSIGN_OR_RETURN(const auto shapes, import_.shapes());
  for (size_t i = 1; i < shapes.size(); ++i) {
    NESTRT_ASSIGN_OR_RETURN(Backends backends, choice_.backends());
    options.other_shapes.push_back({shapes[i], std::move(backends)});
  }
  return options;
}

Status CompileFlags::require_one_shape(std::string_view command) const { return import_.require_one_shape(command); }

Result<Backends> CompileChoice::backends() const {
  NESTRT_ASSIGN_OR_RETURN(const TargetDescription description, read_target(target));
  return backends_for(description);
}

Result<Backends> CompileChoice::backends_for(const TargetDescription& description) const {
  evta::EvtaOptions evta;
  evta.num_partial_programs = num_partial_programs;
  if (tuning_cache != "none") evta.tuning_cache = tuning_cache.empty() ? evta::default_tuning_cache() : tuning_cache;
  return make_backends(description, evta, kernel_alternatives());
}

KernelAlternatives CompileChoice::kernel_alternatives() const {
  if (kernels == "one") return KernelAlternatives::kNone;
  return kernels == "all" ? KernelAlternatives::kAll : KernelAlternatives::kSameBits;
}

Status CompileChoice::add_to(CompileOptions& options) const {
  options.exposed = exposed;
  options.passes.disabled.insert(disabled_passes.begin(), disabled_passes.end());
  options.layout.plain = layout == "plain";
  NESTRT_ASSIGN_OR_RETURN(const TargetDescription description, read_target(target));
  NESTRT_ASSIGN_OR_RETURN(options.backends, backends_for(description));
  NESTRT_ASSIGN_OR_RETURN(options.board_costs, board_costs(description));
  return {};
}

}  // namespace nestrt::compiler
