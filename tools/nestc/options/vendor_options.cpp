// SPDX-License-Identifier: Apache-2.0
#include "tools/nestc/options/vendor_options.h"

#include "compiler-lite/export/export_profile.h"
#include "compiler-lite/parts/cutting/automatic.h"
#include "compiler-lite/parts/cutting/capability.h"
#include "compiler-lite/parts/plan_file.h"
#include "tools/support/text/files.h"

namespace nestrt::compiler {
namespace {

// Returns the worthwhile parts according to the capability file, under the vendor's name.
Result<std::vector<PartSpec>> worthwhile_parts(const Capability& capability, const VendorOptions& options,
                                               const Graph& graph) {
  NESTRT_ASSIGN_OR_RETURN(AutomaticParts automatic, automatic_parts(graph, capability, options.form));
  for (PartSpec& part : automatic.parts) part.backend = options.unit;
  return std::move(automatic.parts);
}

}  // namespace

void VendorFlags::add_to(tools::Command command) {
  const tools::Option vendor =
      command
          .add_option(
              "--vendor", vendor_,
              "compile parts of the model for the plug-in's units NAME with a vendor's command, which may contain "
              "{input} (ONNX of the part), {output} or {outputs}, {calibration}, {manifest}, {report}, {folder} and "
              "{data} (docs/how-to/vendor-compilers.md)")
          .type_name("NAME=COMMAND")
          .not_empty();
  const tools::Option plan = command.add_option("--vendor-plan", plan_, "operators for NAME: PARTS.yaml; default: all")
                                 .type_name("FILE")
                                 .not_empty()
                                 .needs(vendor);
  command
      .add_option(
          "--vendor-capability", capability_,
          "operators and costs of the vendor's compiler, used instead of a plan: NAME gets the worthwhile parts")
      .type_name("FILE")
      .not_empty()
      .needs(vendor)
      .excludes(plan);
  command
      .add_flag("--vendor-optional", optional_,
                "also keep the programs of the CPU and other units for each branch: schedules choose by cost, and a "
                "branch that the vendor's command cannot compile uses them (docs/how-to/vendor-compilers.md)")
      .needs(vendor)
      .excludes(plan);
  const tools::Option data =
      command
          .add_option("--vendor-data", data_,
                      "value of {data}, and the samples for {calibration}: as for --calibrate, a folder of images, a "
                      "list, or FILE.npy with N inputs")
          .type_name("PATH")
          .not_empty()
          .needs(vendor);
  command.add_option("--vendor-data-limit", data_limit_, "use at most N samples for {calibration}, spread evenly")
      .positive()
      .needs(data);
  command
      .add_flag("--vendor-allow-cpu", allow_cpu_,
                "accept a part even if nothing in it runs on the NPU according to the compiler's {report}")
      .needs(vendor);
  command
      .add_option("--vendor-profile", profile_,
                  "form of the ONNX that the vendor's compiler accepts (docs/how-to/vendor-compilers.md)")
      .type_name("FILE")
      .not_empty()
      .needs(vendor);
  command.add_option("--vendor-opset", opset_, "ONNX opset for the vendor's compiler (default: 13, or the profile's)")
      .in_range(kOldestExportOpset, kNewestExportOpset)
      .needs(vendor);
  command.add_option("--vendor-timeout", time_limit_s_, "time limit in seconds of the vendor's command per part")
      .in_range(1, 86400)
      .show_default()
      .needs(vendor);
}

Result<VendorOptions> VendorFlags::options() const {
  NESTRT_ASSIGN_OR_RETURN(VendorOptions options, parse_vendor(vendor_));
  options.data = data_;
  (data_.ends_with(".npy") ? options.samples.npy : options.samples.images) = data_;
  options.samples.limit = data_limit_;
  if (vendor_.find("{calibration}") != std::string::npos && data_.empty())
    return Status(Code::kInvalidArgument, "the command contains {calibration}; add samples with --vendor-data");
  options.allow_cpu = allow_cpu_;
  options.time_limit = std::chrono::seconds(time_limit_s_);
  return options;
}

Status VendorFlags::add_to(CompileOptions& options, const VendorNotes& notes) const {
  if (!given()) return {};
  Result<VendorOptions> vendor = this->options();
  if (!vendor) return vendor.error().with_context("--vendor");
  vendor->on_report = notes.report;
  std::optional<Capability> capability;
  if (!capability_.empty()) {
    NESTRT_ASSIGN_OR_RETURN(capability, read_capability(capability_));
    vendor->cost = capability->cost;
    vendor->form = capability->form;
  }
  if (!profile_.empty()) NESTRT_RETURN_IF_ERROR(read_export_profile(profile_, vendor->form));
  if (opset_ > 0) vendor->form.opset = opset_;
  if (capability) {
    vendor->parts = [capability = *capability, vendor = *vendor](const Graph& graph) {
      return worthwhile_parts(capability, vendor, graph);
    };
  }
  if (!plan_.empty()) vendor->parts = [file = plan_](const Graph& graph) { return read_part_plan(file, graph); };
  if (optional_)
    options.backends.push_back(make_optional_vendor_backend(*vendor, capability, notes.failure));
  else
    options.offload = [vendor = *vendor](Graph& graph) { return offload_parts(graph, vendor); };
  return {};
}

Status VendorFlags::check_output(const std::string& output) const {
  for (const std::string& file : {plan_, capability_, profile_, data_})
    if (!file.empty()) NESTRT_RETURN_IF_ERROR(tools::check_not_input(output, file));
  return {};
}

}  // namespace nestrt::compiler
