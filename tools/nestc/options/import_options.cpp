// SPDX-License-Identifier: Apache-2.0
#include "tools/nestc/options/import_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "compiler-lite/graph/rounding.h"
#include "tools/support/text/files.h"
#include "tools/support/text/npy.h"

namespace nestrt::compiler {
namespace {

using Assignment = std::pair<std::string, std::string>;

// Splits "NAME=VALUE" at the last '=', as names may contain '='.
Result<Assignment> split_assignment(const std::string& text, const std::string& flag) {
  const size_t at = text.rfind('=');
  if (at == std::string::npos || at == 0 || at + 1 == text.size()) {
    return Status(Code::kInvalidArgument, flag + ": expected NAME=VALUE, got '" + text + "'");
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
      return Status(Code::kInvalidArgument, flag + ": expected up to " + std::to_string(Shape::kMaxRank) +
                                                " positive dimensions such as 1,3,640,640, got '" + text + "'");
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

std::vector<tools::Option> ImportFlags::add_to(tools::Command command) {
  return {command
              .add_option("--input-shape", input_shapes_,
                          "fix the dimensions of an input: NAME=1,3,640,640 (repeatable; several shapes of one input "
                          "create a plan for all of them)")
              .repeatable(),
          command
              .add_option("--bind", bindings_,
                          "make an input a constant: NAME=FILE.npy (repeatable); for inputs that determine shapes")
              .repeatable(),
          command
              .add_option("--computed-constants", computed_mb_,
                          "maximum size of the constants that the compiler computes, in addition to three times the "
                          "model's own (twelve times for 8-bit ones); increase it for models that generate their "
                          "weights. The time limit grows in proportion")
              .in_range(0, kMaxComputedMegabytes)
              .type_name("MB")
              .show_default(),
          command
              .add_option("--qdq-rounding", qdq_rounding_,
                          "how the tool that quantized the model rounds to scales that are powers of two (default: as "
                          "the model's metadata specifies, else half_even as in ONNX)")
              .one_of({"half_even", "half_up", "floor"})};
}

Status ImportFlags::check_output(const std::string& output) const {
  for (const std::string& text : bindings_)
    NESTRT_RETURN_IF_ERROR(tools::check_not_input(output, text.substr(text.rfind('=') + 1)));
  return {};
}

Status ImportFlags::require_one_shape(std::string_view command) const {
  NESTRT_ASSIGN_OR_RETURN(const auto all, shapes());
  if (all.size() == 1) return {};
  return Status(Code::kInvalidArgument,
                fmt::format("nestc {} accepts only one shape; give --input-shape once per input", command));
}

Result<std::vector<std::map<std::string, Shape>>> ImportFlags::shapes() const {
  std::map<std::string, std::vector<Shape>> given;
  size_t count = 1;
  for (const std::string& text : input_shapes_) {
    NESTRT_ASSIGN_OR_RETURN(const auto assignment, split_assignment(text, "--input-shape"));
    NESTRT_ASSIGN_OR_RETURN(const Shape shape, parse_shape(assignment.second, "--input-shape " + assignment.first));
    std::vector<Shape>& shapes = given[assignment.first];
    shapes.push_back(shape);
    count = std::max(count, shapes.size());
  }
  std::vector<std::map<std::string, Shape>> result(count);
  for (const auto& [input, shapes] : given) {
    if (shapes.size() != 1 && shapes.size() != count)
      return Status(
          Code::kInvalidArgument,
          fmt::format("--input-shape is given {} times for input '{}' and {} times for another; give it once, or "
                      "once per shape of the plan",
                      shapes.size(), input, count));
    for (size_t i = 0; i < count; ++i) result[i].emplace(input, shapes[shapes.size() == 1 ? 0 : i]);
  }
  for (size_t i = 1; i < count; ++i)
    if (std::find(result.begin(), result.begin() + static_cast<ptrdiff_t>(i), result[i]) !=
        result.begin() + static_cast<ptrdiff_t>(i))
      return Status(Code::kInvalidArgument, "--input-shape: the same shapes are given twice");
  return result;
}

Result<ImportOptions> ImportFlags::options() const {
  ImportOptions options;
  NESTRT_ASSIGN_OR_RETURN(const auto shapes, this->shapes());
  options.input_shapes = shapes.front();
  for (const std::string& text : bindings_) {
    NESTRT_ASSIGN_OR_RETURN(const auto assignment, split_assignment(text, "--bind"));
    if (options.bindings.count(assignment.first) != 0) return twice("--bind", assignment);
    NESTRT_ASSIGN_OR_RETURN(options.bindings[assignment.first], read_binding(assignment.second));
  }
  options.limits.folded_bytes = int64_t{computed_mb_} << 20;
  options.qdq_rounding = rounding_named(qdq_rounding_);
  constexpr int64_t kStepsPerByte = FoldingBudget::kSteps / FoldingBudget::kBytes;
  options.limits.folding_steps = std::max(FoldingBudget::kSteps, options.limits.folded_bytes * kStepsPerByte);
  return options;
}

}  // namespace nestrt::compiler
