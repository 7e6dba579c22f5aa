// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/vendor/calibration.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "compiler-lite/calibrate/samples.h"
#include "compiler-lite/check/plan_trace.h"
#include "compiler-lite/compile.h"
#include "tools/support/report/tensor_files.h"
#include "tools/support/text/files.h"
#include "tools/support/text/zip_writer.h"

namespace nestrt::compiler {
namespace {

namespace fs = std::filesystem;
using tools::Array;

// Returns a copy of the graph with plain layouts whose outputs are `wanted`. In `wanted`, replaces each result of a
// Reorder by the Reorder's source.
Graph up_to(const Graph& graph, std::vector<ValueId>& wanted) {
  Graph prefix = graph.clone();
  for (const auto& node : graph.nodes()) {
    if (node->kind() != ops::Kind::kReorder) continue;
    const ValueId copy = node->outputs[0], source = prefix.producer(copy)->inputs[0];
    prefix.replace_uses(copy, source);
    std::ranges::replace(wanted, copy, source);
  }
  prefix.outputs = wanted;
  for (size_t id = 0; id < prefix.num_values(); ++id) prefix.value(static_cast<ValueId>(id)).layout = Layout::kPlain;
  prefix.tidy();
  return prefix;
}

// Computes values of a graph for one sample after another.
class BorderValues {
 public:
  static Result<BorderValues> create(const Graph& graph, std::vector<ValueId> values);
  // `inputs`: one array per graph input. Returns the values in order.
  Result<std::vector<Array>> of(const std::vector<Array>& inputs);

 private:
  // Source of a value: an input of the graph or an output of the plan.
  struct Source {
    std::optional<size_t> input;
    size_t output = 0;
  };

  std::vector<Source> sources_;
  std::optional<PlanBytes> bytes_;  // memory of the plan
  std::shared_ptr<const Plan> plan_;
  std::optional<PlanTrace> trace_;  // set if a value is not an input
};

Result<BorderValues> BorderValues::create(const Graph& graph, std::vector<ValueId> values) {
  BorderValues result;
  std::vector<ValueId> computed;
  for (const ValueId id : values) {
    const auto input = std::ranges::find(graph.inputs, id, &GraphInput::value);
    if (input != graph.inputs.end()) {
      result.sources_.push_back({static_cast<size_t>(input - graph.inputs.begin()), 0});
    } else {
      result.sources_.push_back({std::nullopt, computed.size()});
      computed.push_back(id);
    }
  }
  if (computed.empty()) return result;
  NESTRT_ASSIGN_OR_RETURN(result.bytes_, compile_graph(up_to(graph, computed)));
  NESTRT_ASSIGN_OR_RETURN(result.plan_, Plan::from_memory(result.bytes_->span()));
  NESTRT_ASSIGN_OR_RETURN(result.trace_, PlanTrace::create(result.plan_));
  return result;
}

Result<std::vector<Array>> BorderValues::of(const std::vector<Array>& inputs) {
  if (trace_) NESTRT_RETURN_IF_ERROR(trace_->run(inputs));
  std::vector<Array> values;
  for (const Source& source : sources_)
    values.push_back(source.input ? inputs[*source.input] : trace_->tensor(plan_->tables().outputs[source.output]));
  return values;
}

Result<CalibrationSamples> samples_for(const Graph& graph, const SampleOptions& options) {
  std::vector<TensorInfo> inputs;
  std::vector<const Preprocessing*> preprocessing;
  for (const GraphInput& input : graph.inputs) {
    const Value& value = graph.value(input.value);
    inputs.push_back({value.name, value.type, value.shape});
    preprocessing.push_back(input.preprocessing ? &*input.preprocessing : nullptr);
  }
  return CalibrationSamples::open(options, inputs, preprocessing);
}

// Returns the shape of all samples joined along the first axis.
Shape joined(const Shape& shape, size_t samples) {
  if (shape.rank() == 0) return Shape{static_cast<int64_t>(samples)};
  Shape result = shape;
  result[0] *= static_cast<int64_t>(samples);
  return result;
}

// The files of a calibration folder.
class CalibrationFolder {
 public:
  CalibrationFolder(std::string folder, const std::vector<Border>& inputs)
      : folder_(std::move(folder)), inputs_(inputs) {
    std::vector<TensorInfo> tensors;
    for (const Border& input : inputs) tensors.push_back({input.name, input.type, input.shape});
    names_ = tools::file_names(tensors, "");
  }

  Status make() const {
    for (const std::string& name : names_) NESTRT_RETURN_IF_ERROR(tools::make_folder((folder_ / name).string()));
    return {};
  }

  // Writes the files of one sample and adds its line to the list.
  Status add(const std::vector<Array>& values) {
    for (size_t i = 0; i < values.size(); ++i) {
      const std::string path = path_of(i, count_);
      NESTRT_RETURN_IF_ERROR(tools::write_npy(path, values[i].view()));
      list_ += path + (i + 1 == values.size() ? '\n' : '\t');
    }
    ++count_;
    return {};
  }

  // Writes the list and the archive.
  Status finish() const {
    NESTRT_RETURN_IF_ERROR(tools::write_text((folder_ / kSampleList).string(), list_));
    NESTRT_ASSIGN_OR_RETURN(tools::ZipWriter archive, tools::ZipWriter::create((folder_ / kSampleArchive).string()));
    for (size_t i = 0; i < inputs_.size(); ++i) {
      NESTRT_RETURN_IF_ERROR(archive.begin(inputs_[i].name + ".npy"));
      const std::string header = tools::npy_header(inputs_[i].type, joined(inputs_[i].shape, count_));
      NESTRT_RETURN_IF_ERROR(archive.append(std::as_bytes(std::span(header))));
      for (size_t sample = 0; sample < count_; ++sample) {
        NESTRT_ASSIGN_OR_RETURN(const Array array, tools::read_npy(path_of(i, sample)));
        NESTRT_RETURN_IF_ERROR(archive.append(array.bytes));
      }
    }
    return archive.finish();
  }

 private:
  std::string path_of(size_t input, size_t sample) const {
    return (folder_ / names_[input] / fmt::format("{:05}.npy", sample)).string();
  }

  const fs::path folder_;
  const std::vector<Border>& inputs_;
  std::vector<std::string> names_;  // names of the folders
  std::string list_;
  size_t count_ = 0;
};

}  // namespace

Result<size_t> write_calibration(const Graph& graph, const std::vector<ValueId>& values,
                                 const std::vector<Border>& inputs, const SampleOptions& options,
                                 const std::string& folder) {
  NESTRT_ASSIGN_OR_RETURN(const CalibrationSamples samples, samples_for(graph, options));
  NESTRT_ASSIGN_OR_RETURN(BorderValues border, BorderValues::create(graph, values));
  CalibrationFolder files(folder, inputs);
  NESTRT_RETURN_IF_ERROR(files.make());
  for (size_t i = 0; i < samples.size(); ++i) {
    NESTRT_ASSIGN_OR_RETURN(const std::vector<Array> sample, samples.read(i));
    const Result<std::vector<Array>> computed = border.of(sample);
    if (!computed) return computed.error().with_context(samples.name(i));
    NESTRT_RETURN_IF_ERROR(files.add(*computed));
  }
  NESTRT_RETURN_IF_ERROR(files.finish());
  return samples.size();
}

}  // namespace nestrt::compiler
