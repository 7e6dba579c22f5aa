// Backend: what makes programs for one kind of unit. The CPU's is one of them: the host's, which takes everything.
//
// The compiler asks every backend of the target in the same three steps: in which layouts it can run a node (placement
// chooses), whether it takes some consecutive nodes, laid out, as one branch (placement cuts), and for its programs
// (codegen).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler-lite/graph/graph.h"
#include "runtime/core/instruction_set.h"
#include "nestrt/driver/plan_tables.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

// Nodes that follow each other in Graph::nodes(), of which a unit runs all without interruption.
using Subgraph = std::span<const std::unique_ptr<Node>>;

// Layouts of a node's operands and results in which a unit can run it.
struct LayoutOption {
  std::vector<Layout> inputs;  // by operand
  Layout output = Layout::kPlain;
  // How many times slower than the node's best program its program is taken to be; 1 for the best.
  int64_t slowdown = 1;
};

// plan::KernelAlternative with a value in place of the tensor.
struct AlternativeKernel {
  uint32_t op = 0;
  std::string kernel;
  ValueId weights = kNoValue;
};

// The kernels of a subgraph for one instruction set; plan::KernelSelection with values in place of tensors.
struct SelectedKernels {
  InstructionSet instruction_set = InstructionSet::kPortable;
  std::vector<std::string> kernels;  // by node
  // By node, what its kernel reads in place of input 1; kNoValue: the input itself. Empty: nothing at all.
  std::vector<ValueId> weights;
  std::vector<AlternativeKernel> alternatives = {};
};

// What a unit executes for a subgraph; plan::Program with values in place of the plan's tensors.
struct UnitProgram {
  struct Range {
    uint64_t address = 0;  // in the program's own address space; ascending
    uint64_t size = 0;
    plan::RangeAccess access = plan::RangeAccess::kRead;
    ValueId value = kNoValue;  // kNoValue: a segment
    uint32_t segment = 0;
    plan::RangeLayout layout = plan::RangeLayout::kPlain;
    uint64_t offset = 0;  // plan::ProgramRange.offset
  };

  explicit UnitProgram(plan::ProgramKind its_kind) : kind(its_kind) {}

  plan::ProgramKind kind;
  std::vector<SelectedKernels> selections;  // where it is made of kernels
  ChannelRange channels;                    // plan::Program.channels

  std::vector<std::shared_ptr<const Bytes>> segments;  // instructions first; programs may share what is equal
  std::vector<Range> ranges;

  // Modelled.
  uint64_t cycles = 0;
  uint64_t moved_bytes = 0;                                    // between the unit and DRAM
  double occupancy = 0;                                        // share of the cycles in which the multipliers work
  double microseconds = 0;                                     // 0: the unit's clock is not stated
  plan::CostOrigin cost_origin = plan::CostOrigin::kModelled;  // kUnknown: a guess, where nobody has stated anything
};

// A program, or why there is none: "its input is f32".
struct Offer {
  std::optional<UnitProgram> program;
  std::string reason;
  std::vector<UnitProgram> partial_programs =
      {};  // beside the program: each for some channels only; those that begin first first
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string unit() const = 0;                   // plan::Program.unit
  virtual std::string program_configuration() const = 0;  // plan::Program.configuration; empty: for any
  // plan::Target.configuration: as open_units() takes it, with the number of units.
  virtual std::string configuration() const { return program_configuration(); }
  // At which its programs take UnitProgram.microseconds; 0: nothing is said of it.
  virtual double clock_mhz() const { return 0; }
  // Of f32, at which these have the host make it of the bytes of accumulators; 0: in no time.
  virtual double widen_mb_per_s() const { return 0; }
  // Of UnitProgram.microseconds what each program takes beside its cycles.
  virtual double launch_us() const { return 0; }
  // The host's takes every node that has a kernel, and lowers last: it packs the weights that others read unpacked.
  virtual bool is_host() const { return false; }
  // Has no say in layouts and branches: it takes what the others have cut, or leaves it. So a plan with its programs
  // has the same branches as one without, and whatever schedule that one has.
  virtual bool follows_others() const { return false; }

  // Empty where the unit cannot run the node however its tensors lie; why, accepts() says. The node is typed, its
  // tensors lie anywhere.
  virtual std::vector<LayoutOption> layouts(const Graph& graph, const Node& node) = 0;
  // Whether one program can run them, laid out as they are; if not, why: kUnsupported, kInvalidArgument.
  virtual Status accepts(const Graph& graph, Subgraph nodes) = 0;
  // Requires: accepts(). What turns out to be impossible all the same is an Offer without a program.
  // Errors: of the nodes, with their names.
  virtual Result<Offer> lower(Graph& graph, Subgraph nodes) = 0;
  // Called after the last lower().
  virtual void finish() {}
};

// One host, first; then the others in the target's order.
using Backends = std::vector<std::shared_ptr<Backend>>;

// Told of every offer of a unit beside the host: `op` is the operator's index in the plan, of `num_operators`.
using OfferObserver =
    std::function<void(uint32_t op, uint32_t num_operators, const Backend& backend, const Offer& offer)>;

}  // namespace nestrt::compiler
