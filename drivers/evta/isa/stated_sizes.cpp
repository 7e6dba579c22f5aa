// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/isa/stated_sizes.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "drivers/evta/isa/fields.h"
#include "runtime/text/parse.h"

namespace nestrt::evta {
namespace {

constexpr int kMaxLog = 30;           // largest buffer size in a name, in log2 bytes
constexpr int kMinAccIndexBits = 6;   // the probe of a unit needs 64 accumulators
constexpr int kMaxAccIndexBits = 11;  // an ALU instruction has 4 factors and 20 other bits in its second word
constexpr int kMinWgtIndexBits = 4;   // two identities and a layer's weights for two virtual threads
constexpr int kMaxWgtIndexBits = 14;  // the program checker's sets have 16,384 elements
constexpr int kMaxUopIndexBits = 13;  // a first word has 37 other bits

std::optional<int> parse_log(std::string_view text) {
  const std::optional<int> value = parse_number<int>(text);
  return value && *value >= 0 && *value <= kMaxLog && fmt::format("{}", *value) == text ? value : std::nullopt;
}

// Returns the base-2 logarithm of a number of rows or lanes.
std::optional<int> parse_power(std::string_view text) {
  const std::optional<int> value = parse_number<int>(text);
  if (!value || *value <= 0 || !std::has_single_bit(static_cast<unsigned>(*value))) return std::nullopt;
  return fmt::format("{}", *value) == text ? std::optional(std::countr_zero(static_cast<unsigned>(*value)))
                                           : std::nullopt;
}

std::optional<Configuration> parse_form(std::string_view name) {
  const std::vector<std::string_view> parts = split(name, "_");
  const std::vector<std::string_view> array = split(parts[0], "x");
  if (parts.size() != 5 || array.size() != 2) return std::nullopt;
  Configuration result{};
  const auto set = [](int& to, std::optional<int> value) {
    if (value) to = *value;
    return value.has_value();
  };
  const bool is_valid =
      set(result.log_batch, parse_power(array[0])) && set(result.log_block, parse_power(array[1])) &&
      set(result.log_uop_buffer, parse_log(parts[1])) && set(result.log_inp_buffer, parse_log(parts[2])) &&
      set(result.log_wgt_buffer, parse_log(parts[3])) && set(result.log_acc_buffer, parse_log(parts[4]));
  return is_valid ? std::optional(result) : std::nullopt;
}

Status check_size(std::string_view key, int value, int low, int high, std::string_view reason) {
  if (value >= low && value <= high) return {};
  return Status(Code::kInvalidArgument,
                low == high ? fmt::format("{} is {}; expected {}, because {}", key, value, low, reason)
                            : fmt::format("{} is {}; expected {} to {}, because {}", key, value, low, high, reason));
}

Status check_sizes(const Configuration& stated) {
  const int vector = stated.log_batch + stated.log_block;
  NESTRT_RETURN_IF_ERROR(
      check_size("LOG_BATCH", stated.log_batch, 0, 0, "nestrt's programs compute one row at a time"));
  NESTRT_RETURN_IF_ERROR(check_size("LOG_BLOCK", stated.log_block, 3, 5, "blocks have 8, 16 or 32 channels"));
  NESTRT_RETURN_IF_ERROR(
      check_size("LOG_INP_BUFF_SIZE", stated.log_inp_buffer, vector + kMinAccIndexBits, vector + kMaxAccIndexBits,
                 fmt::format("with blocks of {}, programs need at least 2^{} vectors and an instruction can "
                             "address at most 2^{}",
                             stated.block(), kMinAccIndexBits, kMaxAccIndexBits)));
  NESTRT_RETURN_IF_ERROR(
      check_size("LOG_ACC_BUFF_SIZE", stated.log_acc_buffer, stated.log_inp_buffer + 2, stated.log_inp_buffer + 2,
                 "the accumulator buffer must have as many vectors as the input buffer, with 4 bytes per element"));
  const int bits = stated.acc_index_bits(), max_wgt = std::min(kMaxWgtIndexBits, 32 - 2 * bits);
  NESTRT_RETURN_IF_ERROR(
      check_size("LOG_WGT_BUFF_SIZE", stated.log_wgt_buffer, 2 * stated.log_block + kMinWgtIndexBits,
                 2 * stated.log_block + max_wgt,
                 fmt::format("with blocks of {} x {}, programs need at least 2^{} blocks and a micro-op with two "
                             "indices of {} bits can address at most 2^{}",
                             stated.block(), stated.block(), kMinWgtIndexBits, bits, max_wgt)));
  // With fewer micro-ops, a C++ compiler places the first factor of VTA's bit fields in the first word.
  const int min_uop = (27 - bits) / 2 + 1;
  return check_size("LOG_UOP_BUFF_SIZE", stated.log_uop_buffer, min_uop + stated.log_uop_bytes,
                    kMaxUopIndexBits + stated.log_uop_bytes,
                    fmt::format("the first word of an instruction has {} to {} bits for a micro-op's index "
                                "if accumulator indices have {}",
                                min_uop, kMaxUopIndexBits, bits));
}

}  // namespace

Result<Configuration> parse_sizes(std::string_view name) {
  const std::optional<Configuration> stated = parse_form(name);
  if (!stated)
    return Status(Code::kInvalidArgument,
                  "expected {batch}x{block}_{uop}_{inp}_{wgt}_{acc} with buffer sizes in log2 bytes");
  NESTRT_RETURN_IF_ERROR(check_sizes(*stated));
  if (isa::fits(*stated)) return *stated;
  return Status(Code::kInvalidArgument, "its instructions do not fit VTA's encoding");
}

}  // namespace nestrt::evta
