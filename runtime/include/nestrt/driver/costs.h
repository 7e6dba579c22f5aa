// CostTable: what operators cost on the units of a board. Filled by measuring (nestrt profile, a session), by models,
// or from a file.
//
// Work is named by text that says everything its time depends on but the data: operator, attributes, shapes, types,
// layouts, channels. So the costs of one network serve another that has the same operator, and never those of a
// different one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "nestrt/driver/unit.h"
#include "nestrt/driver/visibility.h"
#include "nestrt/plan.h"
#include "nestrt/result.h"

namespace NESTRT_PUBLIC nestrt {

// A unit as far as costs depend on it.
struct UnitKey {
  // Of its kind and of its configuration, wherever files say them: they are compared for every cost.
  static constexpr size_t kMaxBytes = 256;

  std::string kind;
  std::string configuration;
  int threads = 1;  // those that work at the same time; 1 on units beside the host

  auto operator<=>(const UnitKey&) const = default;
};

enum class CostSource : uint8_t { kUnknown, kMeasured, kSimulated, kModelled };

// Of times and rates; what is more, less than 0 or no number is refused where it is used, and by files.
inline constexpr double kMaxMicroseconds = 1e15;

struct WorkCost {
  double microseconds = 0;
  CostSource source = CostSource::kUnknown;
  float runs = 0;  // of which it is the mean, where a session has learned it; 0: nobody counted. Not kept in files
};

// What using a unit costs beside the work itself.
struct UnitOverhead {
  double start_us = 0;   // from the completion of what a step waits for on another unit to its start on this one
  double finish_us = 0;  // from its end on this unit until a step on another unit can see it
  double mb_per_s = 0;   // at which what another unit wrote comes here, and back; 0: at no cost of its own
  double lane_us = 0;    // from the end of a step on one lane of the unit until a step on another lane of it can start
};

// Threads: const members from any thread.
class CostTable {
 public:
  void set(const UnitKey& unit, std::string_view work, const WorkCost& cost);
  // Null where there is none.
  const WorkCost* find(const UnitKey& unit, std::string_view work) const;

  void set_overhead(const UnitKey& unit, const UnitOverhead& overhead);
  // That of the most threads up to the unit's. Nothing costs anything where none was set.
  UnitOverhead overhead(const UnitKey& unit) const;

  // At which a unit's costs were found, in MHz; 0: nobody said.
  void set_clock(const UnitKey& unit, double mhz);
  double clock_mhz(const UnitKey& unit) const;

  // Takes over what `other` says, also where this says something else.
  void merge(const CostTable& other);

  using Works = std::map<std::string, WorkCost, std::less<>>;
  const std::map<UnitKey, Works>& units() const { return units_; }
  const std::map<UnitKey, UnitOverhead>& overheads() const { return overheads_; }
  bool empty() const { return units_.empty(); }

 private:
  std::map<UnitKey, Works> units_;
  std::map<UnitKey, UnitOverhead> overheads_;
  std::map<UnitKey, double> clocks_;  // MHz
};

// The name of an operator's work: "Conv kernel=1,1 ... activation=(kind=relu alpha=0 beta=0): s8 1x64x56x56 blocked16
// exponent, ... -> s8 1x16x56x56 blocked16 exponent channels 0-16". No two works have the same name; printable, one
// line. Scales and exponents are data. Weights are named as the unit's kernels read them: a plan for several CPUs has
// them in the packing of each.
// Requires: an index of the plan.
std::string work_name(const Plan& plan, uint32_t operator_index, const UnitKey& unit, ChannelRange channels = {});

// The same of a branch's program of instructions: the names of its operators with "; " between, of the channels that it
// computes, then how long it is and what the plan says it costs ("; program of 3392 bytes, 123.4 us"): with other
// exponents it may have other instructions. How weights are packed for a CPU is no part of it.
// Requires: indices of the plan.
std::string program_work_name(const Plan& plan, uint32_t branch, uint32_t program);

// The same of an operator that one of several kernels computes: "... by conv.s8.direct16".
// Requires: an index of the plan.
std::string kernel_work_name(const Plan& plan, uint32_t operator_index, const UnitKey& unit, std::string_view kernel);

// What a program of a branch costs on a unit: the sum over its operators. An instruction stream costs what is known of
// it, else of its operators, else what the plan says. A part of the channels that was not measured costs its share of
// the whole. Costs of fewer threads than the unit's serve, the most of them first: more are no slower. Views cost
// nothing.
// Errors: kNotFound: names the operator, the unit, and how to measure; kInvalidArgument: the plan has no such program,
// or the cost is no time.
Result<WorkCost> branch_cost(const CostTable& costs, const Plan& plan, uint32_t branch, uint32_t program,
                             const UnitKey& unit, ChannelRange channels = {});

// Costs that a board keeps between processes: a text file (docs/profiles.md). It may hold the costs of any number of
// plans, units and numbers of threads: all are part of the keys. A file that was written by another version of nestrt
// is refused, as that has other kernels; one that states no version, as those that come with nestrt, is not. Errors:
// kNotFound, kIo; kIncompatible: of another version; kInvalidArgument: names the line that is wrong.
Result<CostTable> read_costs(const std::string& path);
// Replaces the file as a whole, so that a reader never sees a part of it; makes the folder. Errors: kIo;
// kInvalidArgument: a name or a cost that cannot be written.
Status write_costs(const std::string& path, const CostTable& costs);

}  // namespace nestrt
