// SPDX-License-Identifier: Apache-2.0
// Plug-ins that are incorrect on purpose, each in one way that a vendor's plug-in might be.
#pragma once

#include <span>
#include <string_view>

#include "nestrt/vendor.h"

namespace nestrt::vendor::test {

struct WrongPlugin {
  std::string_view what;  // the error
  nestrt_vendor_functions functions;
  std::string_view caught_by;  // the case of the conformance suite that detects it
  std::string_view message;    // part of that case's message
};

std::span<const WrongPlugin> wrong_plugins();

}  // namespace nestrt::vendor::test
