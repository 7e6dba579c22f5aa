// SPDX-License-Identifier: Apache-2.0
// The cost file format: lines with tab-separated fields.
//   nestrt costs 3                               the version of the format
//   kernels <version of nestrt>                  version that was measured; if missing, costs apply to all versions
//   unit <kind> <configuration> <threads>        the unit of the following lines
//   clock <MHz>                                  clock at which its costs were obtained, if known
//   overhead <start, us> <finish, us> <MB/s> <lane, us>
//   cost <us> <source> <work>
// Lines that begin with # are comments.
#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <optional>
#include <span>

#include "nestrt/driver/costs.h"
#include "runtime/costs/cost_range.h"
#include "runtime/costs/cost_text.h"
#include "runtime/platform/file_descriptor.h"
#include "runtime/platform/guard.h"
#include "runtime/platform/replace_file.h"
#include "runtime/text/escaped.h"
#include "runtime/text/parse.h"

namespace nestrt {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHeader = "nestrt costs 3";
constexpr std::string_view kHeaderOfAny = "nestrt costs ";
constexpr uintmax_t kMaxBytes = uintmax_t{64} << 20;
constexpr int kMaxThreads = 1 << 16;
constexpr double kMaxClockMhz = 1e6;
constexpr std::string_view kSources[] = {"unknown", "measured", "simulated", "modelled"};

// --- Reading ---------------------------------------------------------------------------------------------------------

// Parses a time or a rate.
// Values below one millionth count as zero: they do not affect sums that contain inference times.
std::optional<double> parse_value(std::string_view field) {
  const std::optional<double> value = parse_number<double>(field);
  if (!value || !is_cost(*value)) return std::nullopt;
  return *value < 1e-6 ? 0 : *value;
}

std::optional<CostSource> parse_source(std::string_view field) {
  for (size_t i = 0; i < std::size(kSources); ++i)
    if (kSources[i] == field) return static_cast<CostSource>(i);
  return std::nullopt;
}

// Removes and returns the text before the next `separator` in `rest`, or all of `rest` if it contains no separator.
std::string_view next(std::string_view& rest, char separator) {
  const std::string_view part = rest.substr(0, rest.find(separator));
  rest.remove_prefix(std::min(rest.size(), part.size() + 1));
  return part;
}

// Removes and returns the next line of `rest`, without the carriage return that some systems add.
std::string_view next_line(std::string_view& rest) {
  std::string_view line = next(rest, '\n');
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool is_too_long(const UnitKey& unit) {
  return unit.kind.size() > UnitKey::kMaxBytes || unit.configuration.size() > UnitKey::kMaxBytes;
}

class Reader {
 public:
  // Returns the error in the line, or an empty string.
  std::string_view add(std::string_view line) {
    if (line.starts_with('#')) return {};
    const std::string_view what = next(line, '\t');
    if (what == "kernels") return add_kernels(line);
    if (what == "unit") return add_unit(line);
    if (!unit_) return "no unit line precedes it";
    if (what == "clock") return add_clock(line);
    if (what == "overhead") return add_overhead(line);
    if (what == "cost") return add_cost(line);
    return "unknown keyword";
  }
  CostTable take() { return std::move(costs_); }
  // Returns the version of nestrt whose kernels were measured, or an empty string if the costs apply to all versions.
  const std::string& kernels() const { return kernels_; }

 private:
  std::string_view add_kernels(std::string_view version) {
    if (version.empty() || unit_ || !kernels_.empty())
      return "expected the version of nestrt, once and before all units";
    kernels_ = version;
    return {};
  }
  std::string_view add_unit(std::string_view rest) {
    UnitKey unit;
    unit.kind = next(rest, '\t');
    unit.configuration = next(rest, '\t');
    const std::optional<int> threads = parse_number<int>(rest);
    if (unit.kind.empty() || !threads || *threads < 1 || *threads > kMaxThreads)
      return "expected a unit's kind, configuration and threads";
    static_assert(UnitKey::kMaxBytes == 256);
    if (is_too_long(unit)) return "the unit's kind or configuration exceeds 256 bytes";
    unit.threads = *threads;
    unit_ = unit;
    return {};
  }
  std::string_view add_clock(std::string_view rest) {
    const auto mhz = parse_value(rest);
    if (!mhz || *mhz <= 0 || *mhz > kMaxClockMhz || costs_.clock_mhz(*unit_) > 0)
      return "expected the unit's clock in MHz, once";
    costs_.set_clock(*unit_, *mhz);
    return {};
  }
  std::string_view add_overhead(std::string_view rest) {
    const auto start = parse_value(next(rest, '\t')), finish = parse_value(next(rest, '\t'));
    const auto rate = parse_value(next(rest, '\t')), lane = parse_value(rest);
    if (!start || !finish || !rate || !lane) return "expected four non-negative numbers";
    costs_.set_overhead(*unit_, {*start, *finish, *rate, *lane});
    return {};
  }
  std::string_view add_cost(std::string_view rest) {
    const auto microseconds = parse_value(next(rest, '\t'));
    const auto source = parse_source(next(rest, '\t'));
    if (!microseconds || !source || rest.empty()) return "expected a time, its source and the name of the work";
    if (costs_.find(*unit_, rest) != nullptr) return "the work is listed twice";
    costs_.set(*unit_, rest, {*microseconds, *source});
    return {};
  }

  CostTable costs_;
  std::optional<UnitKey> unit_;
  std::string kernels_;
};

Status unreadable(const std::string& path) {
  return Status(Code::kIo, fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
}

Result<std::string> read_text(const std::string& path, uint64_t most) {
  const FileDescriptor file = FileDescriptor::open_to_read(path);
  if (!file.is_open() && errno == ENOENT)
    return Status(Code::kNotFound, fmt::format("{}: the cost file does not exist", path));
  struct stat info {};
  if (!file.is_open() || ::fstat(file.value(), &info) != 0) return unreadable(path);
  if (!S_ISREG(info.st_mode)) return Status(Code::kInvalidArgument, fmt::format("{}: not a regular file", path));
  if (static_cast<uintmax_t>(info.st_size) > most)
    return Status(Code::kInvalidArgument, fmt::format("{}: too large for a cost file", path));
  std::string content(static_cast<size_t>(info.st_size), '\0');
  const std::optional<size_t> count = read_at(file.value(), 0, std::as_writable_bytes(std::span(content)));
  if (!count) return unreadable(path);
  content.resize(*count);
  return content;
}

Result<CostTable> parse(std::string_view rest, std::string_view path) {
  const std::string_view header = next_line(rest);
  if (header != kHeader) {
    const bool other = header.starts_with(kHeaderOfAny);
    return Status(other ? Code::kIncompatible : Code::kInvalidArgument,
                  fmt::format("{}: {}expected '{}' in line 1", path,
                              other ? "costs of another version of nestrt; measure again: " : "", kHeader));
  }
  Reader reader;
  for (size_t number = 2; !rest.empty(); ++number) {
    const std::string_view wrong = reader.add(next_line(rest));
    if (!wrong.empty()) return Status(Code::kInvalidArgument, fmt::format("{}: line {}: {}", path, number, wrong));
  }
  if (!reader.kernels().empty() && reader.kernels() != NESTRT_VERSION)
    return Status(Code::kIncompatible, fmt::format("{}: costs of nestrt {}, but this is {}; measure again", path,
                                                   reader.kernels(), NESTRT_VERSION));
  return reader.take();
}

// --- Writing ---------------------------------------------------------------------------------------------------------

bool is_plain(std::string_view field) {
  for (const char character : field)
    if (static_cast<unsigned char>(character) < ' ') return false;
  return true;
}

bool is_valid(const UnitKey& unit) {
  return !unit.kind.empty() && is_plain(unit.kind) && is_plain(unit.configuration) && !is_too_long(unit) &&
         unit.threads >= 1 && unit.threads <= kMaxThreads;
}

std::string format(double value) {
  char digits[64];
  return std::string(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

Status append_unit(std::string& content, const UnitKey& unit, double clock_mhz, const UnitOverhead* overhead,
                   const CostTable::Works* works) {
  const auto refuse = [&](std::string_view what) {
    return Status(Code::kInvalidArgument, fmt::format("cannot write the costs of '{}': {}", unit.kind, what));
  };
  if (!is_valid(unit))
    return refuse("its kind and configuration must be single lines of at most 256 bytes, and threads at least 1");
  if (!(clock_mhz >= 0 && clock_mhz <= kMaxClockMhz))
    return refuse(fmt::format("invalid clock of {} MHz; expected 0 to {}", clock_mhz, kMaxClockMhz));
  content += fmt::format("unit\t{}\t{}\t{}\n", unit.kind, unit.configuration, unit.threads);
  if (clock_mhz > 0) content += fmt::format("clock\t{}\n", format(clock_mhz));
  if (overhead != nullptr) {
    content += "overhead";
    for (double value : {overhead->start_us, overhead->finish_us, overhead->mb_per_s, overhead->lane_us}) {
      if (!is_cost(value)) return refuse(fmt::format("invalid overhead {}; expected 0 to {}", value, kMaxMicroseconds));
      content += fmt::format("\t{}", format(value));
    }
    content += "\n";
  }
  if (works == nullptr) return {};
  for (const auto& [work, cost] : *works) {
    if (work.empty() || !is_plain(work)) return refuse(fmt::format("'{}' is not a valid work name", escaped(work)));
    if (!is_cost(cost.microseconds))
      return refuse(
          fmt::format("invalid cost of {} us for '{}'; expected 0 to {}", cost.microseconds, work, kMaxMicroseconds));
    content +=
        fmt::format("cost\t{}\t{}\t{}\n", format(cost.microseconds), kSources[static_cast<size_t>(cost.source)], work);
  }
  return {};
}

template <typename Map>
auto* value_of(const Map& map, const UnitKey& unit) {
  const auto found = map.find(unit);
  return found == map.end() ? nullptr : &found->second;
}

Result<std::string> format(const CostTable& costs) {
  std::map<UnitKey, int> units;
  for (const auto& [unit, works] : costs.units()) units[unit];
  for (const auto& [unit, overhead] : costs.overheads()) units[unit];
  std::string content = fmt::format("{}\nkernels\t{}\n", kHeader, NESTRT_VERSION);
  for (const auto& [unit, unused] : units)
    NESTRT_RETURN_IF_ERROR(append_unit(content, unit, costs.clock_mhz(unit), value_of(costs.overheads(), unit),
                                       value_of(costs.units(), unit)));
  return content;
}

Result<CostTable> read(const std::string& path) {
  NESTRT_ASSIGN_OR_RETURN(const std::string content, read_text(path, kMaxBytes));
  return parse(content, path);
}

Status write(const std::string& path, const CostTable& costs) {
  NESTRT_ASSIGN_OR_RETURN(const std::string content, format(costs));
  std::error_code error;
  if (const fs::path folder = fs::path(path).parent_path(); !folder.empty()) fs::create_directories(folder, error);
  const Status status = replace_file(path, std::as_bytes(std::span(content)));
  return status.ok() ? Status() : Status(Code::kIo, fmt::format("{}: cannot be written: {}", path, status.message()));
}

}  // namespace

Result<CostTable> parse_costs(std::string_view text, std::string_view origin) {
  return guarded([&] { return parse(text, origin); });
}

Result<std::string> format_costs(const CostTable& costs) {
  return guarded([&] { return format(costs); });
}

Result<std::string> read_cost_text(const std::string& path, uint64_t most) {
  return guarded([&] { return read_text(path, most); });
}

Result<CostTable> read_costs(const std::string& path) {
  return guarded([&] { return read(path); });
}

Status write_costs(const std::string& path, const CostTable& costs) {
  return guarded([&] { return write(path, costs); });
}

}  // namespace nestrt
