#include "drivers/unit_list.h"

#include "runtime/core/parse.h"

namespace nestrt {

std::vector<UnitRequest> parse_unit_list(std::string_view list) {
  std::vector<UnitRequest> requests;
  for (const std::string_view entry : split(list, ",")) {
    const size_t colon = entry.find(':');
    UnitRequest& request = requests.emplace_back(UnitRequest{entry, entry.substr(0, colon), std::nullopt});
    if (colon != std::string_view::npos) request.configuration = entry.substr(colon + 1);
  }
  return requests;
}

}  // namespace nestrt
