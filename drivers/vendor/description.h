// Description: what a plug-in says of its device.
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

// `file`: the plug-in, for messages. Errors: kDeviceFault for what cannot stand in a list of units, and for alignments
// that are none.
Result<Description> read_description(const nestrt_vendor_description& given, std::string_view file);

// kDeviceFault: a function of the plug-in has answered something that does not fit.
Status wrong_answer(std::string_view file, std::string_view function, std::string_view what);

}  // namespace nestrt::vendor
