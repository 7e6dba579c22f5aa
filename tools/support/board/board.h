// SPDX-License-Identifier: Apache-2.0
// Board: the file that describes a board's units (docs/reference/board-files.md).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "nestrt/driver/costs.h"
#include "nestrt/result.h"
#include "runtime/core/instruction_set.h"
#include "runtime/costs/estimated_costs.h"

namespace nestrt::tools {

// The data caches of a CPU's cores; 0: not specified.
struct Caches {
  int64_t l1d_bytes = 0;   // per core
  int64_t l2_bytes = 0;    // shared by the cores
  int64_t line_bytes = 0;  // of both caches
};

inline constexpr double kMaxClockMhz = 10'000;  // of a unit; the minimum is 1

struct BoardUnit {
  std::string kind;                // "cpu", "evta"
  bool is_host = false;            // the unit is "cpu"
  std::string configuration;       // NPU only
  std::string configuration_file;  // path of the vta_config.json that states the configuration, if one does
  int64_t instances = 1;
  double clock_mhz = 0;         // 0: not specified
  int64_t bus_bits = 0;         // width of the unit's port to DRAM; 0: not specified
  int64_t threads = 1;          // CPU only
  std::string instruction_set;  // CPU only; key of its costs; empty: not specified
  Caches caches;                // CPU only
  HostRates estimates;          // CPU only; for operators that the profiles lack; no kinds if not specified
  UnitOverhead overhead;        // zero if not specified
  // How long a core polls before it sleeps: for an NPU, before a program ends; for the CPU, when a lane waits for
  // another.
  double awake_us = 0;
  double wake_us = 0;    // CPU only: time until a sleeping lane continues
  double kernel_us = 0;  // CPU only: overhead of each kernel call
  double launch_us = 0;  // NPU only: overhead of each program
  // NPU only: rate at which a host core converts accumulators to f32, in bytes of f32; 0: takes no time.
  double widen_mb_per_s = 0;
};

struct Board {
  std::string name;
  double memory_mb_per_s = 0;  // of the memory that all units share; 0: not specified
  std::vector<BoardUnit> units;
  std::vector<std::string> profiles;  // cost files, relative to the board's
};

// Parse or read a board file. A configuration that is the name of a vta_config.json, relative to the file, is read;
// text without a file cannot name one. `check` is called for every unit and may correct it; its errors get the unit's
// line. `name` appears in messages. Only a file may have a `base`. Errors: kInvalidArgument with the line; for a file
// also kNotFound and kIo.
using UnitCheck = std::function<Status(BoardUnit*)>;
Result<Board> parse_board(const std::string& yaml, const std::string& name, const UnitCheck& check);
Result<Board> read_board(const std::string& path, const UnitCheck& check);

// Returns the paths of the board's cost files; `board_path` is the board's own path. A file that does not exist next to
// the board, such as after copying a bundled board, is looked up among the bundled ones. Errors: kInvalidArgument if
// two are the same file.
Result<std::vector<std::string>> profiles_of(const Board& board, const std::string& board_path);
// Returns the path itself and those of its base and its cost files if they can be read, to protect them from being
// overwritten.
std::vector<std::string> files_of_board(const std::string& board_path);
// Merges the files; later ones take precedence. Costs at another clock than that of `units` are scaled, with a warning.
// Errors: those of read_costs().
Result<CostTable> read_profiles(const std::vector<std::string>& paths, const std::vector<BoardUnit>& units);

// Errors: kInvalidArgument with the known names.
Result<InstructionSet> parse_instruction_set(std::string_view text);

// Returns the path of a board file: `text` itself if it ends in ".yaml", otherwise the bundled file boards/`text`.yaml.
// Errors: kNotFound with the bundled names; kIncompatible with the reason for boards that are not supported;
// kUnavailable if there are no bundled boards.
Result<std::string> find_board(const std::string& text);

}  // namespace nestrt::tools
