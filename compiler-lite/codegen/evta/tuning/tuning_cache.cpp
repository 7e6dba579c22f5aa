// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/codegen/evta/tuning/tuning_cache.h"

#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <utility>

#include "compiler-lite/quantize/digest.h"
#include "nestrt/log.h"
#include "tools/support/text/files.h"

namespace nestrt::compiler::evta {
namespace {

constexpr std::string_view kHeader = "nestrt schedules for EVTA, version 2, digest ";
constexpr std::string_view kHeaderOfAny = "nestrt schedules for EVTA, ";
constexpr uint64_t kMaxCacheBytes = 64 << 20;
constexpr size_t kDigestDigits = 32;

std::string digest_of(std::string_view text) { return digest(std::as_bytes(std::span(text))); }

// Format: "rows columns out_blocks in_blocks threads order key".
std::string line_of(const std::string& key, const Tiling& tiling) {
  return fmt::format("{} {} {} {} {} {} {}\n", tiling.rows, tiling.columns, tiling.out_blocks, tiling.in_blocks,
                     tiling.threads, static_cast<int>(tiling.order), key);
}

bool parse_line(const std::string& text, std::string* key, Tiling* tiling) {
  std::istringstream line(text);
  int order = -1;
  line >> tiling->rows >> tiling->columns >> tiling->out_blocks >> tiling->in_blocks >> tiling->threads >> order >>
      std::ws;
  std::getline(line, *key);
  tiling->order = order == 0 ? LoopOrder::kPixelsInner : LoopOrder::kBlocksInner;
  const bool positive = tiling->rows > 0 && tiling->columns > 0 && tiling->out_blocks > 0 && tiling->in_blocks > 0;
  return !line.fail() && positive && (tiling->threads == 1 || tiling->threads == 2) && (order == 0 || order == 1) &&
         !key->empty();
}

bool parse(std::string_view text, std::map<std::string, Tiling>& tilings) {
  const size_t body = kHeader.size() + kDigestDigits + 1;
  if (text.size() < body || !text.starts_with(kHeader) || text[body - 1] != '\n') return false;
  if (text.substr(kHeader.size(), kDigestDigits) != digest_of(text.substr(body))) return false;
  std::istringstream lines{std::string(text.substr(body))};
  std::map<std::string, Tiling> read;
  for (std::string line, key; std::getline(lines, line);) {
    Tiling tiling;
    if (!parse_line(line, &key, &tiling)) return false;
    read.insert_or_assign(key, tiling);
  }
  tilings.merge(read);
  return true;
}

}  // namespace

TuningCache::TuningCache(std::string path) : path_(std::move(path)) {
  if (path_.empty()) return;
  if (const Status status = read(tilings_); !status.ok())
    log(LogLevel::kWarning, fmt::format("the tuning cache is not used: {}", status.to_string()));
}

// Merges the entries of the file.
Status TuningCache::read(Tilings& tilings) const {
  const auto bytes = tools::read_file(path_, kMaxCacheBytes);
  if (!bytes) return bytes.error().code() == Code::kNotFound ? Status() : bytes.error();
  if (!parse({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, tilings))
    log(LogLevel::kWarning,
        fmt::format("the tuning cache '{}' is damaged or has another version, and is ignored", path_));
  return {};
}

std::optional<Tiling> TuningCache::find(const std::string& key) const {
  const auto found = tilings_.find(key);
  return found == tilings_.end() ? std::nullopt : std::optional(found->second);
}

void TuningCache::add(const std::string& key, const Tiling& tiling) {
  tilings_.insert_or_assign(key, tiling);
  changed_ = true;
}

// Refuses to overwrite a file that is not a tuning cache.
Status TuningCache::check_ours() const {
  const auto bytes = tools::read_file(path_, kMaxCacheBytes);
  if (!bytes && bytes.error().code() == Code::kNotFound) return {};
  if (!bytes && bytes.error().code() == Code::kIo) return bytes.error();
  if (bytes && bytes->empty()) return {};
  if (bytes && std::string_view(reinterpret_cast<const char*>(bytes->data()), bytes->size()).starts_with(kHeaderOfAny))
    return {};
  return Status(Code::kInvalidArgument,
                fmt::format("'{}' is not a tuning cache and is not overwritten; choose another file", path_));
}

Status TuningCache::save() {
  if (path_.empty() || !changed_) return {};
  NESTRT_RETURN_IF_ERROR(check_ours());
  NESTRT_RETURN_IF_ERROR(read(tilings_));  // an unreadable file is not overwritten
  std::string body;
  for (const auto& [key, tiling] : tilings_) body += line_of(key, tiling);
  const std::string folder = std::filesystem::path(path_).parent_path().string();
  if (!folder.empty()) NESTRT_RETURN_IF_ERROR(tools::make_folder(folder));
  NESTRT_RETURN_IF_ERROR(tools::write_text(path_, fmt::format("{}{}\n{}", kHeader, digest_of(body), body)));
  changed_ = false;
  return {};
}

std::string default_tuning_cache() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::filesystem::path(value == nullptr ? "" : value);
  };
  std::filesystem::path folder = variable("XDG_CACHE_HOME");
  if (!folder.is_absolute()) folder = variable("HOME").empty() ? "" : variable("HOME") / ".cache";
  return folder.empty() ? "" : (folder / "nestrt" / "evta-schedules").string();
}

}  // namespace nestrt::compiler::evta
