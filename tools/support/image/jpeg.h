// SPDX-License-Identifier: Apache-2.0
// The JPEG part of decode_image().
#pragma once

#include "tools/support/image/image.h"

namespace nestrt::tools {

bool is_jpeg(std::span<const std::byte> content);
Result<Image> decode_jpeg(std::span<const std::byte> content, std::string_view name);

}  // namespace nestrt::tools
