// SPDX-License-Identifier: Apache-2.0
// Board: emulates the kernel driver and the logic of a board for a process that uses XRT, inside the process. The
// interposer (interposer.cpp) redirects calls of the C library that are meant for the driver. driver.h decodes them as
// xocl's or zocl's ioctls, and the board implements them: buffers, contexts of compute units, runs, completions.
//
// Host and device have separate memory: without synchronisation neither sees the other's writes, except with a coherent
// port. A thread of the compute unit computes each run. One completion is reported per poll, as in the kernel drivers.
//
// Threads: all members are safe from any thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "test/boards/emulation/compute_unit.h"
#include "test/boards/logic/accelerator.h"
#include "test/boards/logic/board_faults.h"
#include "test/boards/logic/device_memory.h"
#include "test/boards/logic/outliving_logic.h"
#include "test/boards/logic/stages.h"
#include "test/support/process/temporary_folder.h"

namespace nestrt::boards {

// State of an open file of the device, released when the file is closed.
struct Client {
  struct Buffer {
    uint64_t size = 0;
    uint64_t address = 0;       // in device memory; 0 if it has none
    std::byte* host = nullptr;  // the host's view
    uint64_t map_offset = 0;    // offset of its pages in the device file; 0 for memory of the process
  };

  int file = -1;
  std::map<uint32_t, Buffer> buffers;  // key: handle
  std::map<uint32_t, bool> contexts;   // key: compute unit; value: whether the context is exclusive
  uint64_t file_size = 0;
  uint32_t last_handle = 0;
  int completions = 0;  // not yet reported
};

struct LoadedUnit {
  std::string name;  // kernel:unit
  uint64_t address;
  bool is_user_managed;
};

struct LoadedXclbin {
  std::vector<unsigned char> uuid;
  std::vector<LoadedUnit> units;
  std::span<const std::byte> ip_layout, mem_topology;
};

class Board {
 public:
  // Offset of the first buffer in a file of the device; registers precede it.
  static constexpr uint64_t kFirstBuffer = 1 << 24;

  // Returns the board of the process. It is created before main() if the program contains interposer.cpp.
  static Board& instance();

  BoardFaults& faults() { return faults_; }
  DeviceMemory& memory() { return memory_; }
  // Returns the folder that replaces the root of device files: /sys/... of the device is sys/... below it.
  std::filesystem::path root() const { return folder_.path(); }
  // Configures the compute units of the next loaded xclbin. They hang in a run of more than `most_micro_ops`.
  void set_configuration(const evta::Configuration& configuration, uint64_t most_micro_ops = kFewMicroOps);
  // Sets whether the accelerators' port is coherent with the host's caches. If so, host and accelerators see the
  // same bytes in buffers created afterwards.
  void set_coherent(bool coherent);
  // Uses logic and memory that other processes share, instead of the board's own, for an xclbin with four stages.
  // Requires: no xclbin is loaded.
  void use(OutlivingLogic& logic);
  // Uses logic for the registers only.
  void use_registers(BoardLogic& logic);
  // Resets the card.
  void reset_card();
  // Returns the stages of an accelerator of the loaded xclbin, or null.
  std::shared_ptr<Stages> stages(size_t accelerator = 0);
  // Answers the aborts whose answers set_deaf() delayed.
  void answer_aborts();
  // Returns whether this process has opened the device. XRT then does not survive a fork().
  bool has_been_opened() const { return has_been_opened_; }
  // Returns the number of runs started.
  int runs_started();

  // --- For driver.h and the interposer. Results: 0 or a negative errno.
  int open();  // returns a file descriptor
  bool is_open(int file);
  void close(int file);
  int control(int file, unsigned long request, void* argument);
  int poll(int file, int timeout_ms);  // like poll(2)

  // Maps the registers of the compute unit at `offset` of the file. Returns null for files that do not belong to the
  // board.
  void* map_registers(int file, size_t size, uint64_t offset);

  int load_xclbin(std::span<const std::byte> file);
  int create_buffer(Client& client, uint64_t size, uint32_t bank, void* host, uint32_t* handle);
  int create_command(Client& client, uint64_t size, uint32_t* handle);
  int describe_buffer(Client& client, uint32_t handle, uint64_t* size, uint64_t* address);
  int find_map_offset(Client& client, uint32_t handle, uint64_t* offset);
  int close_buffer(Client& client, uint32_t handle);
  int sync(Client& client, uint32_t handle, bool to_device, uint64_t offset, uint64_t size);
  // Returns the unit whose registers are at an address; -EINVAL if no unit is there.
  int find_unit(uint64_t address);
  int open_context(Client& client, uint32_t unit, bool exclusive);
  int close_context(Client& client, uint32_t unit);
  int execute(Client& client, uint32_t handle);

 private:
  Board();

  std::optional<Client::Buffer> find_buffer(Client& client, uint32_t handle);
  int map_host_memory(Client& client, Client::Buffer* buffer);
  int abort(Client& client, uint32_t handle);
  void make_units(const LoadedXclbin& loaded);
  void complete(int file);
  bool has_contexts() const;
  void release(Client& client);

  const test::TemporaryFolder folder_;
  BoardFaults faults_;
  DeviceMemory memory_;
  const evta::Configuration* configuration_;
  uint64_t most_micro_ops_ = kFewMicroOps;

  std::mutex mutex_;
  std::condition_variable completed_;
  std::map<int, std::unique_ptr<Client>> clients_;  // key: file descriptor
  std::vector<std::byte> uuid_;                     // UUID of the loaded xclbin
  std::vector<std::unique_ptr<ComputeUnit>> units_;
  // The accelerators of an xclbin with VTA's stages, and the accelerator of each unit.
  std::vector<std::shared_ptr<Stages>> stages_;
  std::vector<std::pair<int, uint32_t>> aborts_;  // unanswered: file and buffer
  std::atomic<bool> has_been_opened_ = false;
  BoardLogic* logic_ = nullptr;  // instead of the stages
  bool is_coherent_ = false;
  bool is_stuck_ = false;  // whether a compute unit that could not be stopped blocks the scheduler
};

}  // namespace nestrt::boards
