// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/xrt/xrt_version.h"

#include <dlfcn.h>
#include <experimental/xrt_system.h>
#include <fmt/core.h>

#include <charconv>
#include <filesystem>
#include <system_error>

#include "nestrt/log.h"
#if __has_include(<xrt/detail/version-slim.h>)
#include <xrt/detail/version-slim.h>
#else
#include <version.h>  // of earlier versions
#endif

namespace nestrt::evta {
namespace {

constexpr int kBuiltCode = XRT_VERSION_CODE;
constexpr XrtVersion kBuilt = {kBuiltCode >> 16, kBuiltCode & 0xffff};

bool has_new_interface(XrtVersion version) { return version.major > 2 || (version.major == 2 && version.minor >= 14); }

// Reads "NUMBER." or "NUMBER" at the start of `text` and removes it.
std::optional<int> take_number(std::string_view& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  if (text.starts_with('.')) text.remove_prefix(1);
  return number;
}

// Returns the file that contains XRT's functions in this process, or an empty string.
std::string loaded_library() {
  Dl_info library{};
  if (::dladdr(reinterpret_cast<const void*>(&xrt::system::enumerate_devices), &library) == 0) return "";
  std::error_code error;
  return std::filesystem::canonical(library.dli_fname, error).string();
}

}  // namespace

std::optional<XrtVersion> version_of_library(std::string_view file) {
  constexpr std::string_view kSuffix = ".so.";
  const size_t suffix = file.rfind(kSuffix);
  if (suffix == std::string_view::npos) return std::nullopt;
  file.remove_prefix(suffix + kSuffix.size());
  const std::optional<int> major = take_number(file);
  const std::optional<int> minor = take_number(file);
  return major && minor ? std::optional(XrtVersion{*major, *minor}) : std::nullopt;
}

Status check_xrt_version(XrtVersion built, std::string_view file) {
  const std::optional<XrtVersion> met = version_of_library(file);
  if (!met) {
    log(LogLevel::kWarning, fmt::format("the version of XRT's library '{}' is unknown; libnestrt_xrt was built against "
                                        "XRT {}.{}",
                                        file, built.major, built.minor));
    return {};
  }
  if (*met == built) return {};
  const std::string versions = fmt::format("libnestrt_xrt was built against XRT {}.{}, but {} is version {}.{}",
                                           built.major, built.minor, file, met->major, met->minor);
  if (has_new_interface(*met) != has_new_interface(built))
    return Status(Code::kUnavailable, versions +
                                          "; XRT 2.14 changed its binary interface: build nestrt with this "
                                          "system's XRT or its SDK, or use evta:uio, which needs no XRT");
  log(LogLevel::kWarning, versions + "; if it fails, build nestrt with this system's XRT");
  return {};
}

Status check_xrt_version() {
  static const Status kChecked = check_xrt_version(kBuilt, loaded_library());  // logs once
  return kChecked;
}

}  // namespace nestrt::evta
