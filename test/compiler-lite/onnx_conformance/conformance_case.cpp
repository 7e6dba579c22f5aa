// SPDX-License-Identifier: Apache-2.0
#include "test/compiler-lite/onnx_conformance/conformance_case.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <set>
#include <span>

#include "compiler-lite/compile.h"
#include "compiler-lite/export/export.h"
#include "compiler-lite/graph/interpreter.h"
#include "compiler-lite/import/onnx/onnx_model.h"
#include "compiler-lite/import/operator_table.h"
#include "nestrt/open_units.h"
#include "nestrt/plan.h"
#include "nestrt/session.h"
#include "test/support/process/allocation_fill.h"

namespace nestrt::test {
namespace {

using compiler::HostTensor;

std::filesystem::path user_cache_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0') return cache;
  const char* home = std::getenv("HOME");
  return std::filesystem::path(home == nullptr ? "" : home) / ".cache";
}

constexpr double kAbsolute = 1e-5;
constexpr double kRelative = 1e-5;
constexpr double kCoarse = 1e-3;
// Two steps of the type to which the expected values are rounded.
constexpr double kFloat16 = 0x1p-9;
constexpr double kBfloat16 = 0x1p-6;

bool close(float actual, float expected, double relative) {
  if (std::isnan(actual) || std::isnan(expected)) return std::isnan(actual) && std::isnan(expected);
  if (std::isinf(actual) || std::isinf(expected)) return actual == expected;
  return std::abs(double{actual} - double{expected}) <= kAbsolute + relative * std::abs(double{expected});
}

std::string describe(const HostTensor& tensor) {
  return std::string(name(tensor.type)) + " " + tensor.shape.to_string();
}

// Returns "" if the tensors agree.
std::string describe_difference(const HostTensor& actual, const HostTensor& expected, double relative) {
  if (actual.type != expected.type || !(actual.shape == expected.shape)) {
    return describe(actual) + " instead of " + describe(expected);
  }
  if (actual.type != DataType::kF32) return actual.elements == expected.elements ? "" : "integers differ";
  const auto* a = reinterpret_cast<const float*>(actual.elements.data());
  const auto* b = reinterpret_cast<const float*>(expected.elements.data());
  for (int64_t i = 0; i < actual.shape.num_elements(); ++i) {
    if (!close(a[i], b[i], relative)) {
      return "element " + std::to_string(i) + " is " + std::to_string(a[i]) + " instead of " + std::to_string(b[i]);
    }
  }
  return "";
}

Result<std::vector<HostTensor>> read_tensors(const std::filesystem::path& folder, const std::string& prefix) {
  std::vector<HostTensor> tensors;
  for (int i = 0;; ++i) {
    const auto path = folder / (prefix + "_" + std::to_string(i) + ".pb");
    if (!std::filesystem::exists(path)) return tensors;
    NESTRT_ASSIGN_OR_RETURN(HostTensor tensor, compiler::read_tensor_proto(path));
    tensors.push_back(std::move(tensor));
  }
}

class Case {
 public:
  explicit Case(const std::filesystem::path& folder) : folder_(folder) {
    result_.name = folder.parent_path().filename().string() + "/" + folder.filename().string();
  }

  CaseResult run() {
    const Status status = run_checked();
    result_.verdict = status.ok()                           ? Verdict::kPassed
                      : status.code() == Code::kUnsupported ? Verdict::kUnsupported
                                                            : Verdict::kFailed;
    result_.message = std::string(status.message());
    return result_;
  }

 private:
  Status run_checked() {
    NESTRT_ASSIGN_OR_RETURN(model_, compiler::read_onnx_model(folder_ / "model.onnx", {}));
    list_operators();
    for (const auto& input : model_.inputs) {
      if (!input.type) return other_types(Status(Code::kUnsupported, "inputs of type " + input.type_name));
    }
    for (int i = 0;; ++i) {
      const auto data = folder_ / ("test_data_set_" + std::to_string(i));
      if (!std::filesystem::exists(data)) return i > 0 ? ok_status() : Status(Code::kInternal, "no test data");
      NESTRT_RETURN_IF_ERROR(run_data(data));
    }
  }

  Status other_types(const Status& status) {
    result_.other_types = status.code() == Code::kUnsupported;
    return status;
  }

  void list_operators() {
    std::set<std::string> all;
    std::set<std::string> missing;
    for (const auto* nodes : {&model_.nodes, &model_.subgraph_nodes}) {
      for (const compiler::OnnxNode& node : *nodes) {
        const std::string shown = node.qualified_type();
        all.insert(shown);
        if (compiler::find_import_rule(shown, model_.opset) == nullptr) missing.insert(shown);
      }
    }
    result_.operators.assign(all.begin(), all.end());
    result_.missing.assign(missing.begin(), missing.end());
  }

  Status run_data(const std::filesystem::path& data) {
    const auto read = read_tensors(data, "input");
    const auto expected = read_tensors(data, "output");
    if (!read) return other_types(read.error());
    if (!expected) return other_types(expected.error());
    const std::vector<HostTensor>& inputs = *read;
    if (inputs.size() != model_.inputs.size()) return Status(Code::kInternal, "wrong number of inputs");
    NESTRT_ASSIGN_OR_RETURN(compiler::Graph graph, import_binding(inputs));
    std::vector<HostTensor> open;
    for (const auto& input : graph.inputs) open.push_back(inputs[index_of(graph.value(input.value).name)]);
    NESTRT_ASSIGN_OR_RETURN(const std::vector<HostTensor> nodes, compiler::interpret(graph, open));
    NESTRT_RETURN_IF_ERROR(compare(nodes, *expected).with_context("node by node"));
    for (const int64_t opset : {compiler::kOldestExportOpset, compiler::kNewestExportOpset})
      NESTRT_RETURN_IF_ERROR(run_exported(graph, opset, open, *expected).with_context("exported"));
    NESTRT_ASSIGN_OR_RETURN(const std::vector<HostTensor> actual, run_plan(open));
    return compare(actual, *expected).with_context("as a plan");
  }

  Status run_exported(const compiler::Graph& graph, int64_t opset, const std::vector<HostTensor>& inputs,
                      const std::vector<HostTensor>& expected) {
    const auto model = compiler::export_onnx(graph, {.opset = opset});
    if (!model) result_.not_exported = model.error().message();
    if (!model && model.error().code() == Code::kUnsupported) return {};
    NESTRT_RETURN_IF_ERROR(model.error());
    compiler::ImportOptions options;  // accepts inputs without elements
    for (const auto& input : graph.inputs)
      options.input_shapes[graph.value(input.value).name] = graph.value(input.value).shape;
    NESTRT_ASSIGN_OR_RETURN(const compiler::Graph again,
                            compiler::import_onnx(std::as_bytes(std::span(*model)), options));
    NESTRT_ASSIGN_OR_RETURN(const std::vector<HostTensor> outputs, compiler::interpret(again, inputs));
    result_.not_exported.clear();
    return compare(outputs, expected);
  }

  // Compiles the file and runs its plan in a session, as a user does. Memory is filled with f32 NaNs first, which must
  // not appear in the results.
  Result<std::vector<HostTensor>> run_plan(const std::vector<HostTensor>& inputs) const {
    const AllocationFill allocations(Stale::kNans);
    compiler::CompileOptions options;
    options.import = import_options_;
    NESTRT_ASSIGN_OR_RETURN(const compiler::PlanBytes bytes, compiler::compile(folder_ / "model.onnx", options));
    NESTRT_ASSIGN_OR_RETURN(const auto plan, Plan::from_memory(bytes.span(), Verification::kComplete));
    NESTRT_ASSIGN_OR_RETURN(UnitList units, open_units("cpu", {.num_threads = 2}));
    NESTRT_ASSIGN_OR_RETURN(const auto session, Session::create(plan, std::move(units)));
    std::vector<ConstTensorView> from;
    for (const HostTensor& input : inputs) from.push_back({input.type, input.shape, input.elements.data()});
    std::vector<HostTensor> outputs;
    for (const TensorInfo& info : plan->outputs()) {
      outputs.push_back({info.type, info.shape, compiler::Bytes(info.size_bytes())});
    }
    std::vector<TensorView> to;
    for (HostTensor& output : outputs) {
      fill(output.elements, Stale::kNans);
      to.push_back({output.type, output.shape, output.elements.data()});
    }
    NESTRT_RETURN_IF_ERROR(session->run(from, to));
    return outputs;
  }

  // Binds inputs one by one, starting with the last, until the model can be imported. If input data determines the size
  // of the output, binds all inputs, so that the output has the same size as in ONNX.
  Result<compiler::Graph> import_binding(const std::vector<HostTensor>& inputs) {
    compiler::ImportOptions& options = import_options_ = {};
    for (size_t i = 0; i < inputs.size(); ++i) options.input_shapes[model_.inputs[i].name] = inputs[i].shape;
    result_.bound.clear();
    const auto& all = result_.operators;
    const bool sized_by_data = std::find(all.begin(), all.end(), "NonMaxSuppression") != all.end();
    for (size_t i = 0; i < inputs.size() && sized_by_data; ++i) options.bindings[model_.inputs[i].name] = inputs[i];
    for (size_t left = sized_by_data ? 0 : inputs.size();; --left) {
      auto graph = compiler::import_onnx(folder_ / "model.onnx", options);
      if (graph || left == 0 || graph.error().code() != Code::kUnsupported) return graph;
      const std::string& name = model_.inputs[left - 1].name;
      options.bindings[name] = inputs[left - 1];
      result_.bound.push_back(name);
    }
  }

  size_t index_of(const std::string& name) const {
    const auto found = std::find_if(model_.inputs.begin(), model_.inputs.end(),
                                    [&](const compiler::OnnxValueInfo& input) { return input.name == name; });
    return static_cast<size_t>(found - model_.inputs.begin());
  }

  Status compare(const std::vector<HostTensor>& actual, const std::vector<HostTensor>& expected) const {
    const double relative = tolerance();
    if (actual.size() != expected.size()) return Status(Code::kInternal, "wrong number of outputs");
    for (size_t i = 0; i < actual.size(); ++i) {
      const std::string what = describe_difference(actual[i], expected[i], relative);
      if (!what.empty()) return Status(Code::kInternal, "output " + std::to_string(i) + ": " + what);
    }
    return ok_status();
  }

  double tolerance() const {
    if (model_.converted_types.count("bfloat16") != 0) return kBfloat16;
    if (model_.converted_types.count("float16") != 0) return kFloat16;
    return coarse_cases().count(result_.name) != 0 ? kCoarse : kRelative;
  }

  std::filesystem::path folder_;
  compiler::OnnxModel model_;
  compiler::ImportOptions import_options_;  // options for the current data set
  CaseResult result_;
};

}  // namespace

CaseSet find_conformance_cases() {
  CaseSet found;
  std::filesystem::path data = "/usr/share/libonnx-testdata/data";
  const std::filesystem::path newest = user_cache_folder() / "nestrt/onnx-cases";
  std::ifstream(newest / "version.txt") >> found.version;
  found.newest = !found.version.empty();
  if (found.newest)
    data = newest / found.version;
  else
    found.version = "1.12";
  for (const char* group : {"node", "pytorch-converted", "pytorch-operator", "simple"}) {
    std::error_code missing;
    for (const auto& entry : std::filesystem::directory_iterator(data / group, missing)) {
      if (std::filesystem::exists(entry.path() / "model.onnx")) found.cases.push_back(entry.path());
    }
  }
  std::sort(found.cases.begin(), found.cases.end());
  return found;
}

const std::map<std::string, std::string>& coarse_cases() {
  static const std::map<std::string, std::string> cases = [] {
    std::map<std::string, std::string> result;
    for (const char* window : {"blackmanwindow", "hammingwindow", "hannwindow"})
      for (const char* form : {"_expanded", "_symmetric_expanded"})
        result["node/test_" + std::string(window) + form] = "the expected values are 2e-5 off the exact ones";
    for (const char* rounded : {"averagepool_2d_ceil_last_window_starts_on_pad", "gridsample_bicubic"})
      result["node/test_" + std::string(rounded)] = "the expected values are rounded to four digits";
    return result;
  }();
  return cases;
}

CaseResult run_conformance_case(const std::filesystem::path& folder) { return Case(folder).run(); }

}  // namespace nestrt::test
