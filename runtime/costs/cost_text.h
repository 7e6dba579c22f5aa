// The text of a file of costs (docs/reference/costs.md).
#pragma once

#include <string>
#include <string_view>

#include "nestrt/driver/costs.h"
#include "nestrt/result.h"

namespace nestrt {

// `origin` for messages. Errors: those of read_costs() that a text can have.
Result<CostTable> parse_costs(std::string_view text, std::string_view origin);
// Errors: kInvalidArgument: a name or a cost that cannot be written.
Result<std::string> format_costs(const CostTable& costs);

// Of a regular file of at most `most` bytes. Errors: kNotFound, kIo, kInvalidArgument.
Result<std::string> read_cost_text(const std::string& path, uint64_t most);

}  // namespace nestrt
