// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/xrt/xrt_installation.h"

#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace nestrt::evta {
namespace {

// Path of the shim that XRT 2 loads, relative to XRT's root folder.
constexpr const char* kShim = "lib/libxrt_core.so.2";

#if defined(__aarch64__)
constexpr const char* kDefaultRoot = "/usr";  // of XRT's builds for Zynq
constexpr const char* kDebianLibraries = "/usr/lib/aarch64-linux-gnu";
#else
constexpr const char* kDefaultRoot = "";
constexpr const char* kDebianLibraries = "/usr/lib/x86_64-linux-gnu";
#endif

std::string root_of_xrt() {
  const char* const root = std::getenv("XILINX_XRT");
  return root != nullptr ? root : kDefaultRoot;
}

}  // namespace

std::string xrt_installation_advice() {
  const std::string root = root_of_xrt();
  std::error_code error;
  if (!root.empty() && std::filesystem::exists(std::filesystem::path(root) / kShim, error)) return "";
  return fmt::format(
      "XRT loads $XILINX_XRT/{}, but {}. With Xilinx's packages: source /opt/xilinx/xrt/setup.sh. With Debian's "
      "packages: mkdir -p ~/xrt/lib && ln -s {}/libxrt_core.so.2 ~/xrt/lib && export XILINX_XRT=~/xrt",
      kShim, root.empty() ? "XILINX_XRT is not set" : root + " does not contain it", kDebianLibraries);
}

Status with_installation_advice(const Status& failure) {
  const std::string advice = xrt_installation_advice();
  if (failure.ok() || advice.empty()) return failure;
  return Status(failure.code(), fmt::format("{}; {}", failure.message(), advice));
}

}  // namespace nestrt::evta
