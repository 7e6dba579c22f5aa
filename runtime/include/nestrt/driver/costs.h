// SPDX-License-Identifier: Apache-2.0
// CostTable: the times that operators take on the units of a board. Filled by measurement (`nestrt profile`, sessions),
// by models, or from a file.
//
// Work is named by a text with everything that its time depends on except the data: operator, attributes, shapes,
// types, layouts, channels. So the costs of one network also apply to another network that contains the same operator,
// and never to a different operator.
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
  // Limit for kind and configuration in files, because they are compared for every cost.
  static constexpr size_t kMaxBytes = 256;

  std::string kind;
  std::string configuration;
  int threads = 1;  // that work concurrently; 1 on accelerators

  auto operator<=>(const UnitKey&) const = default;
};

// How a cost was found.
enum class CostSource : uint8_t { kUnknown, kMeasured, kSimulated, kModelled };

// Limit for times and rates. Larger, negative and NaN values are rejected where they are used and when files are read.
inline constexpr double kMaxMicroseconds = 1e15;

// The cost of a work.
struct WorkCost {
  double microseconds = 0;
  CostSource source = CostSource::kUnknown;
  float runs = 0;  // number of runs averaged by a session; 0: not counted. Not stored in files
};

// The cost of using a unit in addition to the work itself.
struct UnitOverhead {
  double start_us = 0;   // from completion of a dependency on another unit to the start on this unit
  double finish_us = 0;  // from the end on this unit until a step on another unit sees it
  double mb_per_s = 0;   // bandwidth of transfers from and to other units; 0: transfers cost nothing
  double lane_us = 0;    // from the end of a step on one lane of the unit to the start of a step on another lane of it
};

// Threading: const members may be called concurrently.
class CostTable {
 public:
  void set(const UnitKey& unit, std::string_view work, const WorkCost& cost);
  // Returns null if the cost is unknown.
  const WorkCost* find(const UnitKey& unit, std::string_view work) const;

  // Sets the overheads of a unit.
  void set_overhead(const UnitKey& unit, const UnitOverhead& overhead);
  // Returns the overhead set for the largest number of threads up to the unit's; all zeros if there is no such entry.
  UnitOverhead overhead(const UnitKey& unit) const;

  // The clock in MHz at which the unit's costs were obtained; 0: unknown.
  void set_clock(const UnitKey& unit, double mhz);
  double clock_mhz(const UnitKey& unit) const;

  // Adds all entries of `other`, replacing existing ones.
  void merge(const CostTable& other);

  // Costs of a unit by the name of the work.
  using Works = std::map<std::string, WorkCost, std::less<>>;
  const std::map<UnitKey, Works>& units() const { return units_; }
  const std::map<UnitKey, UnitOverhead>& overheads() const { return overheads_; }
  // Returns whether no unit has costs.
  bool empty() const { return units_.empty(); }

 private:
  std::map<UnitKey, Works> units_;
  std::map<UnitKey, UnitOverhead> overheads_;
  std::map<UnitKey, double> clocks_;  // MHz
};

// Returns the name of an operator's work: "Conv kernel=1,1 ... activation=(kind=relu alpha=0 beta=0): s8 1x64x56x56
// blocked16 exponent, ... -> s8 1x16x56x56 blocked16 exponent channels 0-16". Names are unique per work, printable and
// one line long. Scales and exponents count as data. Weights are named in the packing that the unit's kernels read: a
// plan for several CPUs has a packing for each.
// Requires: an index of the plan.
std::string work_name(const Plan& plan, uint32_t operator_index, const UnitKey& unit, ChannelRange channels = {});

// Returns the name of a branch's program of instructions: the names of its operators joined by "; ", for the channels
// that it computes, then its length and the cost stated in the plan ("; program of 3392 bytes, 123.4 us"), because
// other exponents may produce other instructions. The packing of weights for a CPU is not part of the name.
// Requires: indices of the plan.
std::string program_work_name(const Plan& plan, uint32_t branch, uint32_t program);

// Returns the name of an operator's work with a given kernel: "... by conv.s8.direct16".
// Requires: an index of the plan.
std::string kernel_work_name(const Plan& plan, uint32_t operator_index, const UnitKey& unit, std::string_view kernel);

// Returns the cost of a branch's program on a unit: the sum over its operators. An instruction stream has its own cost
// if known, else the cost of its operators, else the cost stated in the plan. A channel range that was not measured
// costs its share of the whole. If a cost is unknown for the unit's number of threads, the entry for the largest
// smaller number applies, because more threads are not slower. Views cost nothing.
// Errors: kNotFound (names the operator, the unit and how to measure); kInvalidArgument if the plan has no such program
// or the cost is invalid.
Result<WorkCost> branch_cost(const CostTable& costs, const Plan& plan, uint32_t branch, uint32_t program,
                             const UnitKey& unit, ChannelRange channels = {});

// Reads costs from a text file (docs/reference/costs.md), which may contain any number of plans, units and thread
// counts. Rejects a file written by another version of nestrt, which has other kernels; a file without a version, such
// as the ones shipped with nestrt, is accepted. Errors: kNotFound, kIo; kIncompatible (another version);
// kInvalidArgument (names the invalid line).
Result<CostTable> read_costs(const std::string& path);
// Replaces the file atomically, so that readers never see a partial file, and creates its folder.
// Errors: kIo; kInvalidArgument (a name or a cost that cannot be written).
Status write_costs(const std::string& path, const CostTable& costs);

}  // namespace nestrt
