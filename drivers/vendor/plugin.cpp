// SPDX-License-Identifier: Apache-2.0
#include "drivers/vendor/plugin.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <filesystem>
#include <string_view>

namespace nestrt::vendor {
namespace {

namespace fs = std::filesystem;

constexpr char kEntry[] = "nestrt_vendor_plugin";

Status cannot_load(const std::string& path) {
  const char* const why = ::dlerror();
  return Status(Code::kUnavailable,
                fmt::format("cannot load plug-in '{}': {}", path, why != nullptr ? why : "no reason is given"));
}

// Returns the name of the first required function that the table lacks, or an empty string if it is complete.
std::string_view missing_function(const nestrt_vendor_functions& table) {
  if (table.open == nullptr) return "open";
  if (table.describe == nullptr) return "describe";
  if (table.load == nullptr) return "load";
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

Result<std::shared_ptr<const Plugin>> make_plugin(std::string file, const nestrt_vendor_functions* functions) {
  const auto refuse = [&](std::string_view what) {
    return Status(Code::kIncompatible, fmt::format("plug-in '{}' {}", file, what));
  };
  if (functions == nullptr)
    return refuse(fmt::format(
        "does not support version {} of the interface; install the plug-in built for this version of nestrt",
        NESTRT_VENDOR_ABI));
  if (functions->abi != NESTRT_VENDOR_ABI)
    return refuse(fmt::format("returns version {} of the interface instead of {}", functions->abi, NESTRT_VENDOR_ABI));
  if (functions->struct_bytes < sizeof(nestrt_vendor_functions))
    return refuse(fmt::format("has a table of {} bytes, but version {} of the interface has {}",
                              functions->struct_bytes, NESTRT_VENDOR_ABI, sizeof(nestrt_vendor_functions)));
  if (const std::string_view missing = missing_function(*functions); !missing.empty())
    return refuse(fmt::format("has no function {}()", missing));
  return std::make_shared<const Plugin>(Plugin{std::move(file), functions});
}

Result<std::shared_ptr<const Plugin>> load_plugin(const std::string& path) {
  std::error_code error;
  const fs::path file = fs::absolute(path, error);
  if (path.empty() || error || !fs::is_regular_file(file, error))
    return Status(Code::kNotFound, fmt::format("plug-in '{}' does not exist: expected a vendor's library", path));
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return cannot_load(path);
  const auto entry = reinterpret_cast<decltype(&nestrt_vendor_plugin)>(::dlsym(library, kEntry));
  if (entry == nullptr)
    return Status(Code::kIncompatible, fmt::format("'{}' is not a plug-in: it has no function {}()", path, kEntry));
  return make_plugin(path, entry(NESTRT_VENDOR_ABI));
}

}  // namespace nestrt::vendor
