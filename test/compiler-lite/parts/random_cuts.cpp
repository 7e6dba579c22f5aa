// SPDX-License-Identifier: Apache-2.0
#include "test/compiler-lite/parts/random_cuts.h"

#include <algorithm>
#include <set>
#include <string>

namespace nestrt::test {
namespace {

using compiler::PartSpec;

size_t below(size_t end, std::mt19937& generator) {
  return std::uniform_int_distribution<size_t>(0, end - 1)(generator);
}

std::vector<uint32_t> random_order(const compiler::OperatorLinks& links, std::mt19937& generator) {
  std::vector<size_t> waiting;
  std::vector<uint32_t> ready, order;
  for (uint32_t op = 0; op < links.reads.size(); ++op) {
    waiting.push_back(links.reads[op].size());
    if (waiting[op] == 0) ready.push_back(op);
  }
  while (!ready.empty()) {
    const size_t at = below(ready.size(), generator);
    const uint32_t op = ready[at];
    ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(at));
    order.push_back(op);
    for (const uint32_t reader : links.feeds[op])
      if (--waiting[reader] == 0) ready.push_back(reader);
  }
  return order;
}

}  // namespace

std::vector<PartSpec> random_parts(const compiler::Graph& graph, std::mt19937& generator) {
  const auto operators = compiler::model_operators(graph);
  const std::vector<uint32_t> order = random_order(compiler::operator_links(graph, operators), generator);
  const size_t count = 1 + below(std::min<size_t>(8, order.size()), generator);
  std::set<size_t> ends = {order.size()};
  while (ends.size() < count) ends.insert(1 + below(order.size() - 1, generator));
  std::vector<PartSpec> parts;
  size_t begin = 0;
  for (const size_t end : ends) {
    PartSpec& part = parts.emplace_back();
    part.name = "p" + std::to_string(parts.size());
    part.operators.assign(order.begin() + static_cast<std::ptrdiff_t>(begin),
                          order.begin() + static_cast<std::ptrdiff_t>(end));
    begin = end;
  }
  std::shuffle(parts.begin(), parts.end(), generator);
  if (below(4, generator) == 0) parts.resize(1 + below(parts.size(), generator));
  return parts;
}

}  // namespace nestrt::test
