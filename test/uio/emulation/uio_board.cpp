// SPDX-License-Identifier: Apache-2.0
#include "test/uio/emulation/uio_board.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstring>

#include "drivers/evta/board/stage_registers.h"
#include "test/boards/logic/device_node.h"
#include "test/boards/logic/register_window.h"

namespace nestrt::boards {
namespace {

constexpr uint64_t kAcceleratorBytes = 0x10000;  // distance of accelerators
constexpr const char* kPool = "sys/class/u-dma-buf/udmabuf0/";

UioBoard* g_board = nullptr;

std::byte* map_file(const std::string& path, uint64_t size) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  REQUIRE(file >= 0);
  REQUIRE(ftruncate(file, static_cast<off_t>(size)) == 0);
  void* const pages = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  REQUIRE(pages != MAP_FAILED);
  ::close(file);
  return static_cast<std::byte*>(pages);
}

}  // namespace

UioBoard* UioBoard::current() { return g_board; }

UioBoard::UioBoard(UioBoardOptions options)
    : options_(std::move(options)), memory_({{"pool", options_.pool_address, options_.pool_bytes}}) {
  write_nodes();
  host_ = map_file(root() + "/dev/udmabuf0", options_.pool_bytes);
  device_ = options_.is_coherent ? host_ : map_file(root() + "/device_memory", options_.pool_bytes);
  memory_.share(*memory_.allocate(0, options_.pool_bytes), device_);
  for (int i = 0; i < options_.accelerators; ++i) {
    Accelerator accelerator(*options_.configuration, memory_, options_.most_micro_ops);
    accelerator.set_defect(options_.defect);
    stages_.push_back(std::make_unique<Stages>(std::move(accelerator), faults_));
    stages_.back()->set_end_handler([this] {
      has_interrupt_status_ = true;
      if (is_interrupt_enabled_ && !loses_interrupts_) interrupt_clients();
    });
  }
  setenv("NESTRT_SYSTEM_ROOT", root().c_str(), 1);
  g_board = this;
}

UioBoard::~UioBoard() {
  g_board = nullptr;
  unsetenv("NESTRT_SYSTEM_ROOT");
  stages_.clear();
  munmap(host_, options_.pool_bytes);
  if (device_ != host_) munmap(device_, options_.pool_bytes);
}

// --- The tree of files.

void UioBoard::write(const std::string& path, std::string_view text) { write_node(root() + "/" + path, text); }

void UioBoard::remove(const std::string& path) { std::filesystem::remove_all(root() + "/" + path); }

void UioBoard::write_uio_node(size_t node, const std::string& name, uint64_t address, uint64_t size) {
  const std::string folder = fmt::format("sys/class/uio/uio{}/", node);
  write(folder + "name", name + "\n");
  write(folder + "maps/map0/addr", fmt::format("{:#018x}\n", address));
  write(folder + "maps/map0/size", fmt::format("{:#018x}\n", size));
  write(folder + "maps/map0/offset", "0x0\n");
  write(fmt::format("dev/uio{}", node), "");
}

void UioBoard::write_nodes() {
  std::filesystem::create_directories(root() + "/tmp");
  write("sys/firmware/devicetree/base/compatible", std::string("xlnx,zynqmp-zcu102-rev1.0\0xlnx,zynqmp\0", 38));
  write("sys/firmware/devicetree/base/model", std::string("ZynqMP ZCU102 Rev1.0\0", 21));
  fpga_manager_.write_nodes(options_.fabric);
  write("sys/class/uio/uio9/name", "axi-pmon\n");  // as in every device tree of a Zynq UltraScale+
  write("sys/class/uio/uio9/maps/map0/addr", "0x00000000ffa00000\n");
  write("sys/class/uio/uio9/maps/map0/size", "0x0000000000010000\n");
  for (size_t i = 0; i < static_cast<size_t>(options_.accelerators); ++i) {
    const uint64_t address = options_.registers + i * kAcceleratorBytes;
    if (!options_.has_node_per_stage) write_uio_node(i, "evta", address, evta::kNumStages * evta::kStageBytes);
    for (size_t s = 0; options_.has_node_per_stage && s < evta::kNumStages; ++s)
      write_uio_node(i * evta::kNumStages + s, fmt::format("{}_{}", evta::kStageNames[s], i),
                     address + s * evta::kStageBytes, evta::kStageBytes);
  }
  write("dev/mem", "");
  write(std::string(kPool) + "phys_addr", fmt::format("{:#018x}\n", options_.pool_address));
  write(std::string(kPool) + "size", fmt::format("{}\n", options_.pool_bytes));
  write(std::string(kPool) + "dma_coherent", options_.is_declared_coherent ? "1\n" : "0\n");
  write(std::string(kPool) + "sync_for_device", "0\n");
  write(std::string(kPool) + "sync_for_cpu", "0\n");
  std::filesystem::create_directories(root() + "/dev");
}

bool UioBoard::is_node(const std::string& path) const {
  if (!path.starts_with(root() + "/")) return false;
  const std::string name = path.substr(root().size() + 1);
  return name.starts_with("dev/uio") || name == "dev/mem" || name.starts_with(std::string(kPool) + "sync_for_") ||
         fpga_manager_.is_attribute(name);
}

// --- Open files.

// A UIO device with an interrupt is a socket: it becomes readable on interrupts, and writes of the client enable them.
// Without an interrupt, the file is read-only, so that these writes fail, as with UIO.
int UioBoard::open(const std::string& path) {
  OpenFile opened{path.substr(root().size() + 1), -1};
  const bool exists = std::filesystem::exists(path);
  int file = -1;
  if (exists && opened.name.starts_with("dev/uio") && options_.has_interrupt) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) return -1;
    file = ends[0];
    opened.interrupts = ends[1];
  } else if (exists) {
    file = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path.c_str(), O_RDONLY | O_CLOEXEC));
  }
  if (!exists) errno = ENOENT;
  if (file < 0) return -1;
  const std::lock_guard lock(mutex_);
  files_[file] = std::move(opened);
  return file;
}

void UioBoard::close(int file) {
  int interrupts = -1;
  {
    const std::lock_guard lock(mutex_);
    const auto found = files_.find(file);
    if (found == files_.end()) return;
    interrupts = found->second.interrupts;
    files_.erase(found);
  }
  if (interrupts >= 0) ::close(interrupts);
}

void* UioBoard::map_registers(int file, size_t size, uint64_t offset) {
  std::string name;
  {
    const std::lock_guard lock(mutex_);
    const auto found = files_.find(file);
    if (found == files_.end() || found->second.name.starts_with("sys/")) return nullptr;
    name = found->second.name;
  }
  uint32_t accelerator = 0;
  uint32_t first_stage = 0;
  if (name != "dev/mem") {
    const auto node = static_cast<uint32_t>(std::stoul(name.substr(std::strlen("dev/uio"))));
    const uint32_t nodes = options_.has_node_per_stage ? evta::kNumStages : 1;
    accelerator = node / nodes;
    first_stage = node % nodes;
  } else {
    accelerator = static_cast<uint32_t>((offset - options_.registers) / kAcceleratorBytes);
  }
  const auto request_of = [=](BoardRequest::Kind kind, uint32_t place, uint32_t value) {
    const auto stage = static_cast<Stage>(first_stage + place / evta::kStageBytes);
    return BoardRequest{kind, accelerator, stage, static_cast<uint32_t>(place % evta::kStageBytes), value, 0, 0};
  };
  return map_register_window(
      size, {[this, request_of](uint32_t place) { return access(request_of(BoardRequest::Kind::kRead, place, 0)); },
             [this, request_of](uint32_t place, uint32_t value) {
               access(request_of(BoardRequest::Kind::kWrite, place, value));
             }});
}

bool UioBoard::write_attribute(int file, std::string_view text, int* error) {
  std::string name;
  {
    const std::lock_guard lock(mutex_);
    const auto found = files_.find(file);
    if (found == files_.end() || !found->second.name.starts_with("sys/")) return false;
    name = found->second.name;
  }
  *error = name.starts_with(kPool) ? synchronise(name, text) : fpga_manager_.write(name, text);
  return true;
}

// The text is offset, size, direction and command in one number.
int UioBoard::synchronise(const std::string& attribute, std::string_view text) {
  const bool is_to_device = attribute.ends_with("sync_for_device");
  const uint64_t command = std::stoull(std::string(text), nullptr, 0);
  const auto kind = is_to_device ? BoardRequest::Kind::kToDevice : BoardRequest::Kind::kFromDevice;
  const uint64_t direction = command >> 2 & 3;
  const bool is_valid = (command & 1) == 1 && direction == (is_to_device ? 1u : 2u);
  if (!is_valid) return EINVAL;
  return static_cast<int>(access({kind, 0, Stage::kFetch, 0, 0, command >> 32, command & 0xfffffff0}));
}

// --- Accesses.

uint32_t UioBoard::answer(const BoardRequest& request) {
  switch (request.kind) {
    case BoardRequest::Kind::kRead:
      ++accesses_;
      return read_register(request);
    case BoardRequest::Kind::kWrite:
      ++accesses_;
      write_register(request);
      return 0;
    case BoardRequest::Kind::kToDevice:
    case BoardRequest::Kind::kFromDevice:
      break;
  }
  return copy(request);
}

uint32_t UioBoard::read_register(const BoardRequest& request) {
  if (raises_bus_errors_) raise(SIGBUS);
  if (stray_bits_ != 0) return stray_bits_;
  if (request.stage == Stage::kFetch && request.offset == evta::kInterruptStatus) return has_interrupt_status_ ? 1 : 0;
  return stages_[request.accelerator]->read(request.stage, request.offset);
}

void UioBoard::write_register(const BoardRequest& request) {
  if (request.stage == Stage::kFetch && request.offset == evta::kInterruptStatus && (request.value & 1) != 0)
    has_interrupt_status_ = !has_interrupt_status_;
  if (request.stage == Stage::kFetch && request.offset == evta::kInterruptEnable)
    is_interrupt_enabled_ = request.value == 1;
  const bool is_start = request.stage == Stage::kFetch && request.offset == evta::kControl;
  if (is_start && options_.is_declared_coherent && device_ != host_) clean_instructions(*stages_[request.accelerator]);
  stages_[request.accelerator]->write(request.stage, request.offset, request.value);
}

// The driver's cleaning of cache lines is not visible here, so the instructions are copied when fetch starts.
void UioBoard::clean_instructions(Stages& stages) {
  const uint64_t begin = stages.read(Stage::kFetch, evta::kFetchAddress) - options_.pool_address;
  const uint64_t size = stages.read(Stage::kFetch, evta::kFetchCount) * sizeof(evta::InstructionWord);
  std::memcpy(device_ + begin, host_ + begin, size);
}

uint32_t UioBoard::copy(const BoardRequest& request) {
  if (fails_to_synchronise_) return EIO;
  if (request.begin > options_.pool_bytes || request.size > options_.pool_bytes - request.begin) return EINVAL;
  if (options_.is_declared_coherent || device_ == host_) return 0;
  const bool is_to_device = request.kind == BoardRequest::Kind::kToDevice;
  std::memcpy((is_to_device ? device_ : host_) + request.begin, (is_to_device ? host_ : device_) + request.begin,
              request.size);
  return 0;
}

// An interrupt reaches a client that has enabled it since the last one.
void UioBoard::interrupt_clients() {
  const std::lock_guard lock(mutex_);
  for (const auto& [file, opened] : files_) {
    if (opened.interrupts < 0) continue;
    uint32_t enabled = 0;
    bool is_enabled = false;
    while (::recv(opened.interrupts, &enabled, sizeof(enabled), MSG_DONTWAIT) > 0) is_enabled = enabled == 1;
    const uint32_t count = 1;
    if (is_enabled) ::send(opened.interrupts, &count, sizeof(count), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
}

}  // namespace nestrt::boards
