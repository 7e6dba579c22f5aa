// SPDX-License-Identifier: Apache-2.0
// Parses and formats the text of cost files (docs/reference/costs.md).
#pragma once

#include <string>
#include <string_view>

#include "nestrt/driver/costs.h"
#include "nestrt/result.h"

namespace nestrt {

// Parses a text; messages name `origin`. Errors: as for read_costs(), except file errors.
Result<CostTable> parse_costs(std::string_view text, std::string_view origin);
// Formats costs. Errors: kInvalidArgument (a name or a cost that cannot be written).
Result<std::string> format_costs(const CostTable& costs);

// Reads a regular file of at most `most` bytes. Errors: kNotFound, kIo, kInvalidArgument.
Result<std::string> read_cost_text(const std::string& path, uint64_t most);

}  // namespace nestrt
