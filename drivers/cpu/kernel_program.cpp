// SPDX-License-Identifier: Apache-2.0
#include "drivers/cpu/kernel_program.h"

#include <fmt/core.h>

#include <algorithm>

#include "kernels/common/simd/simd.h"
#include "kernels/registry.h"
#include "runtime/kernel/packing.h"
#include "runtime/plan/queries/kernel_selection.h"
#include "runtime/plan/queries/operator_key.h"
#include "runtime/plan/queries/tensor_spec.h"
#include "runtime/plan/queries/views.h"
#include "runtime/plan/verify/verify.h"
#include "runtime/platform/aligned_memory.h"

namespace nestrt::drivers {
namespace {

constexpr std::string_view kViewName = "view";
constexpr size_t kWeights = 1;   // the input that a kernel selection may replace
constexpr size_t kResidual = 3;  // input of operators that compute by rows
constexpr size_t kMaxOperatorsOfChains = 10'000;

std::string describe(const OperatorSpec& spec) {
  std::string operands;
  for (const TensorSpec& input : spec.inputs) {
    if (!operands.empty()) operands += ", ";
    operands += input.present ? fmt::format("{} {} {}{}{}", name(input.type), input.shape.to_string(),
                                            name(input.layout), input.packing == Packing::kNone ? "" : " ",
                                            input.packing == Packing::kNone ? "" : name(input.packing))
                              : "absent";
  }
  return operands;
}

// Returns the selection for this machine's instruction set.
const plan::KernelSelection* selection_here(const plan::Program& program) {
  return selection_for(program, name(kernels::current_instruction_set()));
}

// Returns whether the operator computes with integers. docs/concepts/numerics.md defines every bit of the results.
bool computes_with_integers(const plan::Tables& tables, uint32_t operator_index) {
  const plan::Operator& op = tables.operators[operator_index];
  if (op.inputs.empty() || op.inputs[0] < 0) return false;
  const plan::Tensor& input = tables.tensors[static_cast<size_t>(op.inputs[0])];
  return input.type == DataType::kS8 && input.quantization.has_value();
}

Status check_channels(const BranchSpec& spec) {
  if (spec.channels.all()) return {};
  const plan::Tables& tables = spec.plan->tables();
  const plan::Branch& branch = tables.branches[spec.branch];
  const uint32_t all = divisible_channels(tables, branch);
  if (all > 0 && is_part(all, divisible_rows(tables, branch), spec.channels)) return {};
  return Status(
      Code::kInvalidArgument,
      fmt::format("branch {} cannot be divided into channels {}{}", spec.branch, to_string(spec.channels),
                  all == 0 ? ": it is not divisible" : fmt::format(": it has {} channels in blocks of 16", all)));
}

}  // namespace

// Returns the kernel and weights that the plan selects for an operator. `number`: see BranchSpec::kernels.
KernelProgram::Selected KernelProgram::selected_for(const plan::KernelSelection* selection,
                                                    std::span<const std::string> names, uint32_t op, uint32_t number) {
  if (selection == nullptr) return {};
  if (number > 0 && number <= selection->alternatives.size()) {
    const plan::KernelAlternative& other = selection->alternatives[number - 1];
    if (other.op == op) return {names[other.kernel], other.weights};
  }
  return {names[selection->kernels[op]], selection->weights.empty() ? -1 : selection->weights[op]};
}

Result<std::unique_ptr<KernelProgram>> KernelProgram::prepare(const BranchSpec& branch,
                                                              std::shared_ptr<scheduler::SharedRunner> pool,
                                                              SharedKernels& kernels) {
  std::unique_ptr<KernelProgram> program(new KernelProgram(branch.plan, std::move(pool)));
  const plan::KernelSelection* const selection = selection_here(*branch.program);
  const auto& names = branch.plan->tables().kernel_names;
  const auto& operators = branch.plan->tables().branches[branch.branch].operators;
  NESTRT_RETURN_IF_ERROR(check_channels(branch));
  for (uint32_t i = 0; i < operators.size(); ++i) {
    const Selected selected = selected_for(selection, names, i, i < branch.kernels.size() ? branch.kernels[i] : 0);
    const Status status = branch.channels.all() ? program->add(operators[i], selected, nullptr, kernels)
                                                : program->add_parts(branch.branch, selected, branch.channels, kernels);
    if (status.ok()) continue;
    const plan::Operator& op = branch.plan->tables().operators[operators[i]];
    return as_plan_error(status).with_context(
        fmt::format("operator {} '{}' ({})", operators[i], op.name, ops::name(op.kind())));
  }
  if (branch.channels.all()) program->chain_steps();
  return program;
}

// Returns the kernels that the plan names and this machine supports; empty if the compiler's choice is not available
// here. Reference kernels are not worth measuring.
std::vector<KernelOption> KernelProgram::options(const BranchSpec& branch,
                                                 std::shared_ptr<scheduler::SharedRunner> pool) {
  const plan::Tables& tables = branch.plan->tables();
  const plan::KernelSelection* const selection = selection_here(*branch.program);
  if (selection == nullptr) return {};
  KernelProgram program(branch.plan, std::move(pool));
  std::vector<KernelOption> result;
  for (uint32_t number = 1; number <= selection->alternatives.size(); ++number) {
    const uint32_t op = selection->alternatives[number - 1].op, index = tables.branches[branch.branch].operators[op];
    const auto find = [&](uint32_t kernel) {
      return program.variant_of(index, selected_for(selection, tables.kernel_names, op, kernel));
    };
    const KernelVariant *const first = find(0), *const other = find(number);
    const std::string& name = tables.kernel_names[selection->alternatives[number - 1].kernel];
    if (first == nullptr || other == nullptr || other->name != name || other->preference == 0) continue;
    if (std::ranges::any_of(result, [&](const KernelOption& known) { return known.op == op && known.name == name; }))
      continue;
    if (first == other) continue;
    if (result.empty() || result.back().op != op) result.push_back({op, 0, first->name, true});
    result.push_back({op, number, other->name, computes_with_integers(tables, index)});
  }
  return result;
}

// Returns null for views and if no kernel accepts the operator.
const KernelVariant* KernelProgram::variant_of(uint32_t operator_index, const Selected& selected) {
  const plan::Operator& op = plan_->tables().operators[operator_index];
  if (is_view(plan_->tables(), op)) return nullptr;
  resolve_operands(op, selected, nullptr);
  const std::vector<TensorSpec>& tensors = specs_.back();
  OperatorSpec spec;
  spec.attributes = &op.attributes;
  spec.inputs = std::span(tensors).first(op.inputs.size());
  spec.outputs = std::span(tensors).subspan(op.inputs.size());
  return kernels::operators().select(spec, kernels::current_instruction_set(), selected.kernel);
}

Status KernelProgram::add_parts(uint32_t branch, const Selected& selected, ChannelRange channels,
                                SharedKernels& kernels) {
  const plan::Branch& entry = plan_->tables().branches[branch];
  const uint32_t all = divisible_channels(plan_->tables(), entry), rows = divisible_rows(plan_->tables(), entry);
  for (const ChannelRows& part : rectangles_of(all, rows, channels))
    NESTRT_RETURN_IF_ERROR(add(entry.operators[0], selected, &part, kernels));
  return {};
}

// Resolves the operands of an operator. Returns the slice, or null if `part` is null.
const ChannelSlice* KernelProgram::resolve_operands(const plan::Operator& op, const Selected& selected,
                                                    const ChannelRows* part) {
  std::vector<TensorSpec>& tensors = specs_.emplace_back();
  const size_t first = operands_.size();
  for (const auto* operands : {&op.inputs, &op.outputs}) {
    for (int32_t tensor : *operands) {
      tensors.push_back(spec_of(tensor));
      operands_.push_back(operand_of(tensor));
    }
  }
  if (selected.weights >= 0) {
    tensors[kWeights] = spec_of(selected.weights);
    operands_[first + kWeights] = operand_of(selected.weights);
  }
  if (part == nullptr) return nullptr;
  slices_.push_back(std::make_unique<const ChannelSlice>(op, tensors, *part));
  const ChannelSlice& slice = *slices_.back();
  for (size_t i = 0; i < tensors.size(); ++i) operands_[first + i].offset += slice.offsets()[i];
  return &slice;
}

// Adds a step for an operator. `part`: null for the whole operator.
Status KernelProgram::add(uint32_t operator_index, const Selected& selected, const ChannelRows* part,
                          SharedKernels& kernels) {
  const plan::Operator& op = plan_->tables().operators[operator_index];
  const auto &inputs = op.inputs, &outputs = op.outputs;
  const ChannelSlice* const slice = resolve_operands(op, selected, part);
  std::vector<TensorSpec>& tensors = specs_.back();
  OperatorSpec spec;
  spec.attributes = slice != nullptr ? &slice->attributes() : &op.attributes;
  spec.inputs = std::span(tensors).first(inputs.size());
  spec.outputs = std::span(tensors).subspan(inputs.size());
  if (slice != nullptr) spec.rows = slice->rows();

  Step step;
  step.operator_index = operator_index;
  step.num_inputs = inputs.size();
  step.num_outputs = outputs.size();
  step.first_operand = operands_.size() - inputs.size() - outputs.size();
  inputs_.resize(std::max<size_t>(inputs_.size(), inputs.size()));
  outputs_.resize(std::max<size_t>(outputs_.size(), outputs.size()));
  NESTRT_RETURN_IF_ERROR(prepare_kernel(spec, selected, slice != nullptr, kernels, &step));
  steps_.push_back(std::move(step));
  return {};
}

Status KernelProgram::prepare_kernel(const OperatorSpec& spec, const Selected& selected, bool is_part,
                                     SharedKernels& kernels, Step* step) {
  // The plan's operators are already verified (runtime/plan/verify/verify.h). A slice is a new operator.
  if (is_part) NESTRT_RETURN_IF_ERROR(verify_operator(spec));
  const plan::Operator& op = plan_->tables().operators[step->operator_index];
  if (is_view(plan_->tables(), op)) {
    step->kernel_name = kViewName;
    return {};
  }
  const KernelVariant* const variant =
      kernels::operators().select(spec, kernels::current_instruction_set(), selected.kernel);
  if (variant == nullptr)
    return Status(Code::kUnsupported, fmt::format("no kernel supports inputs {}", describe(spec)));
  SharedKernels* const shared = !is_part && reads_constants(plan_->tables(), op) ? &kernels : nullptr;
  NESTRT_ASSIGN_OR_RETURN(const bool is_new, set_kernel(*variant, spec, selected.weights, shared, step));
  step->kernel_name = variant->name;
  if (is_new && step->kernel->repacked()) {
    for (const TensorSpec& input : spec.inputs)
      if (input.constant != nullptr && input.shape.rank() > 1)
        repacked_bytes_ += static_cast<size_t>(input.storage_bytes());
  }
  return reserve_scratch(step);
}

Result<bool> KernelProgram::set_kernel(const KernelVariant& variant, const OperatorSpec& spec, int32_t weights,
                                       SharedKernels* kernels, Step* step) {
  if (kernels == nullptr) {
    NESTRT_ASSIGN_OR_RETURN(step->kernel, variant.prepare(spec));
    return true;
  }
  const plan::Operator& op = plan_->tables().operators[step->operator_index];
  NESTRT_ASSIGN_OR_RETURN(auto found, kernels->find_or_prepare({plan_, op, weights, specs_.back(), variant}));
  step->kernel = std::move(found.kernel);
  return found.is_new;
}

Status KernelProgram::reserve_scratch(Step* step) {
  const ScratchSize size = step->kernel->scratch(pool_->num_threads());
  NESTRT_RETURN_IF_ERROR(reserve_scratch(*step, size));
  step->shared_scratch = align_up(size.shared, 64);
  return {};
}

Status KernelProgram::reserve_scratch(const Step& step, ScratchSize size) {
  constexpr size_t kLimit = size_t{1} << 48;
  size_t total = 0;
  if (size.shared > kLimit || size.per_thread > kLimit ||
      __builtin_mul_overflow(align_up(size.per_thread, 64), static_cast<size_t>(pool_->num_threads()), &total) ||
      __builtin_add_overflow(total, align_up(size.shared, 64), &total))
    return Status(
        Code::kOutOfMemory,
        fmt::format("its kernel {} needs more scratch memory than the address space allows", step.kernel_name));
  scratch_bytes_ = std::max(scratch_bytes_, total);
  return {};
}

void KernelProgram::chain_steps() {
  // Searching all operators for the readers of a result would take too long.
  if (plan_->tables().operators.size() > kMaxOperatorsOfChains) return;
  for (size_t first = 0; first + 1 < steps_.size(); first += steps_[first].chained) {
    std::vector<const RowKernel*> kernels;
    for (size_t i = first; i < steps_.size(); ++i) {
      const RowKernel* const by_rows = steps_[i].kernel != nullptr ? steps_[i].kernel->by_rows() : nullptr;
      if (by_rows == nullptr) break;
      kernels.push_back(by_rows);
      if (!feeds_next(i)) break;
    }
    const size_t count = kernels::RowFusion::count_fusible(kernels, pool_->num_threads());
    if (count == 0) continue;
    kernels.erase(kernels.begin() + static_cast<std::ptrdiff_t>(count), kernels.end());
    auto chain = std::make_unique<const kernels::RowFusion>(std::move(kernels), pool_->num_threads());
    if (!reserve_scratch(steps_[first], {0, chain->scratch_per_thread()}).ok()) continue;
    steps_[first].chain = std::move(chain);
    steps_[first].chained = count;
  }
}

// Returns whether the step has no residual input and only the next step reads its result, as its first input.
bool KernelProgram::feeds_next(size_t index) const {
  if (index + 1 >= steps_.size()) return false;
  const plan::Tables& tables = plan_->tables();
  const plan::Operator& op = tables.operators[steps_[index].operator_index];
  const plan::Operator& next = tables.operators[steps_[index + 1].operator_index];
  if (op.outputs.size() != 1 || next.inputs.empty() || next.inputs[0] != op.outputs[0]) return false;
  if (op.inputs.size() > kResidual && op.inputs[kResidual] >= 0) return false;
  const int32_t result = op.outputs[0];
  if (std::ranges::count(tables.outputs, static_cast<uint32_t>(result)) > 0) return false;
  int64_t readers = 0;
  for (const plan::Operator& other : tables.operators) readers += std::ranges::count(other.inputs, result);
  return readers == 1;
}

TensorSpec KernelProgram::spec_of(int32_t index) const {
  TensorSpec spec = tensor_spec(plan_->tables(), index);
  if (!spec.present) return spec;
  const plan::Tensor& tensor = plan_->tables().tensors[static_cast<uint32_t>(index)];
  if (plan_->tables().buffers[tensor.buffer].kind == plan::BufferKind::kConstant)
    spec.constant = plan_->constant(tensor.buffer).data() + tensor.offset;
  return spec;
}

KernelProgram::Operand KernelProgram::operand_of(int32_t index) const {
  if (index < 0) return {};
  const plan::Tensor& tensor = plan_->tables().tensors[static_cast<uint32_t>(index)];
  return {tensor.buffer, tensor.offset};
}

void KernelProgram::submit(const Submission& submission) {
  submission.completion->signal(submission.generation, run(submission));
}

Status KernelProgram::run(const Submission& submission) {
  RunObserver* const observer = submission.observer;
  SteadyClock::time_point start;  // start of an operator, which may have one step per slice
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    const uint32_t op = step.operator_index;
    NESTRT_RETURN_IF_ERROR(check_may_go_on(step, submission));
    if (observer == nullptr && run_chain(i, submission)) {
      i += step.chained - 1;
      continue;
    }
    if (observer != nullptr && (i == 0 || steps_[i - 1].operator_index != op)) start = SteadyClock::now();
    run_step(step, submission);
    const bool is_last = i + 1 == steps_.size() || steps_[i + 1].operator_index != op;
    if (observer != nullptr && is_last) observer->operator_done(op, start, SteadyClock::now());
  }
  return {};
}

Status KernelProgram::check_may_go_on(const Step& step, const Submission& submission) const {
  const bool cancelled = submission.cancelled != nullptr && submission.cancelled->load(std::memory_order_relaxed);
  const bool late = submission.deadline != kNoDeadline && SteadyClock::now() >= submission.deadline;
  if (!cancelled && !late) return {};
  const plan::Operator& op = plan_->tables().operators[step.operator_index];
  return Status(cancelled ? Code::kCancelled : Code::kDeadlineExceeded,
                fmt::format("{} before operator {} '{}'", cancelled ? "cancelled" : "the deadline passed",
                            step.operator_index, op.name));
}

void KernelProgram::run_step(const Step& step, const Submission& submission) {
  if (step.kernel == nullptr) return;
  const Operand* const operands = operands_.data() + step.first_operand;
  for (uint32_t i = 0; i < step.num_inputs; ++i) inputs_[i] = address(operands[i], submission);
  for (uint32_t i = 0; i < step.num_outputs; ++i) outputs_[i] = address(operands[step.num_inputs + i], submission);
  scheduler::PoolShareRunner runner(*pool_, submission.cores != nullptr ? *submission.cores : CoreShare());
  KernelCall call;
  call.inputs = std::span(inputs_).first(step.num_inputs);
  call.outputs = std::span(outputs_).first(step.num_outputs);
  call.shared_scratch = submission.bindings.scratch;
  call.thread_scratch = submission.bindings.scratch + step.shared_scratch;
  call.parallel = &runner;
  step.kernel->run(call);
}

// Runs the chain that starts at step `first`. Returns false if no chain can run here.
bool KernelProgram::run_chain(size_t first, const Submission& submission) {
  const Step& step = steps_[first];
  if (step.chain == nullptr) return false;
  const Step& last = steps_[first + step.chained - 1];
  const auto operand = [&](const Step& of, size_t index) {
    return address(operands_[of.first_operand + index], submission);
  };
  scheduler::PoolShareRunner runner(*pool_, submission.cores != nullptr ? *submission.cores : CoreShare());
  kernels::RowFusion::Call call;
  call.input = operand(step, 0);
  call.residual = last.num_inputs > kResidual ? operand(last, kResidual) : nullptr;
  call.between = operand(step, step.num_inputs);
  call.output = operand(last, last.num_inputs);
  call.thread_scratch = submission.bindings.scratch;
  call.parallel = &runner;
  if (!step.chain->supports(call)) return false;
  step.chain->run(call);
  return true;
}

std::byte* KernelProgram::address(const Operand& operand, const Submission& submission) {
  return operand.buffer == Operand::kAbsent ? nullptr : submission.bindings.buffers[operand.buffer] + operand.offset;
}

std::vector<Executable::KernelChoice> KernelProgram::kernel_choices() const {
  std::vector<KernelChoice> choices;
  size_t end_of_row_fusion = 0;  // end of the chain's last step
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    end_of_row_fusion = std::max(end_of_row_fusion, i + step.chained - 1);
    choices.push_back({step.operator_index, step.kernel_name, step.kernel != nullptr && step.kernel->repacked(),
                       i < end_of_row_fusion});
  }
  return choices;
}

}  // namespace nestrt::drivers
