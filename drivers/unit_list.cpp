// SPDX-License-Identifier: Apache-2.0
#include "drivers/unit_list.h"

#include <algorithm>

#include "runtime/text/parse.h"

namespace nestrt {
namespace {

UnitRequest parse_entry(std::string_view entry) {
  UnitRequest request;
  request.text = entry;
  const size_t colon = entry.find(':');
  request.kind = entry.substr(0, colon);
  if (colon == std::string_view::npos) return request;
  const std::string_view rest = entry.substr(colon + 1), first = rest.substr(0, rest.find(':'));
  const bool is_transport = std::ranges::find(kTransports, first) != kTransports.end();
  if (is_transport) request.transport = first;
  if (!is_transport) request.configuration = rest;
  if (is_transport && first.size() < rest.size()) request.configuration = rest.substr(first.size() + 1);
  return request;
}

}  // namespace

std::vector<UnitRequest> parse_unit_list(std::string_view list) {
  std::vector<UnitRequest> requests;
  for (const std::string_view entry : split(list, ",")) requests.push_back(parse_entry(entry));
  return requests;
}

}  // namespace nestrt
