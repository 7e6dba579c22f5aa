#include "tools/nestc/compile_options.h"

#include <algorithm>
#include <charconv>

#include "compiler-lite/codegen/evta/tuning_cache.h"
#include "compiler-lite/codegen/make_backends.h"
#include "compiler-lite/target/target_description.h"
#include "runtime/plan/format.h"
#include "tools/common/files.h"
#include "tools/common/npy.h"

namespace nestrt::compiler {
namespace {

using Assignment = std::pair<std::string, std::string>;

// "NAME=VALUE" -> {NAME, VALUE}. Names may contain '=': the last one separates.
Result<Assignment> split_assignment(const std::string& text, const std::string& flag) {
  const size_t at = text.rfind('=');
  if (at == std::string::npos || at == 0 || at + 1 == text.size()) {
    return Status(Code::kInvalidArgument, flag + " takes NAME=VALUE; '" + text + "' was given");
  }
  return Assignment(text.substr(0, at), text.substr(at + 1));
}

Status twice(const std::string& flag, const Assignment& assignment) {
  return Status(Code::kInvalidArgument, flag + " is given twice for input '" + assignment.first + "'");
}

Result<Shape> parse_shape(const std::string& text, const std::string& flag) {
  Shape shape;
  const char* at = text.data();
  const char* end = at + text.size();
  while (true) {
    int64_t dim = 0;
    const auto [next, error] = std::from_chars(at, end, dim);
    if (error != std::errc() || dim < 1 || shape.rank() == Shape::kMaxRank || (next != end && *next != ',')) {
      return Status(Code::kInvalidArgument, flag + " takes up to " + std::to_string(Shape::kMaxRank) +
                                                " positive dimensions such as 1,3,640,640; '" + text + "' was given");
    }
    shape.push_back(dim);
    if (next == end) return shape;
    at = next + 1;
  }
}

Result<HostTensor> read_binding(const std::string& file) {
  NESTRT_ASSIGN_OR_RETURN(const tools::Array array, tools::read_npy(file));
  return HostTensor{array.type, array.shape, array.bytes};
}

}  // namespace

void CompileFlags::add_to(tools::Command command) {
  const auto add = [&](const tools::Option& option) {
    options_.push_back(option);
    return option;
  };
  add(command.add_option("--input-shape", input_shapes_,
                         "fix the dimensions of an input: NAME=1,3,640,640 (repeatable)"))
      .repeatable();
  add(command.add_option("--bind", bindings_,
                         "make an input a constant: NAME=FILE.npy (repeatable); for inputs that decide shapes"))
      .repeatable();
  add(command.add_option("--mean", mean_,
                         "preprocessing kept in the plan: x = (pixel - mean) * scale; one value, or one per channel"))
      .separated_by(',');
  add(command.add_option("--scale", scale_, "see --mean")).separated_by(',');
  add(command.add_option("--resize", resize_,
                         "resize the shorter side of a picture to N, then crop its centre to the input"));
  add(command.add_flag("--bgr", bgr_, "the input's channels are blue, green, red"));
  add(command.add_option("--expose", exposed_,
                         "make an inner value of the model an output too: to look at it (repeatable)"))
      .repeatable();
  add(command.add_option("--computed-constants", computed_mb_,
                         "megabytes of constants that the compiler may compute beyond the model's own; more for "
                         "models that generate their weights"))
      .in_range(0, 4096)
      .type_name("MB")
      .show_default();
  add(command.add_option("--layout", layout_, "memory layout inside the plan")).one_of({"auto", "plain"});
  add(command.add_option("--no-pass", disabled_passes_, "leave out an optimisation; see nestc compile --passes"))
      .repeatable();
  add(command.add_option("--target", target_,
                         "what the plan may run on, several with commas: boards (zcu102, or the path of a .yaml), CPUs "
                         "(host, x86-64, x86-64-v3, x86-64-v4, aarch64, aarch64-dotprod), units such as "
                         "evta:1x16_15_15_18_17"))
      .type_name("TARGET,...");
  add(command.add_option("--pieces", pieces_,
                         "programs for so many shares of a layer's output channels, so that a unit and the CPU can "
                         "compute it together; 0: none"))
      .in_range(0, static_cast<int64_t>(plan_format::kMaxWays) - 1);
  add(command.add_option("--tuning-cache", tuning_cache_,
                         "where tuned tilings are kept for the next compilation, or none (default: "
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
  for (const std::string& text : bindings_)
    NESTRT_RETURN_IF_ERROR(tools::check_not_input(output, text.substr(text.rfind('=') + 1)));
  NESTRT_RETURN_IF_ERROR(tools::check_not_input(output, tuning_cache_));
  return tools::check_not_input(output, target_);
}

std::optional<Preprocessing> CompileFlags::preprocessing() const {
  if (mean_.empty() && scale_.empty() && resize_ == 0 && !bgr_) return std::nullopt;
  Preprocessing result;
  result.mean = mean_.empty() ? std::vector<float>{0} : mean_;
  result.scale = scale_.empty() ? std::vector<float>{1} : scale_;
  result.resize = resize_;
  result.bgr = bgr_;
  return result;
}

Result<CompileOptions> CompileFlags::options() const {
  CompileOptions options;
  for (const std::string& text : input_shapes_) {
    NESTRT_ASSIGN_OR_RETURN(const auto assignment, split_assignment(text, "--input-shape"));
    NESTRT_ASSIGN_OR_RETURN(const Shape shape, parse_shape(assignment.second, "--input-shape " + assignment.first));
    if (!options.import.input_shapes.emplace(assignment.first, shape).second) return twice("--input-shape", assignment);
  }
  for (const std::string& text : bindings_) {
    NESTRT_ASSIGN_OR_RETURN(const auto assignment, split_assignment(text, "--bind"));
    if (options.import.bindings.count(assignment.first) != 0) return twice("--bind", assignment);
    NESTRT_ASSIGN_OR_RETURN(options.import.bindings[assignment.first], read_binding(assignment.second));
  }
  options.import.limits.folded_bytes = int64_t{computed_mb_} << 20;
  options.preprocessing = preprocessing();
  options.exposed = exposed_;
  options.passes.disabled.insert(disabled_passes_.begin(), disabled_passes_.end());
  options.layout.plain = layout_ == "plain";
  NESTRT_ASSIGN_OR_RETURN(const TargetDescription target, read_target(target_));
  evta::EvtaOptions evta;
  evta.pieces = pieces_;
  if (tuning_cache_ != "none") evta.tuning_cache = tuning_cache_.empty() ? evta::default_tuning_cache() : tuning_cache_;
  NESTRT_ASSIGN_OR_RETURN(options.backends, make_backends(target, evta));
  return options;
}

}  // namespace nestrt::compiler
