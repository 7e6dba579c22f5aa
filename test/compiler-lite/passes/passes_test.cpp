// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/passes/optimise.h"

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>

#include "test/compiler-lite/graph_tools.h"

namespace nestrt::test {
namespace {

using compiler::Graph;
using compiler::PassOptions;
using compiler::ValueId;

Graph chain_of_reshapes() {
  Graph graph;
  const ValueId x = add_input(graph, "x", {2, 3});
  const ValueId turned = add(graph, transpose_attributes({1, 0}), {x});
  const ValueId flat = add(graph, reshape_attributes({6}), {turned});
  graph.outputs = {add(graph, reshape_attributes({2, 3}), {flat}, "y")};
  return graph;
}

TEST_CASE("Passes have distinct names") {
  std::set<std::string_view> names;
  for (const compiler::Pass& pass : compiler::passes()) CHECK(names.insert(pass.name).second);
}

TEST_CASE("Every pass that passes.h declares is in the table") {
  std::ifstream header(NESTRT_SOURCE_DIR "/compiler-lite/passes/passes.h");
  const std::regex declaration(R"(^Result<int> (\w+)\(Graph& graph\);)");
  size_t declared = 0;
  for (std::string line; std::getline(header, line);) {
    std::smatch match;
    if (!std::regex_search(line, match, declaration)) continue;
    ++declared;
    std::string name = match[1];
    std::replace(name.begin(), name.end(), '_', '-');
    INFO(name);
    const auto passes = compiler::passes();
    CHECK(std::any_of(passes.begin(), passes.end(), [&](const compiler::Pass& pass) { return pass.name == name; }));
  }
  CHECK(declared == compiler::passes().size());
}

TEST_CASE("Optimisation repeats the passes until nothing changes") {
  Graph graph = chain_of_reshapes();
  int last_round = 0, last_changes = 0;
  PassOptions options;
  options.observer = [&](const compiler::Pass&, int round, int changes, const Graph&) {
    last_changes = round == last_round ? last_changes + changes : changes;
    last_round = round;
  };
  REQUIRE(compiler::optimise(graph, options).ok());
  CHECK(graph.nodes().size() == 2);
  CHECK(last_round > 0);
  CHECK(last_changes == 0);
}

TEST_CASE("A disabled pass does not run") {
  Graph graph = chain_of_reshapes();
  PassOptions options;
  options.disabled = {"remove-identity"};
  REQUIRE(compiler::optimise(graph, options).ok());
  CHECK(graph.nodes().size() == 3);
}

TEST_CASE("Disabling a pass that does not exist is an error that lists the passes") {
  Graph graph = chain_of_reshapes();
  PassOptions options;
  options.disabled = {"remove-everything"};
  const Status status = compiler::optimise(graph, options);
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(status.message().find("'remove-everything'") != std::string_view::npos);
  CHECK(status.message().find("fold-constants") != std::string_view::npos);
}

}  // namespace
}  // namespace nestrt::test
