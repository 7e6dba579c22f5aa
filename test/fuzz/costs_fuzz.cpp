// SPDX-License-Identifier: Apache-2.0
// Parses a cost file. If accepted, it must be written and read back unchanged.
#include "nestrt/driver/costs.h"

#include <algorithm>

#include "test/fuzz/fuzz_input.h"

namespace nestrt::test {
namespace {

bool same_works(const CostTable& a, const CostTable& b) {
  const auto same_cost = [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.microseconds == y.second.microseconds && x.second.source == y.second.source;
  };
  const auto same_unit = [&](const auto& x, const auto& y) {
    return x.first == y.first &&
           std::equal(x.second.begin(), x.second.end(), y.second.begin(), y.second.end(), same_cost);
  };
  return std::equal(a.units().begin(), a.units().end(), b.units().begin(), b.units().end(), same_unit);
}

void check(const CostTable& costs) {
  if (!write_costs(scratch_path(), costs).ok()) return;  // a name with invalid characters
  const auto again = read_costs(scratch_path());
  expect(again && same_works(costs, *again), "costs change when they are written and read");
}

}  // namespace
}  // namespace nestrt::test

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace nestrt;
  test::write_scratch(std::as_bytes(std::span(data, size)));
  const auto costs = read_costs(test::scratch_path());
  if (costs) test::check(*costs);
  return 0;
}
