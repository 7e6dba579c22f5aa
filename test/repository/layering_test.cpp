// SPDX-License-Identifier: Apache-2.0
#include "test/repository/layering.h"

#include <catch2/catch.hpp>

#include "test/repository/require_none.h"

namespace nestrt::test {
namespace {

SourceTree repository() { return load_source_tree(NESTRT_SOURCE_DIR); }

// Returns a tree in which `from` includes `to`.
SourceTree edge(const std::string& from, const std::string& to, const std::string& line) {
  return {{from, line + "\n"}, {to, ""}};
}

}  // namespace

TEST_CASE("Every include of the repository respects the layers") {
  const SourceTree tree = repository();
  REQUIRE(tree.contains("runtime/include/nestrt/session.h"));
  require_none(layering_violations(tree));
}

TEST_CASE("libnestrt does not depend on heavy libraries") { require_none(library_violations(repository())); }

TEST_CASE("No header of the repository includes itself through others") { require_none(include_cycles(repository())); }

TEST_CASE("No folder of the repository includes itself through others") { require_none(folder_cycles(repository())); }

TEST_CASE("No source folder holds more than 25 sources") { require_none(crowded_folders(repository())); }

TEST_CASE("An include of a higher layer is found") {
  auto [from, to] = GENERATE(table<std::string, std::string>({
      {"runtime/session/session.cpp", "kernels/registry.h"},
      {"runtime/session/session.cpp", "tools/support/text/npy.h"},
      {"tools/support/text/npy.cpp", "drivers/cpu/cpu_unit.h"},
      {"kernels/conv/conv.cpp", "scheduler/thread_pool.h"},
      {"kernels/conv/conv.cpp", "compiler-lite/graph/graph.h"},
      {"scheduler/thread_pool.h", "kernels/registry.h"},
      {"scheduler/thread_pool.cpp", "drivers/cpu/cpu_unit.h"},
      {"drivers/cpu/cpu_unit.cpp", "compiler-lite/graph/graph.h"},
      {"compiler-lite/emit/emit.cpp", "test/support/kernel/kernel_runner.h"},
  }));
  const Findings findings = layering_violations(edge(from, to, "#include \"" + to + "\""));
  INFO(from << " -> " << to);
  REQUIRE(findings.size() == 1);
  REQUIRE(findings[0].starts_with(from + ":1: includes " + to));
}

TEST_CASE("An include of a lower layer is accepted") {
  auto [from, to] = GENERATE(table<std::string, std::string>({
      {"kernels/conv/conv.cpp", "kernels/common/simd/simd.h"},
      {"drivers/cpu/cpu_unit.cpp", "kernels/registry.h"},
      {"drivers/cpu/cpu_unit.cpp", "scheduler/thread_pool.h"},
      {"compiler-lite/passes/fold.cpp", "kernels/registry.h"},
      {"tools/nestrt/commands/run.cpp", "tools/support/text/npy.h"},
      {"test/kernels/conv/conv_test.cpp", "compiler-lite/graph/graph.h"},
  }));
  INFO(from << " -> " << to);
  REQUIRE(layering_violations(edge(from, to, "  #  include \"" + to + "\"")).empty());
}

TEST_CASE("A public header is resolved by its public name") {
  REQUIRE(layering_violations(
              edge("kernels/conv/conv.cpp", "runtime/kernel/kernel.h", "#include \"runtime/kernel/kernel.h\""))
              .empty());
  REQUIRE(layering_violations(edge("runtime/session/session.cpp", "drivers/include/nestrt/open_units.h",
                                   "#include \"nestrt/open_units.h\""))
              .size() == 1);
}

TEST_CASE("An include of a file that does not exist is found") {
  REQUIRE(layering_violations({{"kernels/a.cpp", "#include \"kernels/b.h\"\n"}}).size() == 1);
  REQUIRE(layering_violations({{"kernels/a.cpp", "#include \"nestrt/b.h\"\n"}}).size() == 1);
  REQUIRE(
      layering_violations({{"runtime/a.cpp", "#include \"runtime/plan/format/plan_generated.h\"\n#include <vector>\n"}})
          .empty());
}

TEST_CASE("A library in the wrong folder is found") {
  REQUIRE(library_violations({{"runtime/session/a.cpp", "#include <onnx/onnx_pb.h>\n"}}).size() == 1);
  REQUIRE(library_violations({{"kernels/a.cpp", "#include <Eigen/Core>\n"}}).size() == 1);
  REQUIRE(
      library_violations({{"runtime/plan/verify/verify.cpp", "#include \"runtime/plan/format/plan_generated.h\"\n"}})
          .size() == 1);
  REQUIRE(
      library_violations({{"runtime/plan/format/decode.cpp", "#include \"runtime/plan/format/plan_generated.h\"\n"}})
          .empty());
  REQUIRE(library_violations({{"compiler-lite/import/a.cpp", "#include <onnx/onnx_pb.h>\n"}}).empty());
}

TEST_CASE("A cycle of headers is found and listed") {
  const Findings findings = include_cycles({{"kernels/a.h", "#include \"kernels/b.h\"\n"},
                                            {"kernels/b.h", "#include \"kernels/c.h\"\n"},
                                            {"kernels/c.h", "#include \"kernels/a.h\"\n"},
                                            {"kernels/d.h", "#include \"kernels/a.h\"\n"}});
  REQUIRE(findings == Findings{"kernels/a.h -> kernels/b.h -> kernels/c.h -> kernels/a.h"});
}

TEST_CASE("A cycle of folders is found and listed") {
  const SourceTree tree = {{"runtime/core/a.h", ""},
                           {"runtime/core/a.cpp", "#include \"runtime/plan/b.h\"\n"},
                           {"runtime/plan/b.h", "#include \"runtime/ops/c.h\"\n"},
                           {"runtime/ops/c.h", "#include \"runtime/core/a.h\"\n"}};
  CHECK(include_cycles(tree).empty());
  CHECK(folder_cycles(tree) == Findings{"runtime/core/ -> runtime/plan/ -> runtime/ops/ -> runtime/core/"});
}

TEST_CASE("A cycle of sibling subfolders is found") {
  const SourceTree tree = {{"runtime/plan/format/a.h", ""},
                           {"runtime/plan/format/a.cpp", "#include \"runtime/plan/verify/b.h\"\n"},
                           {"runtime/plan/verify/b.h", "#include \"runtime/plan/format/a.h\"\n"}};
  CHECK(folder_cycles(tree) == Findings{"runtime/plan/format/ -> runtime/plan/verify/ -> runtime/plan/format/"});
}

TEST_CASE("A folder with more than 25 sources is found") {
  SourceTree tree = {{"kernels/a/README.md", ""}, {"kernels/a/b/c.h", ""}};
  for (int i = 0; i < 25; ++i) tree["kernels/a/" + std::to_string(i) + ".cpp"] = "";
  CHECK(crowded_folders(tree).empty());
  tree["kernels/a/d.h"] = "";
  CHECK(crowded_folders(tree) == Findings{"kernels/a/: 26 sources, expected at most 25; split it by concept"});
}

TEST_CASE("A folder and its subfolder may include each other") {
  CHECK(folder_cycles({{"drivers/evta/a.h", "#include \"drivers/evta/isa/b.h\"\n"},
                       {"drivers/evta/isa/b.h", ""},
                       {"drivers/evta/isa/b.cpp", "#include \"drivers/evta/c.h\"\n"},
                       {"drivers/evta/c.h", ""}})
            .empty());
}

}  // namespace nestrt::test
