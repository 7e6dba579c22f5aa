#include "compiler-lite/codegen/evta/tuning_cache.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <utility>

#include "compiler-lite/quantize/digest.h"
#include "nestrt/log.h"
#include "tools/common/files.h"

namespace nestrt::compiler::evta {
namespace {

constexpr std::string_view kHeader = "nestrt schedules for EVTA, version 1, digest ";
constexpr std::string_view kHeaderOfAny = "nestrt schedules for EVTA, ";
constexpr uint64_t kMaxBytes = 64 << 20;
constexpr size_t kDigestDigits = 32;

std::string digest_of(std::string_view text) { return digest(std::as_bytes(std::span(text))); }

// "rows columns out_blocks in_blocks threads order micro-ops key"
std::string line_of(const std::string& key, const Schedule& schedule) {
  std::ostringstream line;
  line << schedule.rows << ' ' << schedule.columns << ' ' << schedule.out_blocks << ' ' << schedule.in_blocks << ' '
       << schedule.threads << ' ' << static_cast<int>(schedule.order) << ' ' << schedule.least_micro_ops << ' ' << key
       << '\n';
  return line.str();
}

bool parse_line(const std::string& text, std::string* key, Schedule* schedule) {
  std::istringstream line(text);
  int order = -1;
  line >> schedule->rows >> schedule->columns >> schedule->out_blocks >> schedule->in_blocks >> schedule->threads >>
      order >> schedule->least_micro_ops >> std::ws;
  std::getline(line, *key);
  schedule->order = order == 0 ? LoopOrder::kPixelsInner : LoopOrder::kBlocksInner;
  const bool positive =
      schedule->rows > 0 && schedule->columns > 0 && schedule->out_blocks > 0 && schedule->in_blocks > 0;
  return !line.fail() && positive && (schedule->threads == 1 || schedule->threads == 2) && (order == 0 || order == 1) &&
         schedule->least_micro_ops > 0 && !key->empty();
}

bool parse(std::string_view text, std::map<std::string, Schedule>& schedules) {
  const size_t body = kHeader.size() + kDigestDigits + 1;
  if (text.size() < body || !text.starts_with(kHeader) || text[body - 1] != '\n') return false;
  if (text.substr(kHeader.size(), kDigestDigits) != digest_of(text.substr(body))) return false;
  std::istringstream lines{std::string(text.substr(body))};
  std::map<std::string, Schedule> read;
  for (std::string line, key; std::getline(lines, line);) {
    Schedule schedule;
    if (!parse_line(line, &key, &schedule)) return false;
    read.insert_or_assign(key, schedule);
  }
  schedules.merge(read);
  return true;
}

}  // namespace

TuningCache::TuningCache(std::string path) : path_(std::move(path)) {
  if (!path_.empty()) read(schedules_);
}

// Adds what the file has of others.
void TuningCache::read(Schedules& schedules) const {
  std::error_code error;
  if (!std::filesystem::exists(path_, error)) return;
  const auto bytes = tools::read_file(path_, kMaxBytes);
  if (!bytes) {
    log(LogLevel::kWarning, "the tuning cache is not used: " + bytes.error().to_string());
    return;
  }
  if (!parse({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, schedules))
    log(LogLevel::kWarning, "the tuning cache '" + path_ + "' is damaged, or of another version, and is not used");
}

std::optional<Schedule> TuningCache::find(const std::string& key) const {
  const auto found = schedules_.find(key);
  return found == schedules_.end() ? std::nullopt : std::optional(found->second);
}

void TuningCache::add(const std::string& key, const Schedule& schedule) {
  schedules_.insert_or_assign(key, schedule);
  changed_ = true;
}

// What is no tuning cache belongs to somebody else.
Status TuningCache::check_ours() const {
  std::error_code error;
  if (!std::filesystem::exists(path_, error)) return {};
  const auto bytes = tools::read_file(path_, kMaxBytes);
  if (bytes && bytes->empty()) return {};
  if (bytes && std::string_view(reinterpret_cast<const char*>(bytes->data()), bytes->size()).starts_with(kHeaderOfAny))
    return {};
  return Status(Code::kInvalidArgument, "'" + path_ + "' is no tuning cache and is left as it is; name another file");
}

Status TuningCache::save() {
  if (path_.empty() || !changed_) return {};
  NESTRT_RETURN_IF_ERROR(check_ours());
  read(schedules_);
  std::string body;
  for (const auto& [key, schedule] : schedules_) body += line_of(key, schedule);
  const std::string folder = std::filesystem::path(path_).parent_path().string();
  if (!folder.empty()) NESTRT_RETURN_IF_ERROR(tools::make_folder(folder));
  NESTRT_RETURN_IF_ERROR(tools::write_text(path_, std::string(kHeader) + digest_of(body) + "\n" + body));
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
