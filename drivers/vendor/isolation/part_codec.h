// SPDX-License-Identifier: Apache-2.0
// The description of a part, without its blob, as bytes for the plug-in's process. Both ends have the same version of
// nestrt.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "drivers/vendor/part.h"
#include "nestrt/result.h"

namespace nestrt::vendor {

std::vector<std::byte> encode_part(const Part& part);
// Returns the decoded part, which contains this blob. Errors: kInternal for damaged bytes.
Result<Part> decode_part(std::span<const std::byte> description, std::span<const std::byte> blob);

}  // namespace nestrt::vendor
