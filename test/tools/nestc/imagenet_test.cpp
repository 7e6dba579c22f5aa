// SPDX-License-Identifier: Apache-2.0
// Tests classifiers with pretrained weights on real images, from the ONNX file to the class, with nestc and nestrt.
#include <catch2/catch.hpp>

#include "test/support/plan/program.h"
#include "test/support/process/temporary_folder.h"
#include "test/support/shared_data.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

struct Network {
  const char* name;
  std::vector<std::string> preprocessing;
  const char* offset;  // added to the index of an output to get its class
};

const Network kNetworks[] = {
    {"squeezenet1.1", {"--mean", "123,117,104"}, "0"},
    {"bvlc_googlenet", {"--mean", "123,117,104"}, "0"},
    {"mobilenet_v2_1.0_224_qat_deq", {"--mean", "128", "--scale", "0.0078125"}, "-1"},
    {"mobilenet_v1_0.25_128_deq", {"--mean", "128", "--scale", "0.0078125", "--resize", "224"}, "-1"},
    {"resnet50_v1.5_q8w_deq", {"--mean", "123.68,116.78,103.94"}, "-1"},
};

struct Files {
  std::string model;
  std::string expected;
};

TEST_CASE(
    "Classes of ImageNet images are those of ONNX Runtime, and probabilities are within 1e-4 of its probabilities") {
  const auto images = shared_data("imagenet");
  if (!images) return;
  std::vector<Files> files;
  for (const Network& network : kNetworks) {
    const auto model = shared_data(std::string("models/") + network.name + ".onnx");
    const auto expected = shared_data(std::string("expected/") + network.name + ".tsv");
    if (!model || !expected) return;
    files.push_back({model->string(), expected->string()});
  }
  const TemporaryFolder folder;
  const std::string plan = folder.path() + "/network.nest";
  for (size_t i = 0; i < files.size(); ++i) {
    std::vector<std::string> compile = {"compile", files[i].model, "-o", plan};
    compile.insert(compile.end(), kNetworks[i].preprocessing.begin(), kNetworks[i].preprocessing.end());
    const ProgramResult compiled = run_program("nestc", compile);
    INFO(compiled.text);
    REQUIRE(compiled.exit_code == 0);
    const ProgramResult result =
        run_program("nestrt", {"eval", plan, "--images", images->string(), "--labels", images->string() + "/labels.txt",
                               "--offset", kNetworks[i].offset, "--reference", files[i].expected, "--require-agreement",
                               "1", "--tolerance", "1e-4", "--limit", std::to_string(by_level(1, 50, 500))});
    INFO(kNetworks[i].name << ": " << result.text);
    CHECK(result.exit_code == 0);
  }
}

}  // namespace
}  // namespace nestrt::test
