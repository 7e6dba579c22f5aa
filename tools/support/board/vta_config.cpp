// SPDX-License-Identifier: Apache-2.0
#include "tools/support/board/vta_config.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tools/support/text/json.h"
#include "tools/support/text/printable.h"

namespace nestrt::tools {
namespace {

constexpr int kMaxLog = 30;

// Targets of VTA's Chisel source, which has 2048 micro-ops with wider fields, whatever the file states.
constexpr std::array<std::string_view, 2> kChiselTargets = {"tsim", "de10nano"};
constexpr std::string_view kStock = "1x16_15_15_18_17", kChisel = "1x16_13_15_18_17";

Result<int> read_log(const Json& file, std::string_view key) {
  const std::optional<double> value = file.number(key);
  if (!value)
    return Status(Code::kInvalidArgument,
                  fmt::format("{} is missing or not a number; expected the logarithm to base 2 of a size", key));
  if (*value >= 0 && *value <= kMaxLog && std::floor(*value) == *value) return static_cast<int>(*value);
  return Status(Code::kInvalidArgument,
                fmt::format("{} is {}; expected an integer from 0 to {}, a logarithm to base 2", key, *value, kMaxLog));
}

Status check_width(const Json& file, std::string_view key, int expected, std::string_view what) {
  NESTRT_ASSIGN_OR_RETURN(const int value, read_log(file, key));
  if (value == expected) return {};
  return Status(Code::kInvalidArgument,
                fmt::format("{} is {}, {} bits; expected {}, because {}", key, value, 1 << value, expected, what));
}

// VTA's two designs with the same sizes encode instructions differently, and a name does not state the design.
Result<std::string> check_design(std::string name, const std::string& target) {
  const bool is_chisel = std::ranges::find(kChiselTargets, target) != kChiselTargets.end();
  if (is_chisel && (name == kStock || name == kChisel)) return std::string(kChisel);
  if (!is_chisel && name != kChisel) return name;
  return Status(Code::kInvalidArgument,
                fmt::format("TARGET is '{}' and the sizes are {}: nestrt knows the encoding of {} for the targets tsim "
                            "and de10nano only, and no other sizes for these; change LOG_UOP_BUFF_SIZE or TARGET",
                            printable(target), name, kChisel));
}

Result<std::string> configuration_of(const Json& file) {
  NESTRT_RETURN_IF_ERROR(check_width(file, "LOG_INP_WIDTH", 3, "inputs are int8"));
  NESTRT_RETURN_IF_ERROR(check_width(file, "LOG_WGT_WIDTH", 3, "weights are int8"));
  NESTRT_RETURN_IF_ERROR(check_width(file, "LOG_ACC_WIDTH", 5, "accumulators are int32"));
  NESTRT_ASSIGN_OR_RETURN(const int batch, read_log(file, "LOG_BATCH"));
  NESTRT_ASSIGN_OR_RETURN(const int block, read_log(file, "LOG_BLOCK"));
  NESTRT_ASSIGN_OR_RETURN(const int uop, read_log(file, "LOG_UOP_BUFF_SIZE"));
  NESTRT_ASSIGN_OR_RETURN(const int inp, read_log(file, "LOG_INP_BUFF_SIZE"));
  NESTRT_ASSIGN_OR_RETURN(const int wgt, read_log(file, "LOG_WGT_BUFF_SIZE"));
  NESTRT_ASSIGN_OR_RETURN(const int acc, read_log(file, "LOG_ACC_BUFF_SIZE"));
  return check_design(fmt::format("{}x{}_{}_{}_{}_{}", 1 << batch, 1 << block, uop, inp, wgt, acc),
                      file.text("TARGET").value_or(""));
}

}  // namespace

bool is_vta_config(std::string_view configuration) { return configuration.ends_with(".json"); }

Result<std::string> read_vta_config(const std::string& path) {
  NESTRT_ASSIGN_OR_RETURN(const Json file, read_json(path));
  Result<std::string> name = configuration_of(file);
  if (!name) return name.error().with_context(fmt::format("'{}'", printable(path)));
  return name;
}

}  // namespace nestrt::tools
