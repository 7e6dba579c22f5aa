// SPDX-License-Identifier: Apache-2.0
#include "tools/onnxruntime/provider_options.h"

#include <fmt/core.h>

#include <memory>
#include <optional>
#include <string_view>

#include "runtime/text/parse.h"
#include "tools/onnxruntime/errors.h"

namespace nestrt::ort {
namespace {

constexpr std::string_view kPrefix = "ep.nestrt.";
constexpr int kMaxThreads = 1024;
constexpr size_t kMaxNodes = 1'000'000;

template <typename Number>
Status read_number(std::string_view name, std::string_view text, Number most, Number& result) {
  const std::optional<Number> value = parse_number<Number>(text);
  if (value && *value >= 0 && *value <= most) {
    result = *value;
    return {};
  }
  return Status(Code::kInvalidArgument,
                fmt::format("option {}{}: expected a number from 0 to {}, got '{}'", kPrefix, name, most, text));
}

Status set_option(std::string_view name, std::string_view text, ProviderOptions& options) {
  if (name == "threads") return read_number(name, text, kMaxThreads, options.threads);
  if (name == "min_nodes") return read_number(name, text, kMaxNodes, options.min_nodes);
  if (name == "units") {
    options.units = text;
  } else if (name == "target") {
    options.target = text;
  } else if (name == "cache") {
    options.cache = text;
  } else {
    return Status(
        Code::kInvalidArgument,
        fmt::format("unknown option {}{}; expected units, threads, target, cache or min_nodes", kPrefix, name));
  }
  return {};
}

}  // namespace

Result<ProviderOptions> read_options(const Api& api, const Options* session) {
  TextPairs* entries = nullptr;
  NESTRT_RETURN_IF_ERROR(status_of(api, api.get_session_options_config_entries(session, &entries)));
  const std::unique_ptr<TextPairs, void (*)(TextPairs*)> owner(entries, api.release_key_value_pairs);
  const char* const* keys = nullptr;
  const char* const* values = nullptr;
  size_t count = 0;
  api.get_key_value_pairs(entries, &keys, &values, &count);
  ProviderOptions options;
  for (size_t i = 0; i < count; ++i) {
    const std::string_view key = keys[i];
    if (key.starts_with(kPrefix)) NESTRT_RETURN_IF_ERROR(set_option(key.substr(kPrefix.size()), values[i], options));
  }
  return options;
}

}  // namespace nestrt::ort
