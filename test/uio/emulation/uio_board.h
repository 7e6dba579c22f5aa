// SPDX-License-Identifier: Apache-2.0
// UioBoard: emulates a Zynq board without XRT: a tree of files as in /sys and /dev, and the FPGA logic behind them.
//
// Registers trap (register_window.h), so that reads have side effects. Host and device have separate memory unless the
// port is coherent: cache maintenance through u-dma-buf copies between them. The logic outlives its users:
// child processes (board_process.h) access the board of this process.
//
// Threads: all members are safe from any thread. One board exists at a time.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "test/boards/logic/accelerator.h"
#include "test/boards/logic/board_faults.h"
#include "test/boards/logic/board_process.h"
#include "test/boards/logic/device_memory.h"
#include "test/boards/logic/stages.h"
#include "test/support/process/temporary_folder.h"
#include "test/uio/emulation/fpga_manager.h"

namespace nestrt::boards {

struct UioBoardOptions {
  const evta::Configuration* configuration = &evta::kConfigurations[0];
  uint64_t most_micro_ops = kFewMicroOps;
  int accelerators = 1;
  bool has_node_per_stage = false;  // four UIO devices per accelerator instead of one
  bool has_interrupt = true;
  bool is_coherent = false;           // the accelerators' port
  bool is_declared_coherent = false;  // by the device tree
  uint64_t registers = 0xa0000000;    // of the first accelerator
  uint64_t pool_address = 0x70000000;
  uint64_t pool_bytes = uint64_t{16} << 20;
  std::string fabric = "operating";  // the state of FPGA manager
  Accelerator::Defect defect = {};
};

class UioBoard final : public BoardLogic {
 public:
  explicit UioBoard(UioBoardOptions options = {});
  ~UioBoard() override;
  UioBoard(const UioBoard&) = delete;

  // Returns the board of this process, or null.
  static UioBoard* current();

  std::string root() const { return folder_.path(); }
  BoardFaults& faults() { return faults_; }
  FpgaManager& fpga_manager() { return fpga_manager_; }
  Stages& stages(size_t accelerator = 0) { return *stages_[accelerator]; }
  // Returns the number of register accesses.
  int num_accesses() const { return accesses_; }
  // Discards interrupts from now on.
  void lose_interrupts() { loses_interrupts_ = true; }
  // Raises an interrupt without a reason.
  void raise_interrupt() { interrupt_clients(); }
  // Makes cache maintenance fail.
  void fail_synchronisation(bool fails) { fails_to_synchronise_ = fails; }
  // Makes reads return other bits, as another IP would, or raise SIGBUS, as addresses without an IP do.
  void set_stray_bits(uint32_t bits) { stray_bits_ = bits; }
  void raise_bus_errors() { raises_bus_errors_ = true; }
  // Replaces the text of a file below the root.
  void write(const std::string& path, std::string_view text);
  void remove(const std::string& path);

  uint32_t answer(const BoardRequest& request) override;

  // --- For the interposer. `path` includes the root.
  bool is_node(const std::string& path) const;
  int open(const std::string& path);
  void close(int file);
  // Returns null for files that have no registers.
  void* map_registers(int file, size_t size, uint64_t offset);
  // Returns whether the file is an attribute that the board implements; `error` receives 0 or an errno.
  bool write_attribute(int file, std::string_view text, int* error);

 private:
  struct OpenFile {
    std::string name;     // below the root
    int interrupts = -1;  // the board's end of the socket, for UIO devices
  };

  void write_nodes();
  void write_uio_node(size_t node, const std::string& name, uint64_t address, uint64_t size);
  uint32_t read_register(const BoardRequest& request);
  void write_register(const BoardRequest& request);
  void clean_instructions(Stages& stages);
  uint32_t copy(const BoardRequest& request);
  // Performs cache maintenance as the text written to `attribute` specifies. Returns 0 or an errno.
  int synchronise(const std::string& attribute, std::string_view text);
  void interrupt_clients();

  const UioBoardOptions options_;
  const test::TemporaryFolder folder_;
  FpgaManager fpga_manager_{folder_.path()};
  BoardFaults faults_;
  DeviceMemory memory_;
  std::byte* host_ = nullptr;    // the pool as the host sees it
  std::byte* device_ = nullptr;  // the pool as the accelerators see it
  std::vector<std::unique_ptr<Stages>> stages_;

  std::mutex mutex_;
  std::map<int, OpenFile> files_;
  std::atomic<bool> is_interrupt_enabled_ = false, has_interrupt_status_ = false;
  std::atomic<int> accesses_ = 0;
  std::atomic<bool> loses_interrupts_ = false, fails_to_synchronise_ = false;
  uint32_t stray_bits_ = 0;
  bool raises_bus_errors_ = false;
};

}  // namespace nestrt::boards
