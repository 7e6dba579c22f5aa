// SPDX-License-Identifier: Apache-2.0
// Tests that networks, as exported by their authors, produce the same results after optimisation, layouts and packing.
#include <string>

#include "compiler-lite/import/import.h"
#include "compiler-lite/passes/optimise.h"
#include "compiler-lite/placement/assign_layouts.h"
#include "test/compiler-lite/graph_tools.h"
#include "test/support/shared_data.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

using compiler::Graph;

struct Network {
  const char* file;
  size_t nodes;  // maximum after all passes: convolutions and operators that cannot be fused into them
  int reorders;  // maximum
};

// Small networks come first, because sanitizer builds run only these.
constexpr Network kNetworks[] = {
    {"ad01_autoencoder.onnx", 10, 0},
    {"dscnn_kws.onnx", 13, 0},
    {"mnist_cntk.onnx", 6, 1},
    {"mobilenetv1_025_vww.onnx", 31, 0},
    {"resnet8_cifar10.onnx", 13, 0},
    {"resnet20.onnx", 24, 0},
    {"mobilenet_v1_0.25_128_deq.onnx", 31, 1},
    {"squeezenet1.1.onnx", 40, 0},
    {"yunet_n_320_320.onnx", 85, 12},
    {"ultraface-version-RFB-320_simplified.onnx", 72, 8},
    {"mobilenet_v2_1.0_224_qat_deq.onnx", 56, 1},
    {"bvlc_googlenet.onnx", 85, 0},
    {"resnet50_v1.5_q8w_deq.onnx", 57, 0},
};

TEST_CASE("Real networks produce the same results after all passes, layouts and packing") {
  const size_t networks =
      static_cast<size_t>(by_level(6, static_cast<int>(std::size(kNetworks)), static_cast<int>(std::size(kNetworks))));
  std::vector<std::filesystem::path> files;
  for (size_t i = 0; i < networks; ++i) {
    const auto file = shared_data(std::string("models/") + kNetworks[i].file);
    if (!file) return;
    files.push_back(*file);
  }
  for (size_t i = 0; i < networks; ++i) {
    const Network& network = kNetworks[i];
    const auto imported = compiler::import_onnx(files[i]);
    INFO(network.file << " " << imported.error().to_string());
    REQUIRE(imported.has_value());

    Graph graph = imported->clone();
    REQUIRE(compiler::optimise(graph).ok());
    CHECK(graph.nodes().size() <= network.nodes);
    REQUIRE(choose_layout(graph).ok());
    CHECK(count(graph, ops::Kind::kReorder) <= network.reorders);
    std::mt19937 generator(1);
    CHECK(difference(graph, *imported, generator) < 5e-5);
  }
}

}  // namespace
}  // namespace nestrt::test
