// SPDX-License-Identifier: Apache-2.0
// Provider: runs parts of the model of one ONNX Runtime session with nestrt.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "nestrt/open_units.h"
#include "nestrt/plan.h"
#include "nestrt/result.h"
#include "tools/onnxruntime/abi.h"
#include "tools/onnxruntime/graph_view.h"
#include "tools/onnxruntime/node_groups.h"
#include "tools/onnxruntime/part.h"
#include "tools/onnxruntime/part_compiler.h"
#include "tools/onnxruntime/provider_options.h"

namespace nestrt::ort {

class Provider {
 public:
  // Errors: those of read_options() and open_units().
  static Result<std::unique_ptr<Provider>> create(const Api& api, const Options* session, const Logger* logger);

  // Compiles the largest groups of nodes that nestc supports and claims them from ONNX Runtime. Subgraphs of nodes stay
  // with ONNX Runtime. Errors: kInternal with a message of ONNX Runtime.
  Status claim(const Graph* graph, Support* support);
  // Creates the session of a claimed group. The caller owns the part. Errors: those of Part::create().
  Result<std::unique_ptr<Part>> part_of(const GraphNode* fused_node);

  ProviderTable* table() { return &table_; }
  static Provider* of(ProviderTable* table) { return static_cast<Holder*>(table)->provider; }
  const Api& api() const { return api_; }

 private:
  // ONNX Runtime accesses only the base class.
  struct Holder : ProviderTable {
    Provider* provider = nullptr;
  };

  Provider(const Api& api, const Logger* logger, ProviderOptions options, UnitList units);
  // Claims groups of the nodes for which `wanted` is true.
  Status claim_groups(const GraphView& graph, const Predecessors& predecessors, const std::vector<bool>& wanted,
                      Support* support);
  Status claim_group(const GraphView& graph, std::span<const size_t> group, Support* support);
  // Divides a group that nestc rejected. Returns sets of nodes that may still be claimed in smaller groups.
  std::vector<std::vector<bool>> smaller(const GraphView& graph, std::span<const size_t> group) const;
  void log(int level, const std::string& text) const;

  const Api& api_;
  const Logger* logger_;
  ProviderOptions options_;
  UnitList units_;
  PartCompiler compiler_;
  std::map<std::string, std::shared_ptr<const Plan>> plans_;  // by the name of an output
  size_t num_claimed_ = 0, num_groups_ = 0;                   // in the current graph
  Holder table_;
};

}  // namespace nestrt::ort
