// Backend: what makes programs for one kind of unit other than the CPU, one operator at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler-lite/graph/graph.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

// What a unit executes in place of one operator's kernel; plan::Program with values in place of the plan's tensors.
struct UnitProgram {
  struct Range {
    uint64_t address = 0;  // in the program's own address space; ascending
    uint64_t size = 0;
    plan::RangeAccess access = plan::RangeAccess::read;
    ValueId value = kNoValue;  // kNoValue: a segment
    uint32_t segment = 0;
    Layout layout = Layout::kPlain;  // plan::ProgramRange.layout
  };

  uint32_t channels = 0;  // plan::Program.channels

  std::vector<std::shared_ptr<const Bytes>> segments;  // instructions first; programs may share what is equal
  std::vector<Range> ranges;

  // Modelled.
  uint64_t cycles = 0;
  uint64_t moved_bytes = 0;  // between the unit and DRAM
  double occupancy = 0;      // share of the cycles in which the multipliers work
  double microseconds = 0;   // 0: the unit's clock is not stated
};

// A program, or why there is none: "its input is f32".
struct Offer {
  std::optional<UnitProgram> program;
  std::string reason;
  std::vector<UnitProgram> pieces = {};  // beside the program: each for the first `channels` only; ascending
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string unit() const = 0;         // plan::Program.unit
  virtual std::string fingerprint() const = 0;  // plan::Program.fingerprint
  // plan::Target.configuration: as open_units() takes it, with the number of units.
  virtual std::string configuration() const { return fingerprint(); }
  // The node is one of a graph as the emitter takes it. Errors: kInternal; what a unit cannot do is no error.
  virtual Result<Offer> offer(const Graph& graph, const Node& node) = 0;
  // Called after the last offer.
  virtual void finish() {}
};

using Backends = std::vector<std::shared_ptr<Backend>>;

// Told of every offer as the plan is written: `op` is the operator's index there, of `num_operators`.
using OfferObserver =
    std::function<void(uint32_t op, uint32_t num_operators, const Backend& backend, const Offer& offer)>;

}  // namespace nestrt::compiler
