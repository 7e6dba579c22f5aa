#include "tools/nestc/vendor_options.h"

#include "compiler-lite/parts/automatic.h"
#include "compiler-lite/parts/capability.h"
#include "compiler-lite/parts/plan_file.h"
#include "tools/common/files.h"

namespace nestrt::compiler {
namespace {

// The parts that are worth it, by the capability file, under the vendor's name.
Result<std::vector<PartSpec>> worthwhile_parts(const std::string& file, const VendorOptions& options,
                                               const Graph& graph) {
  NESTRT_ASSIGN_OR_RETURN(const Capability capability, read_capability(file));
  NESTRT_ASSIGN_OR_RETURN(AutomaticParts automatic, automatic_parts(graph, capability, options.opset));
  for (PartSpec& part : automatic.parts) part.backend = options.unit;
  return std::move(automatic.parts);
}

}  // namespace

void VendorFlags::add_to(tools::Command command) {
  const tools::Option vendor =
      command
          .add_option("--vendor", vendor_,
                      "have parts of the model compiled by a vendor's command for his plug-in's units NAME: words with "
                      "{input}, the part's ONNX, {output}, {folder}, {data} (docs/vendors.md)")
          .type_name("NAME=COMMAND")
          .not_empty();
  const tools::Option plan =
      command.add_option("--vendor-plan", plan_, "which operators are NAME's: PARTS.yaml; without it all of them")
          .type_name("FILE")
          .not_empty()
          .needs(vendor);
  command
      .add_option(
          "--vendor-capability", capability_,
          "instead of a plan, what the vendor's compiler takes and costs: the parts that are worth it are NAME's")
      .type_name("FILE")
      .not_empty()
      .needs(vendor)
      .excludes(plan);
  command.add_option("--vendor-data", data_, "what {data} stands for, such as a folder of pictures")
      .type_name("PATH")
      .not_empty()
      .needs(vendor);
  command.add_option("--vendor-timeout", time_limit_s_, "seconds that the vendor's command may take for a part")
      .in_range(1, 86400)
      .show_default()
      .needs(vendor);
}

Result<std::optional<VendorOptions>> VendorFlags::options() const {
  if (vendor_.empty()) return std::optional<VendorOptions>();
  Result<VendorOptions> parsed = parse_vendor(vendor_);
  if (!parsed) return parsed.error().with_context("--vendor");
  VendorOptions options = std::move(*parsed);
  options.data = data_;
  options.time_limit = std::chrono::seconds(time_limit_s_);
  if (!plan_.empty()) options.parts = [file = plan_](const Graph& graph) { return read_part_plan(file, graph); };
  if (!capability_.empty())
    options.parts = [file = capability_, options](const Graph& graph) {
      return worthwhile_parts(file, options, graph);
    };
  return std::optional(std::move(options));
}

Status VendorFlags::check_output(const std::string& output) const {
  for (const std::string& file : {plan_, capability_, data_})
    if (!file.empty()) NESTRT_RETURN_IF_ERROR(tools::check_not_input(output, file));
  return {};
}

}  // namespace nestrt::compiler
