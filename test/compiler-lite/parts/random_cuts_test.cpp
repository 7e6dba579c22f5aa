// SPDX-License-Identifier: Apache-2.0
// Tests properties that the parts of every cut must have, with random cuts of real networks.
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <memory>
#include <span>

#include "compiler-lite/export/check_model.h"
#include "compiler-lite/graph/same_graph.h"
#include "compiler-lite/import/import.h"
#include "compiler-lite/parts/check_parts.h"
#include "compiler-lite/parts/export_parts.h"
#include "compiler-lite/parts/join.h"
#include "test/compiler-lite/check/existing_python.h"
#include "test/compiler-lite/parts/random_cuts.h"
#include "test/support/example_files.h"
#include "test/support/process/temporary_folder.h"
#include "test/support/shared_data.h"
#include "test/support/test_level.h"

namespace nestrt::compiler {
namespace {

struct Network {
  std::string name;
  bool is_large = false;  // whether only long tests use it
  std::map<std::string, Shape> input_shapes = {};
};

const std::vector<Network> kNetworks = {{"ad01_autoencoder"},
                                        {"bvlc_googlenet", true},
                                        {"ch_PP-OCRv4_det_infer", true, {{"x", {1, 3, 160, 160}}}},
                                        {"dscnn_kws"},
                                        {"mnist_cntk"},
                                        {"mobilenet_v1_0.25_128_deq"},
                                        {"mobilenet_v2_1.0_224_qat_deq", true},
                                        {"mobilenetv1_025_vww"},
                                        {"nest_squeeze_cifar10"},
                                        {"resnet20"},
                                        {"resnet32"},
                                        {"resnet50_v1.5_q8w_deq", true},
                                        {"resnet8_cifar10"},
                                        {"squeezenet1.1"},
                                        {"ultraface-version-RFB-320_simplified"},
                                        {"yunet_n_320_320"}};

// Returns the networks in the shared data or, if these are missing, the network in the examples.
std::vector<std::pair<Network, std::filesystem::path>> networks() {
  std::vector<std::pair<Network, std::filesystem::path>> found;
  for (const Network& network : kNetworks) {
    if (network.is_large && test::test_level() != test::TestLevel::kNightly) continue;
    if (const auto path = test::shared_data("models/" + network.name + ".onnx")) found.emplace_back(network, *path);
  }
  if (found.empty()) found.emplace_back(Network{"nest_squeeze_cifar10"}, nestrt::test::kDemoModel);
  return found;
}

struct ExportedCut {
  Manifest manifest;
  std::unique_ptr<test::TemporaryFolder> folder;  // folder with its files

  ModelChain chain() const {
    ModelChain files;
    for (const ManifestPart& part : manifest.parts) files.push_back(folder->path() + "/" + part.file);
    return files;
  }
};

ExportedCut export_cut(const Graph& graph, std::mt19937& generator) {
  const auto cut_ = cut(graph, test::random_parts(graph, generator));
  INFO(cut_.error().to_string());
  REQUIRE(cut_);
  ExportedCut result{{}, std::make_unique<test::TemporaryFolder>()};
  const auto manifest = export_parts(graph, *cut_, {}, [&](const std::string& file, std::string_view bytes) {
    result.folder->write(file, std::as_bytes(std::span(bytes)));
    return check_onnx_model(std::as_bytes(std::span(bytes)));
  });
  INFO(manifest.error().to_string());
  REQUIRE(manifest);
  result.manifest = *manifest;
  result.folder->write_text(std::string(kManifestFile), manifest->to_json().value());
  return result;
}

// Joins the parts from their files and manifest, and requires that the result equals the model.
void require_whole(const ExportedCut& exported, const Graph& graph) {
  const auto joined = join_parts(exported.folder->path() + "/" + std::string(kManifestFile));
  INFO(joined.error().to_string());
  REQUIRE(joined);
  const auto again = import_onnx(std::as_bytes(std::span(*joined)));
  INFO(again.error().to_string());
  REQUIRE(again);
  const Status same = same_graph(*again, graph);
  INFO(same.to_string());
  REQUIRE(same.ok());
}

Graph import_network(const Network& network, const std::filesystem::path& path) {
  ImportOptions options;
  options.input_shapes = network.input_shapes;
  auto graph = import_onnx(path.string(), options);
  INFO(graph.error().to_string());
  REQUIRE(graph);
  return std::move(*graph);
}

// Runs the model first, then the cuts.
void require_same_results(const std::string& python, const std::string& model, const std::vector<ExportedCut>& cuts) {
  const Manifest& manifest = cuts.front().manifest;
  ModelChainsRequest request{python, {{model}}, {{}}, {}};
  for (const ExportedCut& exported : cuts) request.chains.push_back(exported.chain());
  const auto inputs = random_inputs(inputs_of(manifest), nullptr, 1);
  for (size_t i = 0; i < inputs.size(); ++i) request.runs[0][manifest.inputs[i].name] = inputs[i];
  for (const Border& output : manifest.outputs) request.results.push_back(output.name);
  const auto results = run_onnx_runtime(request);
  INFO(results.error().to_string());
  REQUIRE(results);
  REQUIRE(results->size() == cuts.size() + 1);
  for (size_t i = 1; i < results->size(); ++i) {
    for (const Border& output : manifest.outputs) {
      const auto difference =
          compare((*results)[i][0].at(output.name).view(), results->front()[0].at(output.name).view());
      REQUIRE(difference);
      INFO("cut " << i << ", output " << output.name << ": " << difference->max_absolute << " of "
                  << difference->largest);
      CHECK(parts_match(*difference, 1e-5));
    }
  }
}

}  // namespace

TEST_CASE("Parts of random partitions are valid ONNX and join to the whole model") {
  const int cuts = test::by_level(1, 5, 200);
  for (const auto& [network, path] : networks()) {
    INFO(network.name);
    const Graph graph = import_network(network, path);
    std::mt19937 generator(1);
    for (int i = 0; i < cuts; ++i) {
      INFO("cut " << i);
      require_whole(export_cut(graph, generator), graph);
    }
  }
}

TEST_CASE("Parts of random partitions, run in sequence, match the model in ONNX Runtime") {
  const std::string python = test::existing_python();
  if (python.empty()) return;
  constexpr int kBatch = 20;  // number of cuts whose files exist at the same time
  const int cuts = test::by_level(1, 2, 200);
  for (const auto& [network, path] : networks()) {
    INFO(network.name);
    const Graph graph = import_network(network, path);
    std::mt19937 generator(1);
    for (int done = 0; done < cuts; done += kBatch) {
      std::vector<ExportedCut> batch;
      for (int i = done; i < std::min(cuts, done + kBatch); ++i) batch.push_back(export_cut(graph, generator));
      require_same_results(python, path.string(), batch);
    }
  }
}

}  // namespace nestrt::compiler
