// SPDX-License-Identifier: Apache-2.0
// Description: the properties of a device as reported by its plug-in.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "nestrt/result.h"
#include "nestrt/vendor.h"

namespace nestrt::vendor {

struct Description {
  std::string kind, configuration;
  size_t alignment = 1;
  bool is_steady = false;

  bool operator==(const Description&) const = default;
};

// `file`: the plug-in, for messages. Errors: kDeviceFault for names that are not allowed in unit lists, and for
// invalid alignments.
Result<Description> read_description(const nestrt_vendor_description& given, std::string_view file);

// Returns kDeviceFault: a function of the plug-in returned an invalid result.
Status wrong_answer(std::string_view file, std::string_view function, std::string_view what);

}  // namespace nestrt::vendor
