// SPDX-License-Identifier: Apache-2.0
#include "drivers/vendor/plugin_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "runtime/text/escaped.h"
#include "runtime/text/parse.h"

namespace nestrt::vendor {
namespace {

struct Entry {
  std::optional<uint32_t> instance;  // not set: all devices
  PluginOption option;
};

Result<Entry> parse_option(std::string_view text) {
  const auto refuse = [&] {
    return Status(Code::kInvalidArgument,
                  fmt::format("'{}' is not an option for a plug-in; expected NAME=VALUE, or INSTANCE:NAME=VALUE for "
                              "one device, separated by commas",
                              escaped(std::string(text))));
  };
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) return refuse();
  Entry entry;
  std::string_view name = text.substr(0, equals);
  if (const size_t colon = name.find(':'); colon != std::string_view::npos) {
    entry.instance = parse_number<uint32_t>(name.substr(0, colon));
    if (!entry.instance) return refuse();
    name.remove_prefix(colon + 1);
  }
  if (name.empty() || text.find('\0') != std::string_view::npos) return refuse();
  entry.option = {std::string(name), std::string(text.substr(equals + 1))};
  return entry;
}

}  // namespace

Result<std::vector<PluginOption>> parse_plugin_options(std::string_view list, uint32_t instance) {
  std::vector<PluginOption> options;
  if (list.empty()) return options;
  for (const std::string_view text : split(list, ",")) {
    NESTRT_ASSIGN_OR_RETURN(Entry entry, parse_option(text));
    if (entry.instance.value_or(instance) != instance) continue;
    const auto known = std::ranges::find(options, entry.option.name, &PluginOption::name);
    if (known == options.end())
      options.push_back(std::move(entry.option));
    else
      known->value = std::move(entry.option.value);
  }
  return options;
}

std::vector<nestrt_vendor_option> to_c(const std::vector<PluginOption>& options) {
  std::vector<nestrt_vendor_option> result;
  for (const PluginOption& option : options) result.push_back({option.name.c_str(), option.value.c_str()});
  return result;
}

}  // namespace nestrt::vendor
