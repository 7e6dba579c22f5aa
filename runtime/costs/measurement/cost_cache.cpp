// SPDX-License-Identifier: Apache-2.0
#include "runtime/costs/measurement/cost_cache.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "nestrt/log.h"
#include "runtime/costs/cost_text.h"
#include "runtime/platform/guard.h"
#include "runtime/platform/replace_file.h"
#include "runtime/text/escaped.h"
#include "runtime/text/text_hash.h"

namespace nestrt {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHeader = "# nestrt learned ";
constexpr std::string_view kExtension = ".costs";

std::string folder() {
  if (const char* const costs = std::getenv("NESTRT_COST_CACHE")) return costs;
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return std::string(cache) + "/nestrt";
  const char* const home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? std::string(home) + "/.cache/nestrt" : std::string();
}

// Returns the board's name from its firmware, or an empty string.
std::string board() {
  for (const char* path : {"/proc/device-tree/model", "/sys/class/dmi/id/product_name"}) {
    std::ifstream file(path);
    std::string name;
    if (std::getline(file, name) && !name.empty()) return name.substr(0, name.find('\0'));
  }
  return {};
}

std::string key_of(const Plan& plan, std::span<const UnitInfo> units) {
  std::string key = fmt::format("plan {} board {}", plan.digest(), board());
  if (plan.shape_index() > 0) key += fmt::format(" shape {}", plan.shape_index());
  for (const UnitInfo& unit : units)
    key += fmt::format(" unit {} {} {}{}", unit.kind, unit.configuration, unit.num_threads,
                       unit.is_steady ? "" : " unsteady");
  return escaped(key);
}

// Returns whether a file name consists of sixteen hexadecimal digits.
bool is_ours(const fs::directory_entry& entry) {
  std::error_code error;
  const std::string name = entry.path().stem().string();
  return entry.path().extension() == kExtension && entry.is_regular_file(error) &&
         name.size() == text_hash({}).size() && name.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// Returns the text after the line with the hash.
Result<std::string_view> checked(std::string_view text, std::string_view key) {
  const size_t first = std::min(text.find('\n'), text.size() - 1);
  const std::string_view line = text.substr(0, first), rest = text.substr(first + 1);
  if (!line.starts_with(kHeader) || line.substr(kHeader.size()) != text_hash(rest))
    return Status(Code::kInvalidArgument, "it is damaged");
  if (!rest.starts_with(fmt::format("# {}\n", key)))
    return Status(Code::kInvalidArgument, "it belongs to another plan, unit or board");
  return rest.substr(rest.find('\n') + 1);
}

}  // namespace

CostCache::CostCache(const Plan& plan, std::span<const UnitInfo> units) : key_(key_of(plan, units)) {
  const std::string where = folder();
  if (!where.empty()) path_ = fmt::format("{}/{}{}", where, text_hash(key_), kExtension);
}

CostTable CostCache::read() const {
  if (path_.empty()) return {};
  const auto kept = guarded([&]() -> Result<CostTable> {
    NESTRT_ASSIGN_OR_RETURN(const std::string text, read_cost_text(path_, kMaxBytes));
    if (text.empty()) return Status(Code::kInvalidArgument, "it is empty");
    NESTRT_ASSIGN_OR_RETURN(const std::string_view costs, checked(text, key_));
    return parse_costs(costs, path_);
  });
  if (kept) return *kept;
  if (kept.error().code() != Code::kNotFound)
    log(LogLevel::kInfo, fmt::format("{}: ignoring learned costs: {}", path_, kept.error().message()));
  return {};
}

void CostCache::write(const CostTable& costs) const {
  if (path_.empty()) return;
  const Status status = guarded([&]() -> Status {
    NESTRT_ASSIGN_OR_RETURN(const std::string text, format_costs(costs));
    const std::string rest = fmt::format("# {}\n{}", key_, text);
    const std::string whole = fmt::format("{}{}\n{}", kHeader, text_hash(rest), rest);
    if (whole.size() > kMaxBytes) return {};
    std::error_code error;
    fs::create_directories(fs::path(path_).parent_path(), error);
    NESTRT_RETURN_IF_ERROR(replace_file(path_, std::as_bytes(std::span(whole))));
    remove_oldest();
    return {};
  });
  if (!status.ok()) log(LogLevel::kInfo, fmt::format("cannot store learned costs: {}", status.to_string()));
}

void CostCache::remove_oldest() const {
  std::error_code error;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (const auto& entry : fs::directory_iterator(fs::path(path_).parent_path(), error))
    if (is_ours(entry)) files.emplace_back(entry.last_write_time(error), entry.path());
  if (files.size() <= kMaxFiles) return;
  std::sort(files.begin(), files.end());
  for (size_t i = 0; i + kMaxFiles < files.size(); ++i) fs::remove(files[i].second, error);
}

}  // namespace nestrt
