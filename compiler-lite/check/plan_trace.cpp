// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/check/plan_trace.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "nestrt/driver/plan_tables.h"
#include "nestrt/driver/unit.h"
#include "nestrt/open_units.h"
#include "runtime/core/channel_blocks.h"

namespace nestrt::compiler {
namespace {

// Returns the host's program, or null if the host cannot run the branch.
const plan::Program* host_program(const plan::Branch& branch) {
  const auto found = std::find_if(branch.programs.begin(), branch.programs.end(), [](const plan::Program& program) {
    return program.kind == plan::ProgramKind::kKernels;
  });
  return found == branch.programs.end() ? nullptr : &*found;
}

// Copies the elements of a blocked tensor to row-major order.
void unblock(const std::byte* from, std::byte* to, const Shape& shape, Layout layout, size_t element_bytes) {
  const StoredOrder order(shape, layout);
  const int64_t pixels = shape.product(2, shape.rank());
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    const int64_t plane = i / pixels, at = order.index(plane / shape[1], plane % shape[1], i % pixels);
    std::memcpy(to + static_cast<size_t>(i) * element_bytes, from + static_cast<size_t>(at) * element_bytes,
                element_bytes);
  }
}

// Returns the first `channels` lanes of each pixel of a block.
std::vector<float> valid_lanes(const float* block, int64_t lanes, int64_t channels, int64_t pixels) {
  std::vector<float> result;
  result.reserve(static_cast<size_t>(channels * pixels));
  for (int64_t pixel = 0; pixel < pixels; ++pixel)
    result.insert(result.end(), block + pixel * lanes, block + pixel * lanes + channels);
  return result;
}

}  // namespace

PlanTrace::PlanTrace(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}
PlanTrace::PlanTrace(PlanTrace&&) noexcept = default;
PlanTrace& PlanTrace::operator=(PlanTrace&&) noexcept = default;
PlanTrace::~PlanTrace() = default;

Result<PlanTrace> PlanTrace::create(std::shared_ptr<const Plan> plan, int threads) {
  PlanTrace trace(std::move(plan));
  NESTRT_ASSIGN_OR_RETURN(trace.units_, open_units("cpu", {.num_threads = threads}));
  NESTRT_RETURN_IF_ERROR(trace.allocate_buffers());
  NESTRT_RETURN_IF_ERROR(trace.prepare_branches(*trace.units_.front()));
  return trace;
}

Status PlanTrace::allocate_buffers() {
  for (uint32_t index = 0; index < plan_->tables().buffers.size(); ++index) {
    const plan::Buffer& buffer = plan_->tables().buffers[index];
    if (buffer.kind == plan::BufferKind::kConstant) {
      buffers_.push_back(const_cast<std::byte*>(plan_->constant(index).data()));  // units only read it
      continue;
    }
    NESTRT_ASSIGN_OR_RETURN(memory_.emplace_back(), AlignedMemory::allocate(buffer.size, "the values of a plan"));
    buffers_.push_back(memory_.back().data());
  }
  return {};
}

Status PlanTrace::prepare_branches(Unit& unit) {
  size_t scratch_bytes = 0;
  for (uint32_t index = 0; index < plan_->tables().branches.size(); ++index) {
    const plan::Program* const program = host_program(plan_->tables().branches[index]);
    if (program == nullptr) return Status(Code::kUnsupported, fmt::format("branch {} has no kernels to trace", index));
    NESTRT_ASSIGN_OR_RETURN(branches_.emplace_back(), unit.prepare({plan_, index, program}));
    scratch_bytes = std::max(scratch_bytes, branches_.back()->scratch_bytes());
  }
  NESTRT_ASSIGN_OR_RETURN(scratch_, AlignedMemory::allocate(scratch_bytes, "scratch"));
  return {};
}

Status PlanTrace::run(const std::vector<tools::Array>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const plan::Tensor& tensor = plan_->tables().tensors[plan_->tables().inputs[i].tensor];
    const TensorInfo& expected = plan_->inputs()[i];
    if (inputs[i].type != expected.type || !(inputs[i].shape == expected.shape)) {
      return Status(Code::kInvalidArgument,
                    fmt::format("input {}: expected {} {}, got {} {}", expected.name, name(expected.type),
                                expected.shape.to_string(), name(inputs[i].type), inputs[i].shape.to_string()));
    }
    std::memcpy(buffers_[tensor.buffer] + tensor.offset, inputs[i].bytes.data(), inputs[i].bytes.size());
  }
  for (const auto& branch : branches_) NESTRT_RETURN_IF_ERROR(run_branch(*branch));
  return {};
}

Status PlanTrace::run_branch(Executable& executable) {
  // If an observer is set, every operator computes its complete result (no row fusion).
  class : public RunObserver {
    void operator_done(uint32_t, Time, Time) override {}
  } observer;
  Submission submission;
  submission.observer = &observer;
  submission.bindings = {buffers_, scratch_.data()};
  return nestrt::run(executable, submission);
}

tools::Array PlanTrace::tensor(uint32_t index) const {
  const plan::Tensor& tensor = plan_->tables().tensors[index];
  tools::Array array;
  array.type = tensor.type;
  array.shape = tensor.shape;
  const std::byte* stored = buffers_[tensor.buffer] + tensor.offset;
  array.bytes.resize(static_cast<size_t>(array.shape.num_elements()) * size_bytes(array.type));
  const Layout layout = tensor.layout;
  if (layout == Layout::kPlain) {
    std::copy_n(stored, array.bytes.size(), array.bytes.data());
  } else {
    unblock(stored, array.bytes.data(), array.shape, layout, size_bytes(array.type));
  }
  return array;
}

void PlanTrace::add_channels(uint32_t index, std::span<ChannelStatistics> channels) const {
  const plan::Tensor& tensor = plan_->tables().tensors[index];
  const Shape& shape = tensor.shape;
  const auto* elements = reinterpret_cast<const float*>(buffers_[tensor.buffer] + tensor.offset);
  const Layout layout = tensor.layout;
  const int64_t lanes = layout == Layout::kPlain ? 1 : block_size(layout), pixels = shape.product(2, shape.rank());
  for (int64_t batch = 0; batch < shape[0]; ++batch) {
    for (int64_t channel = 0; channel < shape[1]; channel += lanes, elements += lanes * pixels) {
      const int64_t valid = std::min(lanes, shape[1] - channel);
      for (int64_t pixel = 0; pixel < pixels; ++pixel)
        for (int64_t lane = 0; lane < valid; ++lane) {
          ChannelStatistics& statistics = channels[static_cast<size_t>(channel + lane)];
          const float element = elements[pixel * lanes + lane];
          statistics.sum += double{element};
          statistics.peak = std::max(statistics.peak, std::abs(element));
        }
    }
  }
}

Status PlanTrace::visit(uint32_t index, FunctionRef<Status(std::span<const float>)> visit) const {
  const plan::Tensor& tensor = plan_->tables().tensors[index];
  const Shape& shape = tensor.shape;
  const auto* elements = reinterpret_cast<const float*>(buffers_[tensor.buffer] + tensor.offset);
  const Layout layout = tensor.layout;
  if (layout == Layout::kPlain) return visit({elements, static_cast<size_t>(shape.num_elements())});
  const int64_t lanes = block_size(layout), pixels = shape.product(2, shape.rank());
  for (int64_t batch = 0; batch < shape[0]; ++batch) {
    for (int64_t channel = 0; channel < shape[1]; channel += lanes, elements += lanes * pixels) {
      if (channel + lanes <= shape[1]) {
        NESTRT_RETURN_IF_ERROR(visit({elements, static_cast<size_t>(lanes * pixels)}));
      } else {
        NESTRT_RETURN_IF_ERROR(visit(valid_lanes(elements, lanes, shape[1] - channel, pixels)));
      }
    }
  }
  return {};
}

}  // namespace nestrt::compiler
