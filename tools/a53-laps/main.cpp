// SPDX-License-Identifier: Apache-2.0
// a53-laps: runs a plan on one core under an emulator that counts cycles at laps, which are instructions `hint #120`,
// and writes the event of each lap. script/bench/profile-a53 combines the cycles and the events.
//
//   a53-laps PLAN OUT THREADS
//   a53-laps widen REPEATS      widens accumulators to f32 (drivers/evta/driver/memory/widen.h), 681,408 bytes each
//
// The kernels divide their work as for THREADS threads, and the work items run sequentially. The program runs whole
// inferences: one to warm the caches, one with whole operators, and one per split of operators that share channels with
// another unit, without the channels of that unit.
// OUT contains tab-separated fields; laps are in execution order:
//   cpu CONFIGURATION
//   work NUMBER CONSTANT_BYTES OTHER_BYTES NAME    bytes that an operator reads and writes
//   lap s             a branch is submitted
//   lap j             kernels distribute work items
//   lap t             a work item ends
//   lap o NUMBER      an operator ends; -1: ignored
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/cpu/kernel_program.h"
#include "drivers/evta/driver/memory/widen.h"
#include "kernels/common/simd/simd.h"
#include "nestrt/driver/costs.h"
#include "nestrt/driver/plan_tables.h"
#include "runtime/core/run.h"
#include "runtime/costs/measurement/plan_memory.h"
#include "runtime/plan/queries/channels.h"
#include "runtime/plan/queries/views.h"

namespace nestrt {
namespace {

constexpr int32_t kSubmit = -2, kJob = -3, kPiece = -4, kNotCounted = -1;

class Laps {
 public:
  Laps() { labels_.reserve(size_t{1} << 22); }
  void mark(int32_t label) {
#if defined(__aarch64__)
    __asm__ volatile("hint #120" ::: "memory");
#endif
    labels_.push_back(label);
  }
  const std::vector<int32_t>& labels() const { return labels_; }

 private:
  std::vector<int32_t> labels_;
};

// A thread pool of N virtual threads.
class LapRunner final : public scheduler::SharedRunner {
 public:
  LapRunner(int threads, Laps& laps) : threads_(threads), laps_(laps) {}
  int num_threads() const override { return threads_; }
  void parallel_for(int64_t count, FunctionRef<void(int64_t, int)> task) override { parallel_for(count, task, {}); }
  void parallel_for(int64_t count, FunctionRef<void(int64_t, int)> task, const CoreShare&) override {
    laps_.mark(kJob);
    for (int64_t index = 0; index < count; ++index) {
      task(index, 0);
      laps_.mark(kPiece);
    }
  }

 private:
  const int threads_;
  Laps& laps_;
};

struct Work {
  uint64_t constant_bytes = 0;
  uint64_t other_bytes = 0;
  std::string name;
};

// Records the work of each operator in a measured branch.
class Observer final : public RunObserver {
 public:
  explicit Observer(Laps& laps) : laps_(laps) {}
  void operator_done(uint32_t op, Time, Time) override {
    const auto work = works.find(op);
    laps_.mark(work == works.end() ? kNotCounted : work->second);
  }
  std::map<uint32_t, int32_t> works;

 private:
  Laps& laps_;
};

class LapProfile {
 public:
  LapProfile(std::shared_ptr<const Plan> plan, PlanMemory memory, int threads)
      : plan_(std::move(plan)),
        memory_(std::move(memory)),
        observer_(laps_),
        runner_(std::make_shared<LapRunner>(threads, laps_)) {}

  Status run() {
    NESTRT_RETURN_IF_ERROR(run_whole(false));
    NESTRT_RETURN_IF_ERROR(run_whole(true));
    const auto& branches = plan_->tables().branches;
    const auto most = std::max_element(
        branches.begin(), branches.end(),
        [](const plan::Branch& a, const plan::Branch& b) { return parts_of(a).size() < parts_of(b).size(); });
    const size_t ways = most == branches.end() ? 0 : parts_of(*most).size();
    for (size_t way = 0; way < ways; ++way) NESTRT_RETURN_IF_ERROR(run_divided(way));
    return {};
  }

  void write(std::ostream& out) const {
    out << "cpu\t" << name(kernels::current_instruction_set()) << "\n";
    for (size_t i = 0; i < works_.size(); ++i)
      out << "work\t" << i << "\t" << works_[i].constant_bytes << "\t" << works_[i].other_bytes << "\t"
          << works_[i].name << "\n";
    for (int32_t label : laps_.labels()) {
      if (label == kSubmit || label == kJob || label == kPiece)
        out << "lap\t" << (label == kSubmit ? "s" : label == kJob ? "j" : "t") << "\n";
      else
        out << "lap\to\t" << label << "\n";
    }
  }

 private:
  using Prepared = std::unique_ptr<drivers::KernelProgram>;

  Status run_whole(bool counts) {
    for (uint32_t branch = 0; branch < plan_->tables().branches.size(); ++branch)
      NESTRT_RETURN_IF_ERROR(run_branch(branch, {}, counts));
    return {};
  }

  // Runs split number `way` of each operator. Operators with fewer splits run whole and are not counted.
  Status run_divided(size_t way) {
    const auto& branches = plan_->tables().branches;
    for (uint32_t branch = 0; branch < branches.size(); ++branch) {
      const std::vector<ChannelRange> parts = parts_of(branches[branch]);
      if (way >= parts.size()) {
        NESTRT_RETURN_IF_ERROR(run_branch(branch, {}, false));
        continue;
      }
      const ChannelRange& part = parts[way];
      NESTRT_RETURN_IF_ERROR(run_branch(branch, {part.end, channels_of(branch), part.end_row, 0}, true));
      NESTRT_RETURN_IF_ERROR(run_branch(branch, part, false));
    }
    return {};
  }

  // Returns, per split, the channels that another unit computes.
  static std::vector<ChannelRange> parts_of(const plan::Branch& branch) {
    std::vector<ChannelRange> parts;
    for (const plan::Program& program : branch.programs)
      if (!program.channels.all() && program.channels.is_first()) parts.push_back(program.channels);
    return parts;
  }

  const Shape& output_shape(const plan::Operator& op) const {
    return plan_->tables().tensors[static_cast<uint32_t>(op.outputs[0])].shape;
  }

  uint32_t channels_of(uint32_t branch) const {
    return divisible_channels(plan_->tables(), plan_->tables().branches[branch]);
  }

  Result<drivers::KernelProgram*> prepared(uint32_t branch, ChannelRange channels) {
    Prepared& program = programs_[{branch, channels}];
    if (program != nullptr) return program.get();
    for (const plan::Program& candidate : plan_->tables().branches[branch].programs) {
      if (candidate.kind != plan::ProgramKind::kKernels) continue;
      NESTRT_ASSIGN_OR_RETURN(
          program, drivers::KernelProgram::prepare({plan_, branch, &candidate, channels}, runner_, kernels_));
      NESTRT_RETURN_IF_ERROR(memory_.reserve_scratch(*program));
      return program.get();
    }
    return Status(Code::kIncompatible, "a branch has no program for the CPU");
  }

  Status run_branch(uint32_t branch, ChannelRange channels, bool counts) {
    NESTRT_ASSIGN_OR_RETURN(drivers::KernelProgram* const program, prepared(branch, channels));
    observer_.works.clear();
    if (counts) add_works(branch, channels);
    Submission submission;
    submission.bindings = memory_.bindings();
    submission.observer = &observer_;
    return nestrt::run(submission, [&](const Submission& armed) {
      laps_.mark(kSubmit);
      program->submit(armed);
    });
  }

  void add_works(uint32_t branch, ChannelRange channels) {
    const plan::Tables& tables = plan_->tables();
    const UnitKey unit{"cpu", std::string(name(kernels::current_instruction_set())), 1};
    for (uint32_t index : tables.branches[branch].operators) {
      const plan::Operator& op = tables.operators[index];
      if (is_view(tables, op)) continue;
      Work work{0, 0, work_name(*plan_, index, unit, channels)};
      const double share = channels.all() ? 1 : share_of(output_shape(op), channels);
      for (int32_t tensor : op.inputs) add_bytes(work, tensor, 1, share);
      for (int32_t tensor : op.outputs) add_bytes(work, tensor, share, share);
      observer_.works[index] = static_cast<int32_t>(works_.size());
      works_.push_back(std::move(work));
    }
  }

  void add_bytes(Work& work, int32_t index, double share, double share_of_constants) const {
    if (index < 0) return;
    const plan::Tensor& tensor = plan_->tables().tensors[static_cast<uint32_t>(index)];
    const bool constant = plan_->tables().buffers[tensor.buffer].kind == plan::BufferKind::kConstant;
    const auto bytes = static_cast<double>(storage_bytes(tensor.type, tensor.shape, tensor.layout));
    (constant ? work.constant_bytes : work.other_bytes) +=
        static_cast<uint64_t>(bytes * (constant ? share_of_constants : share));
  }

  const std::shared_ptr<const Plan> plan_;
  PlanMemory memory_;
  Laps laps_;
  Observer observer_;
  std::shared_ptr<LapRunner> runner_;
  drivers::SharedKernels kernels_;
  std::map<std::pair<uint32_t, ChannelRange>, Prepared> programs_;
  std::vector<Work> works_;
};

Status profile_laps(const std::string& plan_path, const std::string& out_path, int threads) {
  NESTRT_ASSIGN_OR_RETURN(const auto plan, Plan::map(plan_path));
  NESTRT_ASSIGN_OR_RETURN(PlanMemory memory, PlanMemory::create(*plan, {}));
  LapProfile profile(plan, std::move(memory), threads);
  NESTRT_RETURN_IF_ERROR(profile.run());
  std::ofstream out(out_path);
  profile.write(out);
  out.close();
  return out ? Status() : Status(Code::kIo, out_path + ": cannot be written");
}

// Widens 1000 channels of 13 x 13 (SqueezeNet's last convolution) `repeats` times. Rotates through kTensors buffers so
// that the data is never cached.
void widen_repeatedly(int repeats) {
  constexpr int64_t kBlocks = 63, kPixels = 169;
  constexpr size_t kTensors = 8;
  constexpr int8_t kExponent[] = {1};
  const evta::Widening shape{.pixels = kPixels, .vectors = kBlocks * kPixels, .channels = 1000, .exponents = kExponent};
  const size_t size = shape.host_bytes();
  std::vector<std::byte> from(kTensors * size, std::byte{1}), to(kTensors * size, std::byte{1});
  for (size_t i = 0; i < static_cast<size_t>(repeats); ++i)
    widen(shape, from.data() + i % kTensors * size, to.data() + i % kTensors * size);
}

}  // namespace
}  // namespace nestrt

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "widen") {
    nestrt::widen_repeatedly(std::atoi(argv[2]));
    return 0;
  }
  const int threads = argc == 4 ? std::atoi(argv[3]) : 0;
  if (threads < 1 || threads > 1024) {
    std::cerr << "usage: a53-laps PLAN OUT THREADS | a53-laps widen REPEATS\n";
    return 2;
  }
  const nestrt::Status status = nestrt::profile_laps(argv[1], argv[2], threads);
  if (status.ok()) return 0;
  std::cerr << "a53-laps: " << status.to_string() << "\n";
  return 2;
}
