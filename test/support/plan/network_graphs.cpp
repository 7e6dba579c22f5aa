// SPDX-License-Identifier: Apache-2.0
#include "test/support/plan/network_graphs.h"

#include <algorithm>
#include <random>

namespace nestrt::test {

Predecessors squeezenet_graph() {
  GraphBuilder builder;
  uint32_t last = builder.chain(builder.node({}), 1);
  for (int fire = 0; fire < 8; ++fire) {
    const uint32_t squeeze = builder.node({last});
    last = builder.node({builder.node({squeeze}), builder.node({squeeze})});
    if (fire == 1 || fire == 3) last = builder.node({last});
  }
  builder.chain(last, 2);
  return builder.graph();
}

Predecessors googlenet_graph(bool in_place) {
  GraphBuilder builder;
  std::vector<uint32_t> last = {builder.chain(builder.node({}), 4)};
  for (int module = 0; module < 9; ++module) {
    const uint32_t a = builder.node(last);
    const auto two = [&] { return builder.chain(builder.node(last), 1); };
    const uint32_t b = two(), c = two(), d = two();
    last = {a, b, c, d};
    if (!in_place || module == 1 || module == 6) last = {builder.node(last)};
    if (!in_place && (module == 1 || module == 6)) last = {builder.node(last)};
  }
  builder.chain(builder.node(last), 1);
  return builder.graph();
}

Predecessors resnet50_graph() {
  GraphBuilder builder;
  uint32_t last = builder.chain(builder.node({}), 1);
  const int blocks[] = {3, 4, 6, 3};
  for (int stage : blocks) {
    for (int block = 0; block < stage; ++block) {
      const uint32_t inner = builder.chain(last, 2);
      last = block == 0 ? builder.node({inner, builder.node({last})}) : builder.node({inner, last});
    }
  }
  builder.chain(last, 2);
  return builder.graph();
}

Predecessors mobilenet_v2_graph() {
  GraphBuilder builder;
  uint32_t last = builder.chain(builder.node({}), 2);
  const int blocks[] = {2, 3, 4, 3, 3, 1};
  for (int stage : blocks) {
    for (int block = 0; block < stage; ++block) {
      const uint32_t inner = builder.chain(last, 2);
      last = block == 0 ? builder.node({inner}) : builder.node({inner, last});
    }
  }
  builder.chain(last, 3);
  return builder.graph();
}

Predecessors nested_inception_graph() {
  GraphBuilder builder;
  uint32_t last = builder.node({});
  for (int module = 0; module < 2; ++module) {
    const uint32_t a = builder.node({last});
    const uint32_t b = builder.node({last}), b1 = builder.node({b}), b2 = builder.node({b});
    const uint32_t c = builder.chain(last, 2), c1 = builder.node({c}), c2 = builder.node({c});
    const uint32_t d = builder.chain(last, 2);
    last = builder.node({a, builder.node({b1, b2}), builder.node({c1, c2}), d});
  }
  return builder.graph();
}

Predecessors tangled_graph(uint32_t count, uint32_t seed) {
  std::mt19937 random(seed);
  Predecessors graph(count);
  for (uint32_t node = 1; node < count; ++node) {
    for (int edge = 0; edge < 3; ++edge) {
      const uint32_t before = node - 1 - static_cast<uint32_t>(random() % std::min(node, 8u));
      if (std::find(graph[node].begin(), graph[node].end(), before) == graph[node].end()) graph[node].push_back(before);
    }
  }
  return graph;
}

}  // namespace nestrt::test
