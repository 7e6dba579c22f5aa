// Session: a plan loaded on given units, ready to run.
//
//   auto plan = nestrt::Plan::map("model.nest");
//   auto units = nestrt::open_units("cpu");
//   auto session = nestrt::Session::create(*plan, *units);
//   nestrt::Status status = (*session)->run(inputs, outputs);
//
// Memory: create() allocates everything (arena, scratch, tables); run() allocates nothing unless a unit fails. Inputs
// and outputs are the caller's: kernels read and write them directly.
// Failures: where a unit beside the CPU fails a branch, or takes too long for it, the CPU computes the branch within
// the same run if it is among the session's units. Quantized results are the same bits.
// Threads: one run at a time per session (a second caller waits); any number of sessions may share a plan and units and
// run from different threads. Everything else is const and may be called at any time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "nestrt/plan.h"
#include "nestrt/result.h"
#include "nestrt/tensor.h"
#include "nestrt/unit.h"

namespace nestrt {

struct SessionOptions {
  // Watches every operator of every run; must outlive the session. For profiles and traces.
  RunObserver* observer = nullptr;
  // A branch on a unit beside the CPU that is not complete by then has failed.
  std::chrono::milliseconds unit_timeout{10'000};
};

struct SessionMemory {
  size_t arena_bytes = 0;    // activations
  size_t scratch_bytes = 0;  // of the hungriest operator, all threads
  size_t repacked_bytes = 0; // weights held in another packing than the plan's
};

struct OperatorSummary {
  std::string_view name;
  std::string_view kind;    // "Conv"
  std::string_view kernel;  // "conv.f32.direct16"
  std::string_view unit;    // "cpu"
  bool repacked = false;
};

class Session {
 public:
  // Errors: kInvalidArgument (no units), kInvalidPlan, kIncompatible, kUnsupported, kOutOfMemory.
  static Result<std::unique_ptr<Session>> create(std::shared_ptr<const Plan> plan, UnitList units,
                                                 const SessionOptions& options = {});
  virtual ~Session() = default;

  std::span<const TensorInfo> inputs() const { return plan().inputs(); }
  std::span<const TensorInfo> outputs() const { return plan().outputs(); }
  // Position of the input or output of that name; empty where there is none.
  std::optional<size_t> find_input(std::string_view name) const;
  std::optional<size_t> find_output(std::string_view name) const;

  // Runs one inference. Inputs and outputs in the plan's order; every one is needed, with exactly the type and shape
  // that inputs() and outputs() state. On failure the outputs hold nothing of use.
  // Errors: kInvalidArgument (says what was expected and what came), and those of the units.
  virtual Status run(std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs) = 0;

  // Branches that the CPU computed because another unit had failed, since create().
  virtual uint64_t healed_branches() const = 0;

  virtual const Plan& plan() const = 0;
  virtual SessionMemory memory() const = 0;
  // One entry per operator of the plan, in file order.
  virtual std::vector<OperatorSummary> operators() const = 0;
};

}  // namespace nestrt
