// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/memory/planner.h"

#include <catch2/catch.hpp>
#include <random>

#include "compiler-lite/memory/storage.h"

using namespace nestrt;
using namespace nestrt::compiler;

namespace {

ValueId add_input(Graph& graph, const Shape& shape) {
  Value value;
  value.name = "x";
  value.shape = shape;
  graph.inputs.push_back({graph.add_value(value), {}});
  return graph.inputs.back().value;
}

ValueId relu(Graph& graph, ValueId x) {
  const std::string name = "relu" + std::to_string(graph.num_values());
  return (*graph.add_node(name, ops::Unary{ops::UnaryKind::kRelu}, {x}, {name}))->outputs[0];
}

ValueId add(Graph& graph, ValueId a, ValueId b) {
  const std::string name = "add" + std::to_string(graph.num_values());
  return (*graph.add_node(name, ops::Binary{}, {a, b}, {name}))->outputs[0];
}

ValueId concat(Graph& graph, std::vector<ValueId> parts, int axis) {
  const std::string name = "concat" + std::to_string(graph.num_values());
  return (*graph.add_node(name, ops::Concat{axis}, std::move(parts), {name}))->outputs[0];
}

Graph random_graph(std::mt19937& generator) {
  Graph graph;
  std::vector<ValueId> values = {add_input(graph, {1, 4, 8, 8})};
  for (int i = 0; i < 30; ++i) {
    const ValueId a = values[values.size() - 1 - generator() % std::min<size_t>(values.size(), 4)];
    const ValueId b = values[generator() % values.size()];
    values.push_back(generator() % 2 == 0 ? relu(graph, a) : add(graph, a, b));
  }
  graph.outputs = {relu(graph, values.back())};
  graph.tidy();
  return graph;
}

bool overlap(const Storage& storage, const MemoryLayout& layout, size_t a, size_t b) {
  return layout.offsets[a] < layout.offsets[b] + storage.buffers[b].size &&
         layout.offsets[b] < layout.offsets[a] + storage.buffers[a].size;
}

}  // namespace

TEST_CASE("A chain of any length needs two buffers") {
  Graph graph;
  ValueId x = add_input(graph, {1, 16, 4, 4});
  for (int i = 0; i < 20; ++i) x = relu(graph, x);
  graph.outputs = {x};
  graph.tidy();
  const Storage storage = assign_storage(graph);
  const MemoryLayout sequential = plan_sequential(storage, graph.nodes().size());
  CHECK(sequential.arena_bytes == 2 * 1024);
  CHECK(sequential.lower_bound_bytes == 2 * 1024);
  CHECK(plan_any_schedule(storage, graph).arena_bytes == 2 * 1024);
}

TEST_CASE("A chain of views is traversed once, and each view has the sum of the preceding offsets") {
  constexpr int64_t kLinks = 100'000;  // walking each to the first would take 5 billion steps
  Graph graph;
  const ValueId whole = relu(graph, add_input(graph, {kLinks + 1}));
  std::vector<ValueId> views = {whole};
  for (int64_t i = 1; i <= kLinks; ++i) {
    const std::string name = "slice" + std::to_string(i);
    ops::Slice slice{.start = {1}, .step = {1}, .shape = {kLinks + 1 - i}};
    views.push_back((*graph.add_node(name, std::move(slice), {views.back()}, {name}))->outputs[0]);
  }
  graph.outputs = {relu(graph, views.back())};
  graph.tidy();
  const Storage storage = assign_storage(graph);
  uint64_t offset = 0;
  bool right = true;
  for (const ValueId view : views) {
    const Place& place = storage.places[static_cast<size_t>(view)];
    right &= place.buffer == storage.places[static_cast<size_t>(whole)].buffer && place.offset == offset;
    offset += sizeof(float);
  }
  CHECK(right);
}

TEST_CASE("The output of an operator shares no bytes with inputs of operators that may run concurrently") {
  Graph graph;
  const ValueId x = add_input(graph, {1, 16, 4, 4});
  const ValueId a = relu(graph, x), b = relu(graph, a), c = relu(graph, b);
  graph.outputs = {relu(graph, c)};
  graph.tidy();
  const Storage storage = assign_storage(graph);
  CHECK(plan_any_schedule(storage, graph).arena_bytes == 2 * 1024);
  // The third operator may start before the second, which reads a, is complete.
  const MemoryLayout layout = plan_any_schedule(storage, graph, {UINT32_MAX, UINT32_MAX, 1, UINT32_MAX});
  CHECK(layout.arena_bytes == 3 * 1024);
  const auto buffer_of = [&](ValueId value) { return storage.places[static_cast<size_t>(value)].buffer; };
  CHECK(layout.offsets[buffer_of(c)] != layout.offsets[buffer_of(a)]);
}

TEST_CASE("Buffers that are live at the same time never share bytes in the sequential plan") {
  std::mt19937 generator(7);
  for (int round = 0; round < 50; ++round) {
    const Graph graph = random_graph(generator);
    const Storage storage = assign_storage(graph);
    const MemoryLayout layout = plan_sequential(storage, graph.nodes().size());
    CHECK(layout.arena_bytes >= layout.lower_bound_bytes);
    for (size_t a = 0; a < storage.buffers.size(); ++a) {
      for (size_t b = a + 1; b < storage.buffers.size(); ++b) {
        const BufferUse &first = storage.buffers[a], &second = storage.buffers[b];
        if (first.kind != plan::BufferKind::kArena || second.kind != plan::BufferKind::kArena) continue;
        if (first.users.back() < second.users.front() || second.users.back() < first.users.front()) continue;
        CHECK_FALSE(overlap(storage, layout, a, b));
      }
    }
  }
}

TEST_CASE("In the plan for any schedule, buffers that share bytes are separated by the graph") {
  std::mt19937 generator(8);
  for (int round = 0; round < 20; ++round) {
    const Graph graph = random_graph(generator);
    const Storage storage = assign_storage(graph);
    const MemoryLayout layout = plan_any_schedule(storage, graph);
    // In a random valid order, no buffer may be overwritten before its last reader has run.
    const size_t count = graph.nodes().size();
    for (int trial = 0; trial < 20; ++trial) {
      std::vector<uint32_t> order;
      std::vector<bool> done(count, false);
      while (order.size() < count) {
        std::vector<uint32_t> ready;
        for (uint32_t i = 0; i < count; ++i) {
          if (done[i]) continue;
          bool is_ready = true;
          for (uint32_t j = 0; j < count; ++j) {
            for (ValueId id : graph.nodes()[i]->inputs)
              if (graph.producer(id) == graph.nodes()[j].get() && !done[j]) is_ready = false;
          }
          if (is_ready) ready.push_back(i);
        }
        const uint32_t next = ready[generator() % ready.size()];
        done[next] = true;
        order.push_back(next);
      }
      std::vector<size_t> rank(count);
      for (size_t i = 0; i < count; ++i) rank[order[i]] = i;
      const auto span = [&](const BufferUse& use) {
        size_t first = count, last = 0;
        for (uint32_t user : use.users) {
          first = std::min(first, rank[user]);
          last = std::max(last, rank[user]);
        }
        return std::pair(first, last);
      };
      for (size_t a = 0; a < storage.buffers.size(); ++a) {
        for (size_t b = a + 1; b < storage.buffers.size(); ++b) {
          const BufferUse &one = storage.buffers[a], &other = storage.buffers[b];
          if (one.kind != plan::BufferKind::kArena || other.kind != plan::BufferKind::kArena) continue;
          const auto [a_first, a_last] = span(one);
          const auto [b_first, b_last] = span(other);
          if (a_first <= b_last && b_first <= a_last) CHECK_FALSE(overlap(storage, layout, a, b));
        }
      }
    }
  }
}

TEST_CASE("The inputs of a channel concat are views of its output") {
  Graph graph;
  const ValueId x = add_input(graph, {1, 16, 4, 4});
  const ValueId a = relu(graph, x), b = relu(graph, x);
  const ValueId whole = concat(graph, {a, b}, 1);
  graph.outputs = {relu(graph, whole)};
  graph.tidy();
  const Storage storage = assign_storage(graph);
  const Place& place = storage.places[static_cast<size_t>(whole)];
  CHECK(storage.places[static_cast<size_t>(a)].buffer == place.buffer);
  CHECK(storage.places[static_cast<size_t>(a)].offset == 0);
  CHECK(storage.places[static_cast<size_t>(b)].buffer == place.buffer);
  CHECK(storage.places[static_cast<size_t>(b)].offset == 16 * 4 * 4 * 4);
}

TEST_CASE("A value that is concatenated twice is copied once") {
  Graph graph;
  const ValueId x = add_input(graph, {1, 16, 4, 4});
  const ValueId a = relu(graph, x);
  const ValueId whole = concat(graph, {a, a}, 1);
  graph.outputs = {relu(graph, whole)};
  graph.tidy();
  const Storage storage = assign_storage(graph);
  CHECK(storage.places[static_cast<size_t>(a)].buffer == storage.places[static_cast<size_t>(whole)].buffer);
  CHECK(storage.places[static_cast<size_t>(a)].offset == 0);
}

TEST_CASE("A channel concat is not computed in place for batch sizes above 1") {
  Graph graph;
  const ValueId x = add_input(graph, {2, 16, 4, 4});
  const ValueId a = relu(graph, x), b = relu(graph, x);
  const ValueId whole = concat(graph, {a, b}, 1);
  graph.outputs = {relu(graph, whole)};
  graph.tidy();
  const Storage storage = assign_storage(graph);
  CHECK(storage.places[static_cast<size_t>(a)].buffer != storage.places[static_cast<size_t>(whole)].buffer);
}

TEST_CASE("An output that is an input, a constant or listed twice is written by a separate copy") {
  Graph graph;
  const ValueId x = add_input(graph, {1, 4});
  const ValueId constant = graph.add_constant("c", std::vector<float>{1, 2}, Shape{2});
  const ValueId y = relu(graph, x);
  graph.outputs = {x, constant, y, y};
  REQUIRE(legalize_outputs(graph).ok());
  graph.tidy();
  CHECK(graph.nodes().size() == 4);
  for (ValueId id : graph.outputs) CHECK(graph.producer(id) != nullptr);
  const Storage storage = assign_storage(graph);
  for (ValueId id : graph.outputs)
    CHECK(storage.buffers[storage.places[static_cast<size_t>(id)].buffer].kind == plan::BufferKind::kOutput);
}

TEST_CASE("Placing 30,000 concurrently live buffers does not enumerate pairs") {
  constexpr uint32_t kBuffers = 30'000;
  Storage storage;
  // Operator i writes buffer i. The last operator reads the first half; the operator two positions later reads the
  // rest.
  for (uint32_t i = 0; i < kBuffers; ++i) {
    BufferUse buffer;
    buffer.size = 64 * (1 + i % 7);
    buffer.writers = {i};
    buffer.users = {i, i < kBuffers / 2 ? kBuffers + 1 : i + 2};
    storage.buffers.push_back(buffer);
  }
  const MemoryLayout layout = plan_sequential(storage, kBuffers + 2);
  CHECK(layout.arena_bytes >= layout.lower_bound_bytes);
  CHECK(layout.arena_bytes < layout.lower_bound_bytes + 100 * 64);
  // Buffers that stay alive never overlap: their sorted extents are disjoint.
  std::vector<std::pair<uint64_t, uint64_t>> extents;
  for (uint32_t i = 0; i < kBuffers; ++i)
    if (i < kBuffers / 2 || i + 3 > kBuffers) extents.emplace_back(layout.offsets[i], storage.buffers[i].size);
  std::sort(extents.begin(), extents.end());
  for (size_t i = 1; i < extents.size(); ++i) CHECK(extents[i - 1].first + extents[i - 1].second <= extents[i].first);
  for (uint32_t i = kBuffers / 2; i + 2 < kBuffers; ++i) {
    CHECK_FALSE(overlap(storage, layout, i, i + 1));
    CHECK_FALSE(overlap(storage, layout, i, i + 2));
  }
}
