#include "compiler-lite/codegen/vendor/vendor_backend.h"

#include <utility>

namespace nestrt::compiler {
namespace {

class VendorBackend final : public Backend {
 public:
  VendorBackend(std::string unit, VendorBlobs blobs) : unit_(std::move(unit)), blobs_(std::move(blobs)) {}

  std::string unit() const override { return unit_; }
  // The blob says what it is for, and the plug-in reads it.
  std::string program_configuration() const override { return {}; }

  std::vector<LayoutOption> layouts(const Graph& /*graph*/, const Node& node) override {
    if (!takes(node)) return {};
    return {{std::vector<Layout>(node.inputs.size(), Layout::kPlain), Layout::kPlain}};
  }

  Status accepts(const Graph& /*graph*/, Subgraph nodes) override {
    if (nodes.size() == 1 && takes(*nodes[0])) return {};
    return Status(Code::kUnsupported, "it is in no part for unit '" + unit_ + "'");
  }

  // Ports are ranges one after the other, those that are read first (drivers/vendor/program.h).
  Result<Offer> lower(Graph& graph, Subgraph nodes) override {
    const Node& node = *nodes[0];
    Offer offer;
    UnitProgram& program = offer.program.emplace(plan::ProgramKind::kBlob);
    program.segments = {blobs_.at(node.as<ops::Opaque>()->part)};
    uint64_t address = 0;
    const auto add = [&](const std::vector<ValueId>& values, plan::RangeAccess access) {
      for (const ValueId id : values) {
        const Value& value = graph.value(id);
        const auto size = static_cast<uint64_t>(storage_bytes(value.type, value.shape, value.layout));
        program.ranges.push_back({address, size, access, id, 0, Layout::kPlain});
        address += size;
      }
    };
    add(node.inputs, plan::RangeAccess::kRead);
    add(node.outputs, plan::RangeAccess::kWrite);
    return offer;
  }

 private:
  bool takes(const Node& node) const {
    const auto* const opaque = node.as<ops::Opaque>();
    return opaque != nullptr && blobs_.contains(opaque->part);
  }

  const std::string unit_;
  const VendorBlobs blobs_;
};

}  // namespace

std::shared_ptr<Backend> make_vendor_backend(std::string unit, VendorBlobs blobs) {
  return std::make_shared<VendorBackend>(std::move(unit), std::move(blobs));
}

}  // namespace nestrt::compiler
