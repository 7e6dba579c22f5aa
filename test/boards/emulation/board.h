// Board: what the kernel driver and the logic of a board are to a process that uses XRT, in the process itself. Calls
// of the C library that are meant for the driver come here (interposer.cpp), are read as xocl's or zocl's ioctls
// (driver.h), and are answered from here: buffers, contexts of compute units, runs, completions.
//
// Host and device have memories of their own: what is not synchronised is not seen, but on a coherent port. A run is
// computed by a thread of its compute unit. One completion is reported per poll, as the kernel drivers do.
//
// Threads: all members are safe from any thread.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "test/boards/emulation/accelerator.h"
#include "test/boards/emulation/board_faults.h"
#include "test/boards/emulation/compute_unit.h"
#include "test/boards/emulation/device_memory.h"
#include "test/boards/emulation/stages.h"
#include "test/support/process/temporary_folder.h"

namespace nestrt::boards {

// What a file of the device that is open has, and loses when it is closed.
struct Client {
  struct Buffer {
    uint64_t size = 0;
    uint64_t address = 0;       // the device's; 0 where it is not in the device's memory
    std::byte* host = nullptr;  // what the host sees
    uint64_t map_offset = 0;    // of its pages in the file; 0 for memory of the process's own
  };

  int file = -1;
  std::map<uint32_t, Buffer> buffers;  // by handle
  std::map<uint32_t, bool> contexts;   // by compute unit: exclusive
  uint64_t file_size = 0;
  uint32_t last_handle = 0;
  int completions = 0;  // that were not reported
};

struct LoadedUnit {
  std::string name;  // kernel:unit
  uint64_t address;
};

struct LoadedXclbin {
  std::vector<unsigned char> uuid;
  std::vector<LoadedUnit> units;
  std::span<const std::byte> ip_layout, mem_topology;
};

class Board {
 public:
  // Offset of the first buffer in a file of the device; what lies before it are registers.
  static constexpr uint64_t kFirstBuffer = 1 << 24;

  // The one of the process; made before main() where the program has interposer.cpp.
  static Board& instance();

  BoardFaults& faults() { return faults_; }
  DeviceMemory& memory() { return memory_; }
  // Where files of the device are looked for: /sys/... of the device is sys/... there.
  std::filesystem::path root() const { return folder_.path(); }
  // The next xclbin that is loaded has compute units of it, which hang in a run of more micro-ops than that.
  void set_configuration(const evta::Configuration& configuration, uint64_t most_micro_ops = kFewMicroOps);
  // Whether the accelerators' port is coherent with the host's caches: then both see the same bytes of buffers that are
  // made from now on.
  void set_coherent(bool coherent);
  // As a card that was reset.
  void reset_card();
  // Of what is loaded; null where it has none.
  std::shared_ptr<Stages> stages();
  // Answers the aborts that were not, while it was deaf.
  void answer_aborts();
  // How many runs were started, for tests that count.
  int runs_started();

  // --- For driver.h and the interposer. Results: 0 or a negative errno.
  int open();  // a file descriptor
  bool is_open(int file);
  void close(int file);
  int control(int file, unsigned long request, void* argument);
  int poll(int file, int timeout_ms);  // as poll(2)

  // Registers of a compute unit, at that offset of the file; null for files that are none of the board's.
  void* map_registers(int file, size_t size, uint64_t offset);

  int load_xclbin(std::span<const std::byte> file);
  int create_buffer(Client& client, uint64_t size, uint32_t bank, void* host, uint32_t* handle);
  int create_command(Client& client, uint64_t size, uint32_t* handle);
  int describe_buffer(Client& client, uint32_t handle, uint64_t* size, uint64_t* address);
  int find_map_offset(Client& client, uint32_t handle, uint64_t* offset);
  int close_buffer(Client& client, uint32_t handle);
  int sync(Client& client, uint32_t handle, bool to_device, uint64_t offset, uint64_t size);
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
  std::map<int, std::unique_ptr<Client>> clients_;  // by file
  std::vector<std::byte> uuid_;                     // of what is loaded
  std::vector<std::unique_ptr<ComputeUnit>> units_;
  std::shared_ptr<Stages> stages_;                // where the xclbin has VTA's stages
  std::vector<std::pair<int, uint32_t>> aborts_;  // that were not answered: file and buffer
  bool is_coherent_ = false;
  bool is_stuck_ = false;  // the scheduler, by a compute unit that could not be stopped
};

}  // namespace nestrt::boards
