// SPDX-License-Identifier: Apache-2.0
// OutlivingLogic: the four stages of an accelerator behind XRT for child processes (board_process.h). As on a board,
// they continue when a child is killed, and Linux gives the memory of a dead process to the next one: every child
// allocates the same addresses.
#pragma once

#include <span>

#include "test/boards/logic/board_faults.h"
#include "test/boards/logic/board_process.h"
#include "test/boards/logic/device_memory.h"

namespace nestrt::boards {

class OutlivingLogic final : public BoardLogic {
 public:
  explicit OutlivingLogic(std::vector<MemoryBank> banks);
  ~OutlivingLogic() override;
  OutlivingLogic(const OutlivingLogic&) = delete;

  BoardFaults& faults() { return faults_; }
  Stages& stages() { return *stages_; }
  // Returns the memory of the first bank, which the processes share.
  std::span<std::byte> memory() const { return pages_; }
  uint32_t answer(const BoardRequest& request) override;

 private:
  BoardFaults faults_;
  const std::span<std::byte> pages_;
  DeviceMemory memory_;
  std::unique_ptr<Stages> stages_;
};

}  // namespace nestrt::boards
