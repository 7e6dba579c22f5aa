// SPDX-License-Identifier: Apache-2.0
#include "drivers/vendor/plugin.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

namespace nestrt::vendor {
namespace {

namespace fs = std::filesystem;

constexpr char kEntry[] = "nestrt_vendor_plugin";

Status cannot_load(const std::string& path) {
  const char* const why = ::dlerror();
  return Status(Code::kUnavailable,
                fmt::format("cannot load plug-in '{}': {}", path, why != nullptr ? why : "no reason is given"));
}

// The size of the table in version 1, which ends before open_with().
constexpr size_t kTableBytes1 = offsetof(nestrt_vendor_functions, open_with);

// Returns the name of the first required function that the table lacks, or an empty string if it is complete.
std::string_view missing_function(const nestrt_vendor_functions& table) {
  const bool is_first = table.abi == NESTRT_VENDOR_ABI_1;
  if (is_first && table.open == nullptr) return "open";
  if (!is_first && table.open_with == nullptr) return "open_with";
  if (table.describe == nullptr) return "describe";
  if (is_first && table.load == nullptr) return "load";
  if (!is_first && table.load_part == nullptr) return "load_part";
  if (table.unload == nullptr) return "unload";
  if (table.bind == nullptr) return "bind";
  if (table.submit == nullptr) return "submit";
  if (table.wait == nullptr) return "wait";
  if (table.cancel == nullptr) return "cancel";
  if (table.reset == nullptr) return "reset";
  if (table.self_test == nullptr) return "self_test";
  if (table.close == nullptr) return "close";
  if (table.allocate_shared == nullptr && table.free_shared != nullptr) return "allocate_shared";
  if (table.allocate_shared != nullptr && table.free_shared == nullptr) return "free_shared";
  return {};
}

}  // namespace

Result<std::shared_ptr<const Plugin>> make_plugin(std::string file, const nestrt_vendor_functions* functions,
                                                  std::vector<PluginOption> options) {
  const auto refuse = [&](std::string_view what) {
    return Status(Code::kIncompatible, fmt::format("plug-in '{}' {}", file, what));
  };
  if (functions == nullptr)
    return refuse(
        fmt::format("supports neither version {} nor {} of the interface; install the plug-in built for this "
                    "version of nestrt",
                    NESTRT_VENDOR_ABI, NESTRT_VENDOR_ABI_1));
  const uint32_t abi = functions->abi;
  if (abi != NESTRT_VENDOR_ABI && abi != NESTRT_VENDOR_ABI_1)
    return refuse(fmt::format("returns version {} of the interface instead of {} or {}", abi, NESTRT_VENDOR_ABI,
                              NESTRT_VENDOR_ABI_1));
  const size_t bytes = abi == NESTRT_VENDOR_ABI_1 ? kTableBytes1 : sizeof(nestrt_vendor_functions);
  if (functions->struct_bytes < bytes)
    return refuse(fmt::format("has a table of {} bytes, but version {} of the interface has {}",
                              functions->struct_bytes, abi, bytes));
  Plugin plugin{std::move(file), {}, std::move(options)};
  std::memcpy(&plugin.functions, functions, bytes);
  if (const std::string_view missing = missing_function(plugin.functions); !missing.empty())
    return Status(Code::kIncompatible, fmt::format("plug-in '{}' has no function {}()", plugin.file, missing));
  return std::make_shared<const Plugin>(std::move(plugin));
}

Result<std::shared_ptr<const Plugin>> load_plugin(const std::string& path, std::vector<PluginOption> options) {
  std::error_code error;
  const fs::path file = fs::absolute(path, error);
  if (path.empty() || error || !fs::is_regular_file(file, error))
    return Status(Code::kNotFound, fmt::format("plug-in '{}' does not exist: expected a vendor's library", path));
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return cannot_load(path);
  const auto entry = reinterpret_cast<decltype(&nestrt_vendor_plugin)>(::dlsym(library, kEntry));
  if (entry == nullptr)
    return Status(Code::kIncompatible, fmt::format("'{}' is not a plug-in: it has no function {}()", path, kEntry));
  const nestrt_vendor_functions* const newest = entry(NESTRT_VENDOR_ABI);
  return make_plugin(path, newest != nullptr ? newest : entry(NESTRT_VENDOR_ABI_1), std::move(options));
}

}  // namespace nestrt::vendor
