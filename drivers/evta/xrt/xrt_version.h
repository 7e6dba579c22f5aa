// SPDX-License-Identifier: Apache-2.0
// Compares the XRT that this component was built against with the XRT that the process has loaded.
//
// XRT 2.14 changed the binary interface of xrt::xclbin and xrt::ip, but not the soname of the library, so the dynamic
// loader accepts either.
#pragma once

#include <optional>
#include <string_view>

#include "nestrt/status.h"

namespace nestrt::evta {

struct XrtVersion {
  int major, minor;
  bool operator==(const XrtVersion&) const = default;
};

// Returns the version at the end of a library's file name, such as libxrt_coreutil.so.2.13.466; nullopt without one.
std::optional<XrtVersion> version_of_library(std::string_view file);

// `file`: XRT's library without symbolic links. Errors: kUnavailable, with the remedy, if only one of the two versions
// is older than 2.14. Logs a warning for other differences in the minor version, and if the file name contains no
// version.
Status check_xrt_version(XrtVersion built, std::string_view file);

// Compares this component with the library in this process. Does not call XRT.
Status check_xrt_version();

}  // namespace nestrt::evta
