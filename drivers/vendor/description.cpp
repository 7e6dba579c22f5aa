// SPDX-License-Identifier: Apache-2.0
#include "drivers/vendor/description.h"

#include <fmt/core.h>

#include "drivers/vendor/answers.h"
#include "runtime/text/escaped.h"

namespace nestrt::vendor {
namespace {

bool is_alignment(uint32_t alignment) {
  return alignment != 0 && (alignment & (alignment - 1)) == 0 && alignment <= NESTRT_VENDOR_MAX_ALIGNMENT;
}

}  // namespace

Result<Description> read_description(const nestrt_vendor_description& given, std::string_view file) {
  const auto refuse = [&](std::string_view what) { return wrong_answer(file, "describe", what); };
  Description description{text_of(given.kind), text_of(given.configuration), given.alignment, given.is_steady == 1};
  if (!is_terminated(given.kind) || !is_unit_kind(description.kind))
    return refuse(
        fmt::format("returns the kind '{}': expected a-z, 0-9, '_' and '-', starting with a letter, and neither "
                    "'cpu' nor 'evta'",
                    escaped(description.kind)));
  if (!is_terminated(given.configuration) || !is_configuration(description.configuration))
    return refuse(fmt::format("returns the configuration '{}': expected printable text without spaces, ',' and ':'",
                              escaped(description.configuration)));
  if (!is_alignment(given.alignment))
    return refuse(fmt::format("returns the alignment {}: expected a power of two up to {}", given.alignment,
                              NESTRT_VENDOR_MAX_ALIGNMENT));
  if (given.is_steady > 1) return refuse(fmt::format("returns is_steady {}: expected 0 or 1", given.is_steady));
  return description;
}

Status wrong_answer(std::string_view file, std::string_view function, std::string_view what) {
  return Status(Code::kDeviceFault, fmt::format("plug-in '{}': {}() {}", file, function, what));
}

}  // namespace nestrt::vendor
