// SPDX-License-Identifier: Apache-2.0
// CostTable: the execution times of operators on the units of a board, obtained from measurements (`nestrt profile`,
// sessions), models or files.
//
// A work item is named by a text that contains everything its time depends on except the data: operator, attributes,
// shapes, types, layouts, channels. The costs of one network therefore also apply to any other network that contains
// the same operator, and never to a different operator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "nestrt/driver/channel_range.h"
#include "nestrt/plan.h"
#include "nestrt/result.h"
#include "nestrt/visibility.h"

namespace NESTRT_PUBLIC nestrt {

// The properties of a unit that costs depend on.
struct UnitKey {
  // Maximum length of kind and configuration in files. Both are compared for every cost.
  static constexpr size_t kMaxBytes = 256;

  std::string kind;
  std::string configuration;
  int threads = 1;  // number of concurrent threads; 1 on accelerators

  auto operator<=>(const UnitKey&) const = default;
};

// How a cost was obtained.
enum class CostSource : uint8_t { kUnknown, kMeasured, kSimulated, kModelled };

// Maximum time or rate. Larger, negative and NaN values are rejected where they are used and when files are read.
inline constexpr double kMaxMicroseconds = 1e15;

// The cost of a work item.
struct WorkCost {
  double microseconds = 0;
  CostSource source = CostSource::kUnknown;
  float runs = 0;  // number of runs averaged by a session; 0: not counted. Not stored in files
};

// The cost of using a unit in addition to the work itself.
struct UnitOverhead {
  double start_us = 0;   // from completion of a dependency on another unit to the start on this unit
  double finish_us = 0;  // from the end on this unit until a step on another unit observes it
  double mb_per_s = 0;   // bandwidth of transfers to and from other units; 0: transfers cost nothing
  double lane_us = 0;  // from the end of a step on one lane of the unit to the start of a step on another of its lanes
};

// Threading: const members may be called concurrently.
class CostTable {
 public:
  void set(const UnitKey& unit, std::string_view work, const WorkCost& cost);
  // Returns null if the cost is unknown.
  const WorkCost* find(const UnitKey& unit, std::string_view work) const;

  // Sets the overheads of a unit.
  void set_overhead(const UnitKey& unit, const UnitOverhead& overhead);
  // Returns the overhead set for the largest number of threads not above the unit's, or zeros if no overhead is set.
  UnitOverhead overhead(const UnitKey& unit) const;

  // Set and return the clock in MHz at which the unit's costs were obtained; 0: unknown.
  void set_clock(const UnitKey& unit, double mhz);
  double clock_mhz(const UnitKey& unit) const;

  // Adds all entries of `other`, replacing existing ones.
  void merge(const CostTable& other);

  // Costs of a unit, by work name.
  using Works = std::map<std::string, WorkCost, std::less<>>;
  const std::map<UnitKey, Works>& units() const { return units_; }
  const std::map<UnitKey, UnitOverhead>& overheads() const { return overheads_; }
  // Returns whether the table has no costs.
  bool empty() const { return units_.empty(); }

 private:
  std::map<UnitKey, Works> units_;
  std::map<UnitKey, UnitOverhead> overheads_;
  std::map<UnitKey, double> clocks_;  // MHz
};

// Returns the name of an operator's work: "Conv kernel=1,1 ... activation=(kind=relu alpha=0 beta=0): s8 1x64x56x56
// blocked16 exponent, ... -> s8 1x16x56x56 blocked16 exponent channels 0-16". Names are unique per work, printable and
// one line long. Scales and exponents count as data. The name contains the weight packing that the unit's kernels read,
// because a plan for several CPUs has one packing for each.
// Requires: `operator_index` is an index of the plan.
std::string work_name(const Plan& plan, uint32_t operator_index, const UnitKey& unit, ChannelRange channels = {});

// Returns the work name of a branch's instruction program: the names of its operators joined by "; ", with the channels
// that it computes, followed by its length and its cost in the plan ("; program of 3392 bytes, 123.4 us"), because
// other exponents may produce other instructions. The packing of weights for a CPU is not part of the name. Requires:
// both are indices of the plan.
std::string program_work_name(const Plan& plan, uint32_t branch, uint32_t program);

// Returns the name of an operator's work with a given kernel: "... by conv.s8.direct16".
// Requires: `operator_index` is an index of the plan.
std::string kernel_work_name(const Plan& plan, uint32_t operator_index, const UnitKey& unit, std::string_view kernel);

// Returns the cost of a branch's program on a unit: the sum over its operators. For an instruction program, its own
// cost takes precedence over the sum of its operators' costs, and that sum over the cost in the plan. A channel range
// without a measurement costs its share of the operator's cost. If a cost is unknown for the unit's number of threads,
// the entry for the next smaller number applies, because more threads are not slower. Views cost nothing. Errors:
// kNotFound (names the operator, the unit and how to measure); kInvalidArgument if the plan has no such program or the
// cost is invalid.
Result<WorkCost> branch_cost(const CostTable& costs, const Plan& plan, uint32_t branch, uint32_t program,
                             const UnitKey& unit, ChannelRange channels = {});

// Reads costs from a text file (docs/reference/costs.md), which may contain any number of plans, units and thread
// counts. Rejects a file written by another version of nestrt, because its kernels differ. Accepts a file without a
// version, such as those shipped with nestrt. Errors: kNotFound, kIo; kIncompatible (another version); kInvalidArgument
// (names the invalid line).
Result<CostTable> read_costs(const std::string& path);
// Replaces the file atomically, so that readers never see a partial file, and creates its folder.
// Errors: kIo; kInvalidArgument (a name or a cost that cannot be written).
Status write_costs(const std::string& path, const CostTable& costs);

}  // namespace nestrt
