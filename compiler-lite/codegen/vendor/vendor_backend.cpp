// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/codegen/vendor/vendor_backend.h"

#include <utility>

#include "compiler-lite/codegen/vendor/blob_program.h"

namespace nestrt::compiler {
namespace {

class VendorBackend final : public Backend {
 public:
  VendorBackend(std::string unit, VendorPrograms programs) : unit_(std::move(unit)), programs_(std::move(programs)) {}

  std::string unit() const override { return unit_; }
  // The blob contains its own configuration, which the plug-in reads.
  std::string program_configuration() const override { return {}; }

  std::vector<LayoutOption> layouts(const Graph& /*graph*/, const Node& node) override {
    if (!takes(node)) return {};
    return {{std::vector<Layout>(node.inputs.size(), Layout::kPlain), Layout::kPlain}};
  }

  Status accepts(const Graph& /*graph*/, Subgraph nodes) override {
    if (nodes.size() == 1 && takes(*nodes[0])) return {};
    return Status(Code::kUnsupported, "it is not in a part for unit '" + unit_ + "'");
  }

  Result<Offer> lower(Graph& graph, Subgraph nodes) override {
    const Node& node = *nodes[0];
    Offer offer;
    offer.program = programs_.at(node.as<ops::Opaque>()->part);
    set_ports(graph, node.inputs, node.outputs, *offer.program);
    return offer;
  }

 private:
  bool takes(const Node& node) const {
    const auto* const opaque = node.as<ops::Opaque>();
    return opaque != nullptr && programs_.contains(opaque->part);
  }

  const std::string unit_;
  const VendorPrograms programs_;
};

}  // namespace

std::shared_ptr<Backend> make_vendor_backend(std::string unit, VendorPrograms programs) {
  return std::make_shared<VendorBackend>(std::move(unit), std::move(programs));
}

}  // namespace nestrt::compiler
