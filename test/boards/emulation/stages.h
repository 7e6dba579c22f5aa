// VTA's four stages as their registers show them: what Vivado HLS makes of them, the stale `done` included.
//
// A run begins when fetch is started. Until its first instruction reaches compute, `done` is what the run before has
// left; then compute writes 0, and 1 at the end. Each of these writes sets the bit beside `done`, each read clears it.
//
// Threads: all members are safe from any thread.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include "test/boards/emulation/accelerator.h"
#include "test/boards/emulation/board_faults.h"

namespace nestrt::boards {

enum class Stage : uint8_t { kFetch, kLoad, kCompute, kStore };

class Stages {
 public:
  Stages(Accelerator accelerator, BoardFaults& faults);
  ~Stages();
  Stages(const Stages&) = delete;

  uint32_t read(Stage stage, uint32_t offset);
  void write(Stage stage, uint32_t offset, uint32_t value);
  // As when the bitstream is loaded: what hangs ends.
  void reset();
  int runs_started();
  // What hangs goes on.
  void end_hang();

 private:
  void work();
  void run(std::unique_lock<std::mutex>& lock);
  void write_done(uint32_t value);
  bool can_run() const;
  uint32_t value_of(Stage stage, uint32_t offset) const;

  Accelerator accelerator_;
  BoardFaults& faults_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<Stage, uint32_t>, uint32_t> registers_;  // as they were written
  uint32_t done_ = 0;
  bool done_written_ = false;
  int runs_started_ = 0;
  bool is_started_ = false;  // until it is over
  bool is_reset_ = false;
  bool hangs_ = false;
  bool shut_down_ = false;
  std::thread thread_;
};

}  // namespace nestrt::boards
