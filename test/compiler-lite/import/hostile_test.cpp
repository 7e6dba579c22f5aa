// SPDX-License-Identifier: Apache-2.0
// Tests deliberately malformed files. Each must be rejected with the node's or tensor's name and must not cause a
// crash.
#include <onnx/onnx_pb.h>

#include <sys/stat.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <random>

#include "compiler-lite/import/import.h"
#include "compiler-lite/import/onnx/external_data.h"
#include "test/compiler-lite/import/model_builder.h"

namespace nestrt::test {
namespace {

using compiler::ImportOptions;

// Returns a model of one convolution. Each test breaks one part of it.
ModelBuilder small_model() {
  ModelBuilder model;
  model.input("x", {1, 2, 4, 4}).output("y").constant("w", {3, 2, 1, 1}, std::vector<float>(6, 1));
  model.node("Conv", {"x", "w"}, {"y"});
  return model;
}

void check_refused(const Result<compiler::Graph>& graph, Code code, const std::string& part) {
  REQUIRE(!graph);
  INFO(graph.error().to_string());
  CHECK(graph.error().code() == code);
  CHECK(std::string(graph.error().message()).find(part) != std::string::npos);
}

TEST_CASE("Empty files, text and other formats are not models") {
  check_refused(import_bytes(""), Code::kInvalidModel, "0");
  check_refused(import_bytes("This is not a model at all, but a line of text."), Code::kInvalidModel,
                "not an ONNX model");
  check_refused(import_bytes(std::string(1000, '\xff')), Code::kInvalidModel, "not an ONNX model");
  check_refused(import_bytes(std::string(1000, '\0')), Code::kInvalidModel, "not an ONNX model");
}

TEST_CASE("Every truncated model is rejected or still valid, and none causes a crash") {
  const std::string bytes = small_model().bytes();
  for (size_t length = 0; length < bytes.size(); ++length) {
    const auto graph = import_bytes(bytes.substr(0, length));
    if (!graph) CHECK(!graph.error().message().empty());
  }
}

TEST_CASE("Models with flipped bytes never cause a crash") {
  const std::string bytes = small_model().bytes();
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (const unsigned flip : {0x01u, 0x80u, 0xffu}) {
      std::string broken = bytes;
      broken[at] = static_cast<char>(static_cast<unsigned char>(broken[at]) ^ flip);
      const auto graph = import_bytes(broken);
      if (!graph) CHECK(!graph.error().message().empty());
    }
  }
}

TEST_CASE("A valid model is imported") { CHECK(small_model().import()); }

TEST_CASE("A cycle is reported with one of its nodes") {
  ModelBuilder model = small_model();
  model.node("Relu", {"b"}, {"a"});
  model.node("Relu", {"a"}, {"b"});
  check_refused(model.import(), Code::kInvalidModel, "cycle");
}

TEST_CASE("An undefined tensor is reported with the node that reads it") {
  ModelBuilder model = small_model();
  model.node("Add", {"y", "nowhere"}, {"z"});
  check_refused(model.import(), Code::kInvalidModel, "'nowhere'");
  check_refused(model.import(), Code::kInvalidModel, "node 'Add2' (Add)");
}

TEST_CASE("Values defined twice are rejected") {
  ModelBuilder by_nodes = small_model();
  by_nodes.node("Relu", {"x"}, {"y"});
  check_refused(by_nodes.import(), Code::kInvalidModel, "'y' is defined twice");
  ModelBuilder by_initializers = small_model();
  by_initializers.constant("w", {1}, {0});
  check_refused(by_initializers.import(), Code::kInvalidModel, "'w' is defined twice");
  ModelBuilder by_input = small_model();
  by_input.input("x", {1});
  check_refused(by_input.import(), Code::kInvalidModel, "'x' is defined twice");
}

TEST_CASE("An output that no node computes is reported") {
  ModelBuilder model = small_model();
  model.output("ghost");
  check_refused(model.import(), Code::kInvalidModel, "'ghost'");
}

TEST_CASE("An output that is listed twice is rejected even if no node computes it") {
  for (const char* const type : {"Relu", "Identity"}) {
    ModelBuilder model;
    model.input("x", {4}).output("y").output("y").node(type, {"x"}, {"y"});
    check_refused(model.import(), Code::kInvalidModel, "output 'y' is listed twice");
  }
}

TEST_CASE("Tensors with negative or overflowing dimensions are rejected") {
  for (const std::vector<int64_t>& dims :
       {std::vector<int64_t>{-1, 2}, {int64_t{1} << 62, int64_t{1} << 62}, {int64_t{1} << 32, int64_t{1} << 32, 0}}) {
    ModelBuilder model = small_model();
    model.constant("odd", dims, {});
    check_refused(model.import(), Code::kInvalidModel, "tensor 'odd'");
  }
}

TEST_CASE("Tensors whose bytes do not match their shape are rejected") {
  ModelBuilder raw = small_model();
  raw.graph().mutable_initializer(0)->clear_float_data();
  raw.graph().mutable_initializer(0)->set_raw_data("12345");
  check_refused(raw.import(), Code::kInvalidModel, "raw_data has 5 bytes");
  ModelBuilder list = small_model();
  list.graph().mutable_initializer(0)->add_float_data(1);
  check_refused(list.import(), Code::kInvalidModel, "has 7 elements, expected 6");
}

TEST_CASE("String tensors are rejected") {
  ModelBuilder model = small_model();
  model.graph().mutable_initializer(0)->set_data_type(onnx::TensorProto::STRING);
  check_refused(model.import(), Code::kUnsupported, "string");
}

TEST_CASE("Inputs with huge dimensions are rejected") {
  ModelBuilder model;
  model.input("x", {int64_t{1} << 40, int64_t{1} << 40}).output("y").node("Relu", {"x"}, {"y"});
  check_refused(model.import(), Code::kInvalidModel, "'x'");
}

TEST_CASE("Attributes of the wrong type or range are reported") {
  ModelBuilder type = small_model();
  set_attribute(*type.graph().mutable_node(0), "group", std::string("two"));
  check_refused(type.import(), Code::kInvalidModel, "attribute 'group' has the wrong type");
  ModelBuilder unknown = small_model();
  set_attribute(*unknown.graph().mutable_node(0), "colour", int64_t{3});
  check_refused(unknown.import(), Code::kUnsupported, "'colour'");
  for (const int64_t stride : {int64_t{0}, int64_t{-1}, int64_t{1} << 40}) {
    ModelBuilder strides = small_model();
    set_attribute(*strides.graph().mutable_node(0), "strides", std::vector<int64_t>{stride, 1});
    check_refused(strides.import(), Code::kInvalidModel, "strides");
  }
  ModelBuilder group = small_model();
  set_attribute(*group.graph().mutable_node(0), "group", int64_t{0});
  check_refused(group.import(), Code::kInvalidModel, "group");
}

TEST_CASE("More nodes than the limit are rejected before they are built") {
  ModelBuilder model = small_model();
  for (int i = 0; i < 1'000'000; ++i) {
    onnx::NodeProto& node = *model.graph().add_node();
    node.set_op_type("Relu");
  }
  check_refused(model.import(), Code::kInvalidModel, "100000 nodes");
}

TEST_CASE("Models with more nodes than their file size allows are rejected") {
  ModelBuilder model;
  model.input("v0", {4});
  constexpr int kNodes = 70'000;
  for (int i = 0; i < kNodes; ++i) model.node("Neg", {"v" + std::to_string(i)}, {"v" + std::to_string(i + 1)}, "n");
  model.output("v" + std::to_string(kNodes));
  const std::string small = model.bytes();
  REQUIRE(small.size() / 100 + 50'000 < kNodes);
  check_refused(import_bytes(small), Code::kInvalidModel, "the limit for a file of its size");
  model.constant("weights", {8 << 20}, std::vector<float>(8 << 20));
  CHECK(import_bytes(model.bytes()));
}

TEST_CASE("Models with more tensors, values or operands than their file size allows are rejected") {
  constexpr int kMany = 200'000;
  ModelBuilder tensors = small_model(), values = small_model(), operands = small_model();
  for (int i = 0; i < kMany; ++i) {
    tensors.graph().add_initializer()->set_name("t");
    values.graph().add_output()->set_name("v");
    for (int k = 0; k < 3; ++k) operands.graph().mutable_node(0)->add_input("x");
  }
  check_refused(tensors.import(), Code::kInvalidModel, "tensors, the limit");
  check_refused(values.import(), Code::kInvalidModel, "inputs, outputs and values, the limit");
  check_refused(operands.import(), Code::kInvalidModel, "more than 400000 operands of nodes");
}

TEST_CASE("Nodes that become more operators than the file size allows are rejected during import") {
  constexpr int kNodes = 16'000;  // each becomes four operators and a constant
  ModelBuilder model;
  model.input("v0", {4}).output("v" + std::to_string(kNodes));
  for (int i = 0; i < kNodes; ++i) {
    const std::string input = "v" + std::to_string(i);
    model.node("Mean", {input, input, input, input}, {"v" + std::to_string(i + 1)}, "mean" + std::to_string(i));
  }
  const std::string small = model.bytes();
  REQUIRE(small.size() / 800 + 40'000 < 5 * kNodes);
  check_refused(import_bytes(small), Code::kInvalidModel, "(Mean): the model becomes more than");
  model.constant("weights", {8 << 20}, std::vector<float>(8 << 20));
  CHECK(import_bytes(model.bytes()));
}

TEST_CASE("The constants of a node count towards the operator limit") {
  constexpr int kNodes = 20'000;  // each becomes two constants and two operators
  ModelBuilder model;
  model.input("v0", {1, 1}).output("v" + std::to_string(kNodes)).constant("one", {1}, {1});
  for (int i = 0; i < kNodes; ++i)
    model.node("BatchNormalization", {"v" + std::to_string(i), "one", "one", "one", "one"},
               {"v" + std::to_string(i + 1)}, "n");
  REQUIRE(model.bytes().size() / 800 + 40'000 < 4 * kNodes);
  check_refused(model.import(), Code::kInvalidModel, "operators and constants, the limit for a file of its size");
}

TEST_CASE("Nodes with more operands than a plan may have are rejected during import") {
  constexpr int kNodes = 6'000;  // each with twelve operands
  ModelBuilder model;
  model.input("x", {1}).output("joined");
  model.node("Concat", std::vector<std::string>(350'000, "x"), {"joined"});
  set_attribute(*model.graph().mutable_node(0), "axis", int64_t{0});
  for (int i = 0; i < kNodes; ++i) model.node("Mean", {"x", "x", "x", "x"}, {"m" + std::to_string(i)}, "mean");
  check_refused(model.import(), Code::kInvalidModel, "(Mean): the model's operators have more than 400000");
}

TEST_CASE("Nodes and outputs with excessively long names are rejected") {
  for (const bool of_node : {true, false}) {
    for (const size_t bytes : {1024, 1025}) {
      const std::string name(bytes, 'n');
      ModelBuilder model;
      model.input("x", {2}).output("y");
      model.node("Split", {"x"}, {of_node ? "part" : name, "y"}, of_node ? name : "split");
      if (bytes == 1024) {
        CHECK(model.import());
      } else {
        check_refused(model.import(), Code::kInvalidModel, "a name of 1025 bytes");
      }
    }
  }
}

TEST_CASE("Files that expand to too much memory are rejected") {
  ModelBuilder model = small_model();
  std::string bytes = model.bytes();
  // Empty entries of ModelProto.metadata_props (field 14): two bytes each in the file.
  for (int i = 0; i < 5'000'000; ++i) bytes += std::string("\x72\x00", 2);
  check_refused(import_bytes(bytes), Code::kInvalidModel, "fields");
}

TEST_CASE("Protobuf messages of any type count towards the memory limit") {
  constexpr int kMany = 10'000;
  ModelBuilder attributes = small_model(), graphs = small_model(), dims = small_model(), functions = small_model();
  onnx::AttributeProto& attribute = *graphs.graph().mutable_node(0)->add_attribute();
  onnx::TensorShapeProto& shape =
      *dims.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
  for (int i = 0; i < kMany; ++i) {
    attributes.graph().mutable_node(0)->add_attribute();
    attribute.add_graphs();
    shape.add_dim();
    functions.proto().add_functions();
  }
  ImportOptions options;
  options.limits.message_bytes = 100'000;
  CHECK(small_model().import(options));
  for (const ModelBuilder* const model : {&attributes, &graphs, &dims, &functions})
    check_refused(model->import(options), Code::kInvalidModel, "bytes of memory for its fields");
}

TEST_CASE("Constants that grow without bounds during folding are rejected") {
  ModelBuilder model;
  model.output("y").constant("shape", std::vector<int64_t>{1 << 20, 1 << 20});
  model.node("ConstantOfShape", {"shape"}, {"y"});
  check_refused(model.import(), Code::kInvalidModel, "limit");

  ModelBuilder repeated;
  repeated.output("y13")
      .constant("y0", {1 << 20}, std::vector<float>(1 << 20, 1))
      .constant("twice", std::vector<int64_t>{2});
  const auto name = [](int i) { return std::string("y").append(std::to_string(i)); };
  for (int i = 0; i < 13; ++i) repeated.node("Tile", {name(i), "twice"}, {name(i + 1)});
  ImportOptions options;
  options.limits.constant_bytes = 64 << 20;
  check_refused(repeated.import(options), Code::kInvalidModel, "limit");
}

TEST_CASE("Expensive computations on constants stay in the graph") {
  ModelBuilder model;
  model.output("y").constant("a", {64, 64}, std::vector<float>(64 * 64, 1));
  model.node("MatMul", {"a", "a"}, {"y"});
  ImportOptions options;
  options.limits.folding_steps = 1000;
  const auto large = model.import(options);
  REQUIRE(large);
  CHECK(large->nodes().size() == 1);
  const auto small = model.import();
  REQUIRE(small);
  CHECK(small->nodes().empty());
}

TEST_CASE("Pads, ranges and repeats without bounds are rejected") {
  for (const int64_t size : {int64_t{1} << 40, INT64_MAX, INT64_MIN}) {
    ModelBuilder pad;
    pad.input("x", {4}).output("y").constant("pads", std::vector<int64_t>{size, size});
    pad.node("Pad", {"x", "pads"}, {"y"});
    check_refused(pad.import(), Code::kInvalidModel, "Pad1");
    ModelBuilder tile;
    tile.input("x", {4}).output("y").constant("repeats", std::vector<int64_t>{size});
    tile.node("Tile", {"x", "repeats"}, {"y"});
    check_refused(tile.import(), Code::kInvalidModel, "Tile1");
    ModelBuilder reshape;
    reshape.input("x", {4}).output("y").constant("shape", std::vector<int64_t>{size, size, -1});
    reshape.node("Reshape", {"x", "shape"}, {"y"});
    check_refused(reshape.import(), Code::kInvalidModel, "Reshape1");
  }
  ModelBuilder range;
  range.output("y").constant("limit", {}, {1e30f}).constant("zero", {}, {0}).constant("one", {}, {1});
  range.node("Range", {"zero", "limit", "one"}, {"y"});
  check_refused(range.import(), Code::kInvalidModel, "too many elements");
  ModelBuilder standing;
  standing.output("y").constant("zero", {}, {0}).constant("one", {}, {1});
  standing.node("Range", {"zero", "one", "zero"}, {"y"});
  check_refused(standing.import(), Code::kInvalidModel, "delta");
}

TEST_CASE("Deeply nested subgraphs are rejected") {
  onnx::GraphProto graph;
  for (int depth = 0; depth < 200; ++depth) {
    onnx::GraphProto outer;
    onnx::NodeProto& node = *outer.add_node();
    node.set_op_type("If");
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_type(onnx::AttributeProto::GRAPH);
    attribute.mutable_g()->Swap(&graph);
    graph.Swap(&outer);
  }
  ModelBuilder model;
  model.graph().Swap(&graph);
  check_refused(model.import(), Code::kInvalidModel, "nested");
}

TEST_CASE("An opset that is too old is rejected with the remedy") {
  ModelBuilder model(5);
  model.input("x", {1}).output("y").node("Relu", {"x"}, {"y"});
  check_refused(model.import(), Code::kUnsupported, "version_converter");
}

// --- External data --------------------------------------------------------------------------------------------------

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "nestrt-import-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
    std::filesystem::create_directories(path_ / "model" / "sub");
    write("outside.bin", 64);
    write("model/inside.bin", 64);
    write("model/sub/deeper.bin", 24);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  void write(const std::string& name, size_t bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << std::string(bytes, '\0');
  }
  Result<compiler::Graph> import(const std::string& location, const std::string& offset = "",
                                 const std::string& length = "") const {
    ModelBuilder model = small_model();
    onnx::TensorProto& tensor = *model.graph().mutable_initializer(0);
    tensor.clear_float_data();
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
    for (const auto& [key, value] : {std::pair{"location", location}, {"offset", offset}, {"length", length}}) {
      if (value.empty()) continue;
      auto& entry = *tensor.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    }
    std::ofstream(path_ / "model/model.onnx", std::ios::binary) << model.bytes();
    return compiler::import_onnx(path_ / "model/model.onnx");
  }

 private:
  std::filesystem::path path_;
};

TEST_CASE("External data next to the model is read") {
  const Folder folder;
  CHECK(folder.import("inside.bin"));
  CHECK(folder.import("inside.bin", "40", "24"));
  CHECK(folder.import("sub/deeper.bin"));
}

TEST_CASE("External data shared by too many tensors is rejected") {
  const Folder folder;
  constexpr size_t kBytes = 4 << 20;
  compiler::ExternalFiles files((folder / "model").string());
  std::ofstream(folder / "model/shared.bin", std::ios::binary) << std::string(kBytes, '\0');
  int reads = 0;
  while (reads < 10 && files.read({"shared.bin", 0, std::nullopt}, kBytes)) ++reads;
  CHECK(reads == 4);
  CHECK(files.read({"inside.bin", 0, std::nullopt}, 24));
}

TEST_CASE("External data outside the model's folder is rejected for every kind of path") {
  const Folder folder;
  check_refused(folder.import("../outside.bin"), Code::kInvalidModel, "'..'");
  check_refused(folder.import("sub/../../outside.bin"), Code::kInvalidModel, "'..'");
  check_refused(folder.import((folder / "outside.bin").string()), Code::kInvalidModel, "inside the model's folder");
  check_refused(folder.import(""), Code::kInvalidModel, "inside the model's folder");
  std::filesystem::create_symlink(folder / "outside.bin", folder / "model/link.bin");
  check_refused(folder.import("link.bin"), Code::kInvalidModel, "link");
  std::filesystem::create_directory_symlink(folder / ".", folder / "model/up");
  check_refused(folder.import("up/outside.bin"), Code::kInvalidModel, "link");
  std::filesystem::create_hard_link(folder / "outside.bin", folder / "model/hard.bin");
  check_refused(folder.import("hard.bin"), Code::kInvalidModel, "hard link");
}

TEST_CASE("External data must be a regular file that contains the specified range") {
  const Folder folder;
  REQUIRE(::mkfifo((folder / "model/fifo").c_str(), 0600) == 0);
  check_refused(folder.import("fifo"), Code::kInvalidModel, "regular file");
  check_refused(folder.import("sub"), Code::kInvalidModel, "regular file");
  check_refused(folder.import("missing.bin"), Code::kInvalidModel, "cannot be found");
  check_refused(folder.import("inside.bin", "41"), Code::kInvalidModel, "23 bytes");
  check_refused(folder.import("inside.bin", "65"), Code::kInvalidModel, "offset 65");
  check_refused(folder.import("inside.bin", "0", "23"), Code::kInvalidModel, "23 bytes");
  check_refused(folder.import("inside.bin", "-1"), Code::kInvalidModel, "not a number");
  check_refused(folder.import("inside.bin", "99999999999999999999"), Code::kInvalidModel, "not a number");
}

TEST_CASE("A model in memory has no external data") {
  ModelBuilder model = small_model();
  model.graph().mutable_initializer(0)->set_data_location(onnx::TensorProto::EXTERNAL);
  check_refused(model.import(), Code::kInvalidModel, "loaded from memory");
}

TEST_CASE("A model that is not a regular file is rejected") {
  const Folder folder;
  check_refused(compiler::import_onnx(folder / "none.onnx"), Code::kNotFound, "none.onnx");
  check_refused(compiler::import_onnx(folder / "model"), Code::kInvalidArgument, "regular file");
  REQUIRE(::mkfifo((folder / "model/fifo").c_str(), 0600) == 0);
  check_refused(compiler::import_onnx(folder / "model/fifo"), Code::kInvalidArgument, "regular file");
}

}  // namespace
}  // namespace nestrt::test
