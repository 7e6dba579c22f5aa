// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/vendor/optional_backend.h"

#include <fmt/core.h>

#include <utility>

#include "compiler-lite/codegen/vendor/blob_program.h"
#include "compiler-lite/export/onnx_forms.h"
#include "compiler-lite/parts/cutting/model_operators.h"
#include "compiler-lite/parts/cutting/supported.h"
#include "compiler-lite/vendor/branch_model.h"
#include "compiler-lite/vendor/calibration.h"
#include "compiler-lite/vendor/vendor_command.h"

namespace nestrt::compiler {
namespace {

RegionSize size_of(const Graph& body) {
  RegionSize size{model_operators(body).size(), macs_of(body, body.nodes()), 0};
  for (const GraphInput& input : body.inputs) size.border_bytes += plain_bytes(body.value(input.value));
  for (const ValueId id : body.outputs) size.border_bytes += plain_bytes(body.value(id));
  return size;
}

class OptionalVendorBackend final : public Backend {
 public:
  OptionalVendorBackend(VendorOptions options, std::optional<Capability> capability, VendorFailure failure)
      : options_(std::move(options)), capability_(std::move(capability)), failure_(std::move(failure)) {}

  std::string unit() const override { return options_.unit; }
  // The blob contains its own configuration, which the plug-in reads.
  std::string program_configuration() const override { return {}; }
  bool follows_others() const override { return true; }
  std::vector<LayoutOption> layouts(const Graph& /*graph*/, const Node& /*node*/) override { return {}; }

  Status accepts(const Graph& graph, Subgraph nodes) override {
    NESTRT_ASSIGN_OR_RETURN(const BranchModel model, branch_model(graph, nodes));
    NESTRT_RETURN_IF_ERROR(check_vendor_ports(model.inputs.size(), model.outputs.size()));
    NESTRT_ASSIGN_OR_RETURN(const auto forms, onnx_forms(model.body, options_.form));
    if (!capability_) return {};
    for (size_t node = 0; node < forms.size(); ++node)
      if (std::string why = refusal(model.body, *model.body.nodes()[node], forms[node], *capability_); !why.empty())
        return Status(Code::kUnsupported, std::move(why));
    std::string why = too_small(*capability_, size_of(model.body));
    return why.empty() ? Status() : Status(Code::kUnsupported, std::move(why));
  }

  Result<Offer> lower(Graph& graph, Subgraph nodes) override {
    NESTRT_ASSIGN_OR_RETURN(const BranchModel model, branch_model(graph, nodes));
    if (!lost_.ok()) return Offer{std::nullopt, std::string(lost_.message())};
    Result<UnitProgram> program = compiled(graph, model, nodes.front()->name);
    if (!program) return without(*nodes.front(), program.error());
    Offer offer;
    offer.program = std::move(*program);
    set_ports(graph, model.inputs, model.outputs, *offer.program);
    return offer;
  }

 private:
  // Returns an offer without a program. If the command is missing or takes too long, it is not run again, because there
  // may be many branches.
  Offer without(const Node& first, const Status& why) {
    if (failure_) failure_(first.name, why);
    if (why.code() == Code::kNotFound || why.code() == Code::kDeadlineExceeded) lost_ = why;
    return Offer{std::nullopt, std::string(why.message())};
  }

  Result<UnitProgram> compiled(const Graph& graph, const BranchModel& model, const std::string& name) const {
    const Graph& body = model.body;
    ValueNames names(body);
    VendorPart part;
    part.name = name;
    NESTRT_ASSIGN_OR_RETURN(part.model, export_onnx(body, whole_graph(body), names, options_.form));
    std::vector<ValueId> inputs;
    for (const GraphInput& input : body.inputs) inputs.push_back(input.value);
    part.inputs = borders_of(body, names, inputs);
    part.outputs = borders_of(body, names, body.outputs);
    part.calibrate = [&](const std::string& folder) {
      return write_calibration(graph, model.inputs, part.inputs, options_.samples, folder);
    };
    NESTRT_ASSIGN_OR_RETURN(VendorOutput output, run_vendor_command(options_, part));
    return program_of(std::move(output), part, capability_ ? capability_->cost : std::nullopt, size_of(body));
  }

  const VendorOptions options_;
  const std::optional<Capability> capability_;
  const VendorFailure failure_;
  Status lost_;
};

}  // namespace

std::shared_ptr<Backend> make_optional_vendor_backend(VendorOptions options, std::optional<Capability> capability,
                                                      VendorFailure failure) {
  return std::make_shared<OptionalVendorBackend>(std::move(options), std::move(capability), std::move(failure));
}

}  // namespace nestrt::compiler
