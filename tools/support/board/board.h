// Board: the file that describes a board's units (docs/boards.md).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "nestrt/driver/costs.h"
#include "nestrt/driver/instruction_set.h"
#include "nestrt/result.h"
#include "runtime/costs/estimated_costs.h"

namespace nestrt::tools {

// The data caches of a CPU's cores; 0: not stated.
struct Caches {
  int64_t l1d_bytes = 0;   // each core's own
  int64_t l2_bytes = 0;    // shared by the cores
  int64_t line_bytes = 0;  // both caches'
};

inline constexpr double kMaxClockMhz = 10'000;  // of a unit; where one is stated, 1 is the least

struct BoardUnit {
  std::string kind;           // "cpu", "evta"
  bool is_host = false;       // the "cpu"
  std::string configuration;  // an NPU's; empty for the CPU
  int64_t instances = 1;
  double clock_mhz = 0;         // 0: not stated
  int64_t bus_bits = 0;         // width of the unit's port to DRAM; 0: not stated
  int64_t threads = 1;          // the CPU's
  std::string instruction_set;  // the CPU's, by which its costs are known; empty: not stated
  Caches caches;                // the CPU's
  HostRates estimates;          // the CPU's, of what its profiles do not have; without kinds where they are not stated
  UnitOverhead overhead;        // nothing where it is not stated
  // How long a core looks without sleeping: an NPU's, before a program ends; the CPU's, when a lane waits for another.
  double awake_us = 0;
  double wake_us = 0;    // the CPU's: until a lane that sleeps goes on
  double kernel_us = 0;  // the CPU's: what each call of a kernel takes beside its work
  double launch_us = 0;  // an NPU's: what each of its programs takes beside its cycles
  // An NPU's: of f32, what a core of the host makes of the bytes of its accumulators; 0: in no time.
  double widen_mb_per_s = 0;
};

struct Board {
  std::string name;
  double memory_mb_per_s = 0;  // of the memory that all units share; 0: not stated
  std::vector<BoardUnit> units;
  std::vector<std::string> profiles;  // files of costs, relative to the board's
};

// `check` is asked about every unit, and may correct it; what it refuses is refused with the line. `name` is for
// messages.
// Errors: kInvalidArgument with the line; from a file also kNotFound and kIo.
using UnitCheck = std::function<Status(BoardUnit*)>;
Result<Board> parse_board(const std::string& yaml, const std::string& name, const UnitCheck& check);
Result<Board> read_board(const std::string& path, const UnitCheck& check);

// The paths of its files of costs; `board_path` is that of its own. One that does not lie beside that, as where a board
// that comes with nestrt was copied and changed, is the one that comes with nestrt. Errors: kInvalidArgument where two
// are one file.
Result<std::vector<std::string>> profiles_of(const Board& board, const std::string& board_path);
// The path itself, and those of its files of costs as far as they can be told: what nothing is written over.
std::vector<std::string> files_of_board(const std::string& board_path);
// All that the files say, the last first, at the clocks that `units` state: what a file says was found at another is
// scaled, which a warning says. Errors: those of read_costs().
Result<CostTable> read_profiles(const std::vector<std::string>& paths, const std::vector<BoardUnit>& units);

// Errors: kInvalidArgument with those that there are.
Result<InstructionSet> parse_instruction_set(std::string_view text);

// The path of the board's file: `text` itself where it ends in ".yaml", else that of the file boards/`text`.yaml that
// comes with nestrt. Errors: kNotFound with the names of those that there are; kUnavailable where there are none at
// all.
Result<std::string> find_board(const std::string& text);

}  // namespace nestrt::tools
