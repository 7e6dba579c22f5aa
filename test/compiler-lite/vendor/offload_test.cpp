// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/vendor/offload.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "compiler-lite/codegen/cpu/cpu_backend.h"
#include "compiler-lite/compile.h"
#include "compiler-lite/import/import.h"
#include "nestrt/plan.h"
#include "test/compiler-lite/import/model_builder.h"
#include "test/support/process/temporary_folder.h"

namespace nestrt::compiler {
namespace {

using Catch::Matchers::Contains;

// Returns x -> Relu "a" -> Tanh "b" -> Relu "c" -> y.
Graph chain() {
  test::ModelBuilder model;
  model.input("x", {1, 4}).output("y");
  model.node("Relu", {"x"}, {"u"}, "a");
  model.node("Tanh", {"u"}, {"v"}, "b");
  model.node("Relu", {"v"}, {"y"}, "c");
  auto graph = model.import();
  REQUIRE(graph);
  return std::move(*graph);
}

// Shell commands in a file, because a vendor command is split at spaces.
class Compiler {
 public:
  explicit Compiler(const std::string& script) : script_(folder_.write_text("cc.sh", script)) {}
  VendorOptions options(const std::string& arguments = "{input} {output}") const {
    auto options = parse_vendor("npu=sh " + script_ + " " + arguments);
    INFO(options.error().to_string());
    REQUIRE(options);
    return std::move(*options);
  }
  const test::TemporaryFolder& folder() const { return folder_; }

 private:
  const test::TemporaryFolder folder_;
  const std::string script_;
};

VendorOptions with_parts(VendorOptions options, std::vector<PartSpec> parts) {
  options.parts = [parts = std::move(parts)](const Graph&) -> Result<std::vector<PartSpec>> { return parts; };
  return options;
}

std::string refusal(const VendorOptions& options) {
  Graph graph = chain();
  const auto backend = offload_parts(graph, options);
  REQUIRE_FALSE(backend);
  return std::string(backend.error().message());
}

}  // namespace

TEST_CASE("A part compiled by a vendor becomes one operator whose program is the command's output") {
  const Compiler compiler("printf BLOB > $2");
  Graph graph = chain();
  const auto backend = offload_parts(graph, with_parts(compiler.options(), {{"body", "npu", {1}}}));
  INFO(backend.error().to_string());
  REQUIRE(backend);
  REQUIRE(graph.nodes().size() == 3);
  const Node& node = *graph.nodes()[1];
  CHECK(node.kind() == ops::Kind::kOpaque);
  CHECK(node.name == "body");
  CHECK(graph.value(node.outputs[0]).shape == Shape{1, 4});
  CHECK((*backend)->unit() == "npu");
  const Subgraph nodes(graph.nodes());
  CHECK((*backend)->accepts(graph, nodes.subspan(1, 1)).ok());
  CHECK_FALSE((*backend)->accepts(graph, nodes.subspan(0, 1)).ok());
  const auto offer = (*backend)->lower(graph, nodes.subspan(1, 1));
  REQUIRE(offer);
  CHECK(offer->program->segments.at(0)->size() == 4);
  REQUIRE(offer->program->ranges.size() == 2);
  CHECK(offer->program->ranges[0].value == node.inputs[0]);
  CHECK(offer->program->ranges[1].value == node.outputs[0]);
  CHECK(offer->program->ranges[1].size == 16);
}

TEST_CASE("A plan has a vendor's program on a separate branch and kernels for the rest") {
  const Compiler compiler("cp $1 $2");
  test::ModelBuilder model;
  model.input("x", {1, 4}).output("y");
  model.node("Relu", {"x"}, {"u"}, "a");
  model.node("Tanh", {"u"}, {"y"}, "b");
  CompileOptions options;
  options.offload = [&](Graph& graph) {
    return offload_parts(graph, with_parts(compiler.options(), {{"tail", "npu", {1}}}));
  };
  const auto bytes = compile(compiler.folder().write_text("model.onnx", model.bytes()), options);
  INFO(bytes.error().to_string());
  REQUIRE(bytes);
  const auto plan = Plan::from_memory(bytes->span());
  REQUIRE(plan);
  const plan::Tables& tables = (*plan)->tables();
  CHECK(tables.outputs.size() == 1);
  CHECK(tables.tensors[tables.outputs[0]].name == "y");
  REQUIRE(tables.branches.size() == 2);
  REQUIRE(tables.branches[1].programs.size() == 1);
  CHECK(tables.branches[1].programs[0].unit == "npu");
  CHECK(tables.branches[1].programs[0].kind == plan::ProgramKind::kBlob);
  CHECK(tables.targets.back().unit == "npu");
}

TEST_CASE("Parts that read each other's results are compiled from the unmodified model") {
  const Compiler compiler("cp $1 $2");
  Graph graph = chain();
  REQUIRE(offload_parts(graph, with_parts(compiler.options(), {{"p", "npu", {0}}, {"q", "npu", {1, 2}}})));
  REQUIRE(graph.nodes().size() == 2);
  CHECK(graph.nodes()[1]->inputs[0] == graph.nodes()[0]->outputs[0]);
  CHECK(graph.outputs[0] == graph.nodes()[1]->outputs[0]);
}

TEST_CASE("Placeholders are replaced by files, the vendor's folder is empty and {data} is the user's path") {
  const Compiler compiler("test -z \"$(ls -A $3)\" && test $(pwd -P) = $(cd $3 && pwd -P) && cp $4 $2");
  const std::string data = compiler.folder().write_text("data file", "samples");
  VendorOptions options = compiler.options("--in={input} {output} {folder} {data}");
  options.data = data;
  CHECK_THAT(refusal(options), Contains("vendor 'npu', part 'all': its command ended with exit code"));
  std::filesystem::copy_file(data, compiler.folder().path() + "/data");
  options.data = compiler.folder().path() + "/data";
  Graph graph = chain();
  const auto backend = offload_parts(graph, options);
  INFO(backend.error().to_string());
  CHECK(backend);
}

TEST_CASE("The error for a failed vendor command contains the command's output") {
  CHECK_THAT(refusal(Compiler("echo no such thing as Tanh >&2; exit 3").options()),
             Contains("vendor 'npu', part 'all': its command ended with exit code 3; it printed: no such thing as"));
  CHECK_THAT(refusal(Compiler("kill -9 $$").options()), Contains("was killed by signal 9; it printed nothing"));
  CHECK_THAT(refusal(Compiler("echo done").options()), Contains("its command wrote no output; it printed: done"));
  CHECK_THAT(refusal(Compiler("touch $2").options()), Contains("wrote an empty output"));
  CHECK_THAT(refusal(Compiler("mkdir $2").options()), Contains("wrote no output"));
  CHECK_THAT(refusal(Compiler("truncate -s 3G $2").options()),
             Contains("wrote an output of 3221225472 bytes; at most 2147483648 are supported"));
  VendorOptions none = *parse_vendor("npu=no-such-compiler-of-nestrt {input} {output}");
  CHECK_THAT(refusal(none), Contains("cannot start no-such-compiler-of-nestrt"));
}

TEST_CASE("A vendor's command that takes too long is killed") {
  VendorOptions options = Compiler("").options();
  const Compiler sleeper("sleep 1000");
  options = sleeper.options();
  options.time_limit = std::chrono::seconds(1);
  CHECK_THAT(refusal(options), Contains("vendor 'npu', part 'all': its command took more than 1 seconds"));
}

TEST_CASE("Parts that cannot be offloaded are rejected before the command runs") {
  const Compiler compiler("exit 9");
  CHECK_THAT(refusal(with_parts(compiler.options(), {{"p", "other", {0}}})),
             Contains("part 'p' is for 'other', but the vendor is 'npu'"));
  CHECK_THAT(refusal(with_parts(compiler.options(), {{"p", "CPU", {0}}})),
             Contains("the model has no part for vendor 'npu'"));
  CHECK_THAT(std::string(parse_vendor("npu").error().message()), Contains("expected NAME=COMMAND"));
  CHECK_THAT(std::string(parse_vendor("cpu=cc {input} {output}").error().message()), Contains("neither 'cpu' nor"));
  CHECK_THAT(std::string(parse_vendor("npu=cc {input}").error().message()), Contains("has no {output}"));
}

}  // namespace nestrt::compiler
