// SPDX-License-Identifier: Apache-2.0
// Tests nestc on the command line: hostile files, invalid options, and the files that it writes.
#include <onnx/onnx_pb.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "nestrt/plan.h"
#include "test/compiler-lite/import/model_builder.h"
#include "test/support/plan/program.h"
#include "test/support/process/temporary_folder.h"
#include "tools/support/text/files.h"
#include "tools/support/text/npy.h"

namespace nestrt::test {
namespace {

namespace fs = std::filesystem;

ModelBuilder small_model() {
  ModelBuilder model;
  model.input("x", {1, 2, 4, 4}).output("y").constant("w", {3, 2, 1, 1}, std::vector<float>(6, 1));
  model.node("Conv", {"x", "w"}, {"y"}, "first conv");
  return model;
}

// A folder for a model and an empty one for output.
class NestcWorkshop {
 public:
  NestcWorkshop() { fs::create_directory(folder_.path() + "/out"); }
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  std::string write(const std::string& name, const std::string& bytes) const {
    return folder_.write(name, std::as_bytes(std::span(bytes)));
  }
  ProgramResult compile(const std::string& model, std::vector<std::string> options = {}) const {
    options.insert(options.begin(), {"compile", model, "-o", path("out/model.nest")});
    return run_program("nestc", options);
  }
  bool wrote_nothing() const { return fs::is_empty(path("out")); }
  // Checks both commands that read a model.
  void check_refused(const std::string& model, const std::string& part,
                     const std::vector<std::string>& options = {}) const {
    check_bad_input(compile(model, options), part);
    std::vector<std::string> inspect = {"inspect", model, "--json", path("out/model.json")};
    inspect.insert(inspect.end(), options.begin(), options.end());
    check_bad_input(run_program("nestc", inspect), part);
  }
  void check_refused(const ModelBuilder& model, const std::string& part) const {
    check_refused(write("model.onnx", model.bytes()), part);
  }
  void check_bad_input(const ProgramResult& result, const std::string& part) const {
    INFO(result.text);
    CHECK(result.exit_code == 2);
    CHECK(result.text.starts_with("nestc: "));
    CHECK(result.text.find(part) != std::string::npos);
    CHECK(wrote_nothing());
  }

 private:
  TemporaryFolder folder_;
};

TEST_CASE("nestc rejects a file that is not a model and names it") {
  const NestcWorkshop workshop;
  workshop.check_refused(workshop.write("empty.onnx", ""), "empty.onnx");
  workshop.check_refused(workshop.write("text.onnx", "not a model\n"), "not an ONNX model");
  workshop.check_refused(NESTRT_SOURCE_DIR "/examples/images/cat.png", "not an ONNX model");
  workshop.check_refused(workshop.path("absent.onnx"), "absent.onnx");
  workshop.check_refused(workshop.path("out"), "not a regular file");
  REQUIRE(::mkfifo(workshop.path("pipe").c_str(), 0600) == 0);
  workshop.check_refused(workshop.path("pipe"), "not a regular file");
  REQUIRE(::mkfifo(workshop.path("pipe.nest").c_str(), 0600) == 0);
  workshop.check_bad_input(run_program("nestc", {"check", workshop.path("pipe"), workshop.path("pipe.nest")}),
                           "not a regular file");
}

TEST_CASE("nestc compiles a truncated model completely or not at all") {
  const NestcWorkshop workshop;
  const std::string bytes = small_model().bytes();
  for (size_t length = 0; length < bytes.size(); length += 7) {
    const ProgramResult result = workshop.compile(workshop.write("cut.onnx", bytes.substr(0, length)));
    INFO(length << " bytes: " << result.text);
    CHECK((result.exit_code == 0 || result.exit_code == 2));
    CHECK(workshop.wrote_nothing() == (result.exit_code != 0));
    fs::remove(workshop.path("out/model.nest"));
  }
}

TEST_CASE("nestc names the node or tensor of a hostile model") {
  const NestcWorkshop workshop;
  ModelBuilder cyclic = small_model();
  cyclic.node("Add", {"x", "b"}, {"a"}, "chicken");
  cyclic.node("Relu", {"a"}, {"b"}, "egg");
  workshop.check_refused(cyclic, "chicken");

  ModelBuilder missing = small_model();
  missing.graph().mutable_node(0)->set_input(1, "nowhere");
  workshop.check_refused(missing, "'nowhere'");

  ModelBuilder negative = small_model();
  negative.graph().mutable_initializer(0)->set_dims(0, -3);
  workshop.check_refused(negative, "'w'");

  ModelBuilder overflowing = small_model();
  overflowing.graph().mutable_initializer(0)->set_dims(0, int64_t{1} << 62);
  workshop.check_refused(overflowing, "'w'");

  ModelBuilder strides = small_model();
  set_attribute(*strides.graph().mutable_node(0), "strides", std::vector<int64_t>{0, 0});
  workshop.check_refused(strides, "first conv");
}

TEST_CASE("nestc --expose makes an inner value an output and reports unknown names") {
  const NestcWorkshop workshop;
  ModelBuilder model = small_model();
  model.node("Relu", {"y"}, {"z"});
  model.graph().clear_output();
  model.output("z");
  const std::string file = workshop.write("model.onnx", model.bytes());
  REQUIRE(workshop.compile(file, {"--expose", "y"}).exit_code == 0);
  const auto plan = Plan::map(workshop.path("out/model.nest"));
  REQUIRE(plan);
  REQUIRE((*plan)->outputs().size() == 2);
  CHECK((*plan)->outputs()[0].name == "z");
  CHECK((*plan)->outputs()[1].name == "y");
  fs::remove(workshop.path("out/model.nest"));
  workshop.check_refused(file, "'nothing'", {"--expose", "nothing"});
  model.node("Identity", {"z"}, {"copy"});
  const std::string copied = workshop.write("copied.onnx", model.bytes());
  workshop.check_refused(copied, "no operator computes 'copy'", {"--expose", "copy"});
  workshop.check_refused(copied, "available values: y z", {"--expose", "copy"});
}

TEST_CASE("nestc reads no data outside the model's folder") {
  const NestcWorkshop workshop;
  fs::create_directory(workshop.path("model"));
  workshop.write("secret.bin", std::string(24, '\0'));
  fs::create_symlink("../secret.bin", workshop.path("model/link.bin"));
  for (const std::string location : {"../secret.bin", "link.bin", "/etc/passwd"}) {
    ModelBuilder model = small_model();
    onnx::TensorProto& tensor = *model.graph().mutable_initializer(0);
    tensor.clear_float_data();
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
    auto& entry = *tensor.add_external_data();
    entry.set_key("location");
    entry.set_value(location);
    workshop.check_refused(workshop.write("model/model.onnx", model.bytes()), "'w'");
  }
}

TEST_CASE("nestc rejects a million nodes and deep nesting without exceeding its memory limit") {
  const NestcWorkshop workshop;
  ModelBuilder many = small_model();
  for (int i = 0; i < 1'000'000; ++i) many.graph().add_node()->set_op_type("Relu");
  workshop.check_refused(many, "nodes");

  onnx::GraphProto nested;
  for (int depth = 0; depth < 200; ++depth) {
    onnx::GraphProto outer;
    onnx::AttributeProto& attribute = *outer.add_node()->add_attribute();
    outer.mutable_node(0)->set_op_type("If");
    attribute.set_type(onnx::AttributeProto::GRAPH);
    attribute.mutable_g()->Swap(&nested);
    nested.Swap(&outer);
  }
  ModelBuilder deep;
  deep.graph().Swap(&nested);
  workshop.check_refused(deep, "nested");
}

TEST_CASE("nestc reports what is wrong with an invalid option") {
  const NestcWorkshop workshop;
  const std::string model = workshop.write("model.onnx", small_model().bytes());
  workshop.check_refused(model, "see nestc", {"--nonsense"});
  workshop.check_refused(model, "--input-shape", {"--input-shape", "x"});
  workshop.check_refused(model, "positive dimensions", {"--input-shape", "x=1,-2"});
  workshop.check_refused(model, "'z'", {"--input-shape", "z=1"});
  workshop.check_refused(model, "--bind: expected NAME=VALUE", {"--bind", "x"});
  workshop.check_refused(model, "absent.npy", {"--bind", "x=absent.npy"});
  workshop.check_refused(model, "unknown board, CPU or unit 'toaster'", {"--target", "toaster"});
  workshop.check_refused(model, "available:", {"--no-pass", "nonsense"});
  workshop.check_refused(model, "given twice", {"--input-shape", "x=1,2,4,4", "--input-shape", "x=1,2,4,4"});
  workshop.check_bad_input(run_program("nestc", {"compile", model, "-o", ""}), "the name is empty");
  workshop.check_bad_input(run_program("nestc", {"inspect", model, "--json", ""}), "the name is empty");
  workshop.check_bad_input(run_program("nestc", {"check", model, "x.nest", "--tolerance", "nan"}), "--tolerance");
  workshop.check_bad_input(run_program("nestc", {"check", model, "x.nest", "--seed", "-1"}), "--seed");
  workshop.check_bad_input(run_program("nestc", {"compile"}), "nestc compile model.onnx");
  workshop.check_bad_input(run_program("nestc", {"compile", model, "-o", workshop.path("absent/model.nest")}),
                           "absent");
}

TEST_CASE("Commands for one shape reject several shapes") {
  const NestcWorkshop workshop;
  const std::string model = workshop.write("model.onnx", small_model().bytes());
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"export", model, "-o", workshop.path("out/other.onnx")},
        {"partition", model, "--output-dir", workshop.path("out/parts")}}) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--input-shape", "x=1,2,4,4", "--input-shape", "x=2,2,4,4"});
    workshop.check_bad_input(run_program("nestc", arguments), "accepts only one shape");
  }
}

TEST_CASE("nestc does not overwrite the model with a plan") {
  const NestcWorkshop workshop;
  const std::string bytes = small_model().bytes();
  const std::string model = workshop.write("model.onnx", bytes);
  fs::create_symlink("model.onnx", workshop.path("link.onnx"));
  for (const std::string& output : {model, workshop.path("./model.onnx"), workshop.path("link.onnx")}) {
    workshop.check_bad_input(run_program("nestc", {"compile", model, "-o", output}), "name another file");
  }
  workshop.check_bad_input(run_program("nestc", {"inspect", model, "--json", model}), "name another file");
  CHECK(tools::read_file(model)->size() == bytes.size());
}

TEST_CASE("nestc does not overwrite the external data of a model") {
  const NestcWorkshop workshop;
  ModelBuilder builder = small_model();
  onnx::TensorProto& tensor = *builder.graph().mutable_initializer(0);
  tensor.clear_float_data();
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  auto& entry = *tensor.add_external_data();
  entry.set_key("location");
  entry.set_value("weights.bin");
  const std::string model = workshop.write("model.onnx", builder.bytes());
  const std::string weights = workshop.write("weights.bin", std::string(24, '\0'));
  for (const std::vector<std::string>& command : {std::vector<std::string>{"compile", model, "-o", weights},
                                                  {"inspect", model, "--json", weights},
                                                  {"export", model, "-o", workshop.path("./weights.bin")},
                                                  {"explain", model, "--html", weights}})
    workshop.check_bad_input(run_program("nestc", command), "would overwrite the input");
  CHECK(fs::file_size(weights) == 24);
  CHECK(workshop.compile(model).exit_code == 0);
}

TEST_CASE("nestc does not overwrite an array that it reads") {
  const NestcWorkshop workshop;
  const std::string model = workshop.write("model.onnx", small_model().bytes());
  const std::vector<float> elements(32);
  const std::string array = workshop.path("x.npy");
  REQUIRE(tools::write_npy(array, {DataType::kF32, {1, 2, 4, 4}, elements.data()}).ok());
  const auto size = fs::file_size(array);
  workshop.check_bad_input(run_program("nestc", {"compile", model, "--bind", "x=" + array, "-o", array}),
                           "name another file");
  workshop.check_bad_input(run_program("nestc", {"inspect", model, "--bind", "x=" + array, "--json", array}),
                           "name another file");
  CHECK(fs::file_size(array) == size);
}

TEST_CASE("nestc inspect reports an unwritable file and options without effect before it prints") {
  const NestcWorkshop workshop;
  const std::string model = workshop.write("model.onnx", small_model().bytes());
  workshop.check_bad_input(run_program("nestc", {"inspect", model, "--json", workshop.path("absent/x.json")}),
                           "absent/x.json");
  const std::string plan = workshop.path("model.nest");
  REQUIRE(run_program("nestc", {"compile", model, "-o", plan}).exit_code == 0);
  workshop.check_bad_input(run_program("nestc", {"inspect", plan, "--mean", "1"}), "--mean");
}

TEST_CASE("nestc inspects scalars") {
  const NestcWorkshop workshop;
  ModelBuilder model;
  model.input("x", {2, 3}).output("y");
  set_attribute(model.node("ReduceSum", {"x"}, {"sum"}), "keepdims", int64_t{0});
  model.node("Relu", {"sum"}, {"y"});
  REQUIRE(workshop.compile(workshop.write("model.onnx", model.bytes())).exit_code == 0);
  const ProgramResult result = run_program("nestc", {"inspect", workshop.path("out/model.nest")});
  INFO(result.text);
  CHECK(result.exit_code == 0);
  CHECK(result.text.find("scalar") != std::string::npos);
}

TEST_CASE("nestc checks the preprocessing options") {
  const NestcWorkshop workshop;
  ModelBuilder image;
  image.input("x", {1, 3, 32, 48}).output("y").node("Relu", {"x"}, {"y"});
  const std::string model = workshop.write("image.onnx", image.bytes());
  workshop.check_refused(model, "--mean: expected finite numbers", {"--mean", "nan"});
  workshop.check_refused(model, "--scale: expected finite numbers other than 0", {"--scale", "1,0,1"});
  workshop.check_refused(model, "--scale: expected finite numbers", {"--scale", "inf"});
  workshop.check_refused(model, "expected at least 32, the crop", {"--resize", "31"});
  workshop.check_refused(model, "--resize 100000", {"--resize", "100000"});
  workshop.check_refused(model, "--resize", {"--resize", "-1"});
  CHECK(workshop.compile(model, {"--mean", "1,2,3", "--scale", "-0.5", "--resize", "32"}).exit_code == 0);
}

TEST_CASE("nestc escapes and shortens names in messages") {
  const NestcWorkshop workshop;
  ModelBuilder colourful = small_model();
  colourful.graph().mutable_node(0)->set_name("a\nnestc: everything is fine\x1b[2J\u202e");
  colourful.graph().mutable_node(0)->set_op_type("Bogus\a");
  const ProgramResult result = workshop.compile(workshop.write("model.onnx", colourful.bytes()));
  CHECK(result.exit_code == 2);
  CHECK(std::count(result.text.begin(), result.text.end(), '\n') == 1);
  for (const char* part : {"\x1b", "\a", "\u202e"}) CHECK(result.text.find(part) == std::string::npos);
  CHECK(result.text.find("a\\nnestc") != std::string::npos);

  ModelBuilder endless = small_model();
  endless.graph().mutable_node(0)->set_name(std::string(10'000'000, 'n'));
  endless.graph().mutable_node(0)->set_op_type("Bogus");
  CHECK(workshop.compile(workshop.write("long.onnx", endless.bytes())).text.size() < 1000);
}

TEST_CASE("nestc compiles a model whose shapes depend on a bound input") {
  const NestcWorkshop workshop;
  ModelBuilder model;
  model.input("x", {2, 6}).input("shape", {2}, onnx::TensorProto::INT64).output("y");
  model.node("Reshape", {"x", "shape"}, {"y"});
  const std::string path = workshop.write("model.onnx", model.bytes());
  workshop.check_refused(path, "shape");

  const std::vector<int64_t> shape = {3, 4};
  REQUIRE(tools::write_npy(workshop.path("shape.npy"), {DataType::kS64, {2}, shape.data()}).ok());
  const ProgramResult result = workshop.compile(path, {"--bind", "shape=" + workshop.path("shape.npy")});
  INFO(result.text);
  REQUIRE(result.exit_code == 0);
  const auto plan = Plan::map(workshop.path("out/model.nest"));
  REQUIRE(plan);
  REQUIRE((*plan)->inputs().size() == 1);
  CHECK((*plan)->outputs()[0].shape == Shape{3, 4});
}

TEST_CASE("nestc inspect shows operators and sizes, and writes them as JSON") {
  const NestcWorkshop workshop;
  const std::string model = workshop.write("model.onnx", small_model().bytes());
  REQUIRE(workshop.compile(model).exit_code == 0);
  for (const std::string& file : {model, workshop.path("out/model.nest")}) {
    const ProgramResult result = run_program("nestc", {"inspect", file, "--json", workshop.path("out/model.json")});
    INFO(result.text);
    REQUIRE(result.exit_code == 0);
    for (const char* part : {"first conv", "1x2x4x4", "1x3x4x4", "MMAC", "arena"}) {
      CHECK(result.text.find(part) != std::string::npos);
    }
    const auto bytes = *tools::read_file(workshop.path("out/model.json"));
    const auto* text = reinterpret_cast<const char*>(bytes.data());
    const auto json = nlohmann::json::parse(text, text + bytes.size());
    CHECK(json["inputs"][0]["name"] == "x");
    CHECK(json["outputs"][0]["shape"] == std::vector<int64_t>{1, 3, 4, 4});
    uint64_t macs = 0;
    for (const auto& op : json["operators"]) macs += op["macs"].get<uint64_t>();
    CHECK(macs == 3 * 2 * 16);
  }
}

TEST_CASE("nestc inspect names the operators that run on reference kernels") {
  const NestcWorkshop workshop;
  ModelBuilder model;
  model.input("x", {2, 3}).output("y");
  model.node("Relu", {"x"}, {"positive"});
  model.node("Sinh", {"positive"}, {"y"});
  const std::string path = workshop.write("model.onnx", model.bytes());
  const ProgramResult result = run_program("nestc", {"inspect", path, "--reference"});
  INFO(result.text);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.text, Catch::Contains("1 of 2 operators run on reference kernels: Sinh"));
  CHECK_THAT(result.text, Catch::Contains("unary.reference"));
  CHECK_THAT(result.text, !Catch::Contains("unary.f32.simd"));
}

TEST_CASE("The help of nestc has examples, and progress is hidden without a terminal") {
  const ProgramResult help = run_program("nestc", {"compile", "--help"});
  CHECK(help.exit_code == 0);
  for (const char* part : {"Examples:", "--bind", "--input-shape", "--target"}) {
    CHECK(help.text.find(part) != std::string::npos);
  }
  const NestcWorkshop workshop;
  const ProgramResult result = workshop.compile(workshop.write("model.onnx", small_model().bytes()));
  CHECK(result.exit_code == 0);
  CHECK(result.text.find('\r') == std::string::npos);
}

}  // namespace
}  // namespace nestrt::test
