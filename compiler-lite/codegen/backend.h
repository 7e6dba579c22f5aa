// SPDX-License-Identifier: Apache-2.0
// Backend: generates programs for one kind of unit. The CPU backend serves the host and accepts every node.
// The compiler asks every backend of the target in three steps: the layouts in which it can run a node (placement
// chooses one), whether it accepts consecutive laid-out nodes as one branch (placement forms branches), and the
// programs of that branch (codegen).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler-lite/graph/graph.h"
#include "nestrt/driver/plan_tables.h"
#include "nestrt/result.h"
#include "runtime/core/instruction_set.h"

namespace nestrt::compiler {

// Consecutive nodes of Graph::nodes() that a unit runs without interruption.
using Subgraph = std::span<const std::unique_ptr<Node>>;

// Layouts of a node's operands and results in which a unit can run it.
struct LayoutOption {
  std::vector<Layout> inputs;  // by operand
  Layout output = Layout::kPlain;
  // Slowdown relative to the node's best program; 1 for the best.
  int64_t slowdown = 1;
};

// plan::KernelAlternative with a graph value instead of a tensor of the plan.
struct AlternativeKernel {
  uint32_t op = 0;
  std::string kernel;
  ValueId weights = kNoValue;
};

// The kernels of a subgraph for one instruction set: plan::KernelSelection with graph values instead of tensors of the
// plan.
struct SelectedKernels {
  InstructionSet instruction_set = InstructionSet::kPortable;
  std::vector<std::string> kernels;  // by node
  // By node, the packed weights that its kernel reads instead of input 1; kNoValue if it reads the input itself. Empty
  // if no kernel reads packed weights.
  std::vector<ValueId> weights;
  std::vector<AlternativeKernel> alternatives = {};
};

// What a unit executes for a subgraph: plan::Program with graph values instead of tensors of the plan.
struct UnitProgram {
  struct Range {
    uint64_t address = 0;  // in the program's own address space, ascending
    uint64_t size = 0;
    plan::RangeAccess access = plan::RangeAccess::kRead;
    ValueId value = kNoValue;  // kNoValue for a segment
    uint32_t segment = 0;
    plan::RangeLayout layout = plan::RangeLayout::kPlain;
    uint64_t offset = 0;  // plan::ProgramRange.offset
  };

  explicit UnitProgram(plan::ProgramKind its_kind) : kind(its_kind) {}

  plan::ProgramKind kind;
  std::vector<SelectedKernels> selections;  // if the program consists of kernels
  ChannelRange channels;                    // plan::Program.channels
  std::optional<plan::VendorFacts> vendor = {};

  std::vector<std::shared_ptr<const Bytes>> segments;  // instructions first; programs may share equal segments
  std::vector<Range> ranges;

  // Modelled costs.
  uint64_t cycles = 0;
  uint64_t moved_bytes = 0;  // between the unit and DRAM
  double occupancy = 0;      // fraction of the cycles in which the multipliers are busy
  double microseconds = 0;   // 0 if the unit's clock is unknown
  plan::CostOrigin cost_origin = plan::CostOrigin::kModelled;  // kUnknown for a guess
};

// A program, or the reason why the unit cannot run the nodes, such as "its input is f32".
struct Offer {
  std::optional<UnitProgram> program;
  std::string reason;
  std::vector<UnitProgram> partial_programs = {};  // each for some of the channels; sorted by first channel
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string unit() const = 0;  // plan::Program.unit
  virtual std::string program_configuration()
      const = 0;  // plan::Program.configuration; empty if programs run on any configuration
  // Returns plan::Target.configuration in the syntax of open_units(), including the number of units.
  virtual std::string configuration() const { return program_configuration(); }
  // Returns the clock that UnitProgram.microseconds assumes; 0 if unknown.
  virtual double clock_mhz() const { return 0; }
  // Returns the assumed rate of the host's conversion from accumulator bytes to f32, in MB/s of f32; 0 ignores its
  // time.
  virtual double widen_mb_per_s() const { return 0; }
  // Returns the part of UnitProgram.microseconds that each program needs in addition to its cycles.
  virtual double launch_us() const { return 0; }
  // Returns true for the CPU backend. The CPU backend accepts every node that has a kernel and lowers last, because it
  // packs weights that the other backends read unpacked.
  virtual bool is_host() const { return false; }
  // Returns true if the backend does not influence layouts and branches but only accepts or rejects branches that the
  // others formed. The plan's branches are then the same with and without its programs, and any schedule stays valid.
  virtual bool follows_others() const { return false; }

  // Returns the layouts in which the unit can run the typed `node`, whatever its current layouts. Empty if it cannot
  // run the node; accepts() then returns the reason.
  virtual std::vector<LayoutOption> layouts(const Graph& graph, const Node& node) = 0;
  // Checks whether one program can run `nodes` in their current layouts. Errors: kUnsupported or kInvalidArgument with
  // the reason.
  virtual Status accepts(const Graph& graph, Subgraph nodes) = 0;
  // Requires that accepts() returned ok. Returns an Offer without a program if generation turns out to be impossible.
  // Errors: those of generating code; the message names the node.
  virtual Result<Offer> lower(Graph& graph, Subgraph nodes) = 0;
  // Called after the last lower().
  virtual void finish() {}
};

// The host's backend comes first; the others follow in the target's order.
using Backends = std::vector<std::shared_ptr<Backend>>;

// Receives every offer of a unit other than the host. `op` is the operator's index in the plan, which contains
// `num_operators` operators.
using OfferObserver =
    std::function<void(uint32_t op, uint32_t num_operators, const Backend& backend, const Offer& offer)>;

}  // namespace nestrt::compiler
