// Plug-ins that are wrong on purpose, each in one way: what somebody may get wrong who writes one.
#pragma once

#include <span>
#include <string_view>

#include "nestrt/vendor.h"

namespace nestrt::vendor::test {

struct WrongPlugin {
  std::string_view what;  // is wrong with it
  nestrt_vendor_functions functions;
  std::string_view caught_by;  // the case of the conformance suite that is for it
  std::string_view message;    // of that case, some of it
};

std::span<const WrongPlugin> wrong_plugins();

}  // namespace nestrt::vendor::test
