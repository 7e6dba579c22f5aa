// SPDX-License-Identifier: Apache-2.0
#include "test/boards/emulation/board.h"

#include <ert.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xclbin.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "test/boards/emulation/driver.h"
#include "test/boards/logic/register_window.h"
#include "test/boards/xclbin/xclbin_writer.h"

namespace nestrt::boards {
namespace {

// Register offsets of vta(); see xclbin_writer.h.
constexpr size_t kCountRegister = 0x10 / 4, kAddressRegister = 0x18 / 4;

LoadedXclbin read_xclbin(std::span<const std::byte> file) {
  axlf header;
  std::memcpy(&header, file.data(), sizeof(header));
  LoadedXclbin loaded;
  loaded.uuid.assign(header.m_header.uuid, header.m_header.uuid + sizeof(header.m_header.uuid));
  loaded.ip_layout = find_section(file, IP_LAYOUT);
  loaded.mem_topology = find_section(file, MEM_TOPOLOGY);
  int32_t count = 0;
  std::memcpy(&count, loaded.ip_layout.data(), sizeof(count));
  for (int32_t i = 0; i < count; ++i) {
    ip_data entry;
    std::memcpy(&entry, loaded.ip_layout.data() + offsetof(ip_layout, m_ip_data) + i * sizeof(entry), sizeof(entry));
    const bool is_user_managed = (entry.properties & IP_CONTROL_MASK) >> IP_CONTROL_SHIFT == AP_CTRL_NONE;
    loaded.units.push_back({reinterpret_cast<const char*>(entry.m_name), entry.m_base_address, is_user_managed});
  }
  return loaded;
}

void* map_registers_of(BoardLogic& logic, size_t size, Stage stage) {
  using Kind = BoardRequest::Kind;
  return map_register_window(size, {[&logic, stage](uint32_t offset) {
                                      return logic.access({Kind::kRead, 0, stage, offset, 0, 0, 0});
                                    },
                                    [&logic, stage](uint32_t offset, uint32_t value) {
                                      logic.access({Kind::kWrite, 0, stage, offset, value, 0, 0});
                                    }});
}

}  // namespace

Board& Board::instance() {
  static Board board;
  return board;
}

Board::Board() : memory_(driver_banks()), configuration_(&evta::kConfigurations[0]) { write_device_nodes(root()); }

void Board::set_configuration(const evta::Configuration& configuration, uint64_t most_micro_ops) {
  const std::lock_guard lock(mutex_);
  configuration_ = &configuration;
  most_micro_ops_ = most_micro_ops;
  uuid_.clear();
}

void Board::set_coherent(bool coherent) {
  const std::lock_guard lock(mutex_);
  is_coherent_ = coherent;
}

void Board::use(OutlivingLogic& logic) {
  use_registers(logic);
  memory_.use_pages(logic.memory());
}

void Board::use_registers(BoardLogic& logic) {
  const std::lock_guard lock(mutex_);
  logic_ = &logic;
}

void Board::reset_card() {
  const std::lock_guard lock(mutex_);
  is_stuck_ = false;
  for (const auto& stages : stages_) stages->reset();
}

std::shared_ptr<Stages> Board::stages(size_t accelerator) {
  const std::lock_guard lock(mutex_);
  return accelerator < stages_.size() ? stages_[accelerator] : nullptr;
}

int Board::runs_started() {
  const std::lock_guard lock(mutex_);
  int runs = 0;
  for (const auto& stages : stages_) runs += stages->runs_started();
  for (const auto& unit : units_) runs += unit->runs_started();
  return runs;
}

// --- Files.

int Board::open() {
  if (const int error = faults_.take_error(Call::kOpen)) return -error;
  has_been_opened_ = true;
  const int file = memfd_create("board", MFD_CLOEXEC);
  if (file < 0) return -errno;
  const std::lock_guard lock(mutex_);
  auto client = std::make_unique<Client>();
  client->file = file;
  client->file_size = kFirstBuffer;
  clients_[file] = std::move(client);
  return ftruncate(file, kFirstBuffer) == 0 ? file : -errno;
}

bool Board::is_open(int file) {
  const std::lock_guard lock(mutex_);
  return clients_.contains(file);
}

void Board::close(int file) {
  std::vector<ComputeUnit*> units;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& unit : units_) units.push_back(unit.get());
  }
  for (ComputeUnit* unit : units) unit->abort(file, nullptr);
  const std::lock_guard lock(mutex_);
  const auto found = clients_.find(file);
  if (found == clients_.end()) return;
  release(*found->second);
  clients_.erase(found);
}

void Board::release(Client& client) {
  for (const auto& [handle, buffer] : client.buffers) {
    if (buffer.address != 0) memory_.free(buffer.address);
    if (buffer.map_offset != 0) munmap(buffer.host, buffer.size);
  }
}

int Board::control(int file, unsigned long request, void* argument) {
  Client* client = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto found = clients_.find(file);
    if (found == clients_.end()) return -EBADF;
    client = found->second.get();
  }
  return boards::control(*this, *client, static_cast<unsigned>(request & 0xff), argument);
}

int Board::poll(int file, int timeout_ms) {
  std::unique_lock lock(mutex_);
  const auto found = clients_.find(file);
  if (found == clients_.end()) return -EBADF;
  Client& client = *found->second;
  const auto is_reported = [&] { return client.completions > 0; };
  if (timeout_ms < 0)
    completed_.wait(lock, is_reported);
  else
    completed_.wait_for(lock, std::chrono::milliseconds(timeout_ms), is_reported);
  if (client.completions == 0) return 0;
  --client.completions;
  return 1;
}

void Board::complete(int file) {
  const std::lock_guard lock(mutex_);
  const auto found = clients_.find(file);
  if (found != clients_.end()) ++found->second->completions;
  completed_.notify_all();
}

// --- The xclbin.

bool Board::has_contexts() const {
  return std::ranges::any_of(clients_, [](const auto& entry) { return !entry.second->contexts.empty(); });
}

int Board::load_xclbin(std::span<const std::byte> file) {
  if (const int error = faults_.take_error(Call::kLoadXclbin)) return -error;
  axlf header;
  std::memcpy(&header, file.data(), sizeof(header));
  if (reinterpret_cast<const char*>(header.m_header.m_platformVBNV) != kShell) return -EOPNOTSUPP;
  const auto* const uuid = reinterpret_cast<const std::byte*>(header.m_header.uuid);
  const std::lock_guard lock(mutex_);
  if (is_stuck_) return -EDEADLK;
  if (std::equal(uuid_.begin(), uuid_.end(), uuid, uuid + sizeof(header.m_header.uuid))) return 0;
  if (has_contexts()) return -EBUSY;
  const LoadedXclbin loaded = read_xclbin(file);
  make_units(loaded);
  write_xclbin_nodes(root(), loaded);
  uuid_.assign(uuid, uuid + sizeof(header.m_header.uuid));
  return 0;
}

void Board::make_units(const LoadedXclbin& loaded) {
  units_.clear();
  const auto accelerator = [&] { return Accelerator(*configuration_, memory_, most_micro_ops_); };
  stages_.clear();
  for (const LoadedUnit& unit : loaded.units)
    if (unit.is_user_managed || unit.name.starts_with("fetch:"))
      stages_.push_back(std::make_shared<Stages>(accelerator(), faults_, unit.is_user_managed));
  for (const LoadedUnit& unit : loaded.units)
    units_.push_back(std::make_unique<ComputeUnit>(unit.name, unit.address, accelerator(), faults_,
                                                   [this](const Command& command) { complete(command.file); }));
}

int Board::find_unit(uint64_t address) {
  const std::lock_guard lock(mutex_);
  for (size_t i = 0; i < units_.size(); ++i)
    if (units_[i]->address() == address) return static_cast<int>(i);
  return -EINVAL;
}

int Board::open_context(Client& client, uint32_t unit, bool exclusive) {
  if (unit == UINT32_MAX) return 0;  // the virtual unit of the whole device
  if (const int error = faults_.take_error(Call::kOpenContext)) return -error;
  const std::lock_guard lock(mutex_);
  if (unit >= units_.size()) return -EINVAL;
  for (const auto& [file, other] : clients_) {
    const auto found = other->contexts.find(unit);
    if (found != other->contexts.end() && (exclusive || found->second)) return -EBUSY;
  }
  client.contexts[unit] = exclusive;
  return 0;
}

int Board::close_context(Client& client, uint32_t unit) {
  const std::lock_guard lock(mutex_);
  client.contexts.erase(unit);
  return 0;
}

// Maps the registers of unit i at page i + 1 of the file. xocl uses this offset by default, zocl because of the
// apertures that it reports. The units are the stages of one accelerator, or user-managed kernels.
void* Board::map_registers(int file, size_t size, uint64_t offset) {
  const std::lock_guard lock(mutex_);
  const size_t unit = offset / kPageBytes - 1;
  const bool are_stages = stages_.size() == 1 && units_.size() == kNumStages;
  if (!clients_.contains(file) || unit >= (are_stages ? kNumStages : stages_.size())) return nullptr;
  if (logic_ != nullptr) return map_registers_of(*logic_, size, static_cast<Stage>(unit));
  const std::shared_ptr<Stages> stages = stages_[are_stages ? 0 : unit];
  const auto first = static_cast<uint32_t>(are_stages ? unit : 0);
  const auto stage_at = [first](uint32_t place) { return static_cast<Stage>(first + place / kStageBytes); };
  return map_register_window(
      size, {[=](uint32_t place) { return stages->read(stage_at(place), place % kStageBytes); },
             [=](uint32_t place, uint32_t value) { stages->write(stage_at(place), place % kStageBytes, value); }});
}

// --- Buffers.

int Board::map_host_memory(Client& client, Client::Buffer* buffer) {
  buffer->map_offset = client.file_size;
  client.file_size += (buffer->size + kPageBytes - 1) / kPageBytes * kPageBytes;
  if (ftruncate(client.file, static_cast<off_t>(client.file_size)) != 0) return -errno;
  void* const pages = mmap(nullptr, buffer->size, PROT_READ | PROT_WRITE, MAP_SHARED, client.file,
                           static_cast<off_t>(buffer->map_offset));
  if (pages == MAP_FAILED) return -errno;
  buffer->host = static_cast<std::byte*>(pages);
  return 0;
}

int Board::create_buffer(Client& client, uint64_t size, uint32_t bank, void* host, uint32_t* handle) {
  if (const int error = faults_.take_error(Call::kCreateBuffer)) return -error;
  const std::optional<uint64_t> address = memory_.allocate(bank + (faults_.is_wrong_bank() ? 1 : 0), size);
  if (!address) return -ENOMEM;
  Client::Buffer buffer;
  buffer.size = size;
  buffer.address = *address;
  buffer.host = static_cast<std::byte*>(host);
  const std::lock_guard lock(mutex_);
  if (host == nullptr)
    if (const int error = map_host_memory(client, &buffer)) return error;
  if (is_coherent_) memory_.share(buffer.address, buffer.host);
  client.buffers[*handle = ++client.last_handle] = buffer;
  return 0;
}

std::optional<Client::Buffer> Board::find_buffer(Client& client, uint32_t handle) {
  const std::lock_guard lock(mutex_);
  const auto found = client.buffers.find(handle);
  return found == client.buffers.end() ? std::nullopt : std::optional(found->second);
}

int Board::describe_buffer(Client& client, uint32_t handle, uint64_t* size, uint64_t* address) {
  const std::optional<Client::Buffer> buffer = find_buffer(client, handle);
  if (!buffer) return -EINVAL;
  *size = buffer->size;
  *address = buffer->address;
  return 0;
}

int Board::find_map_offset(Client& client, uint32_t handle, uint64_t* offset) {
  if (const int error = faults_.take_error(Call::kMapBuffer)) return -error;
  const std::optional<Client::Buffer> buffer = find_buffer(client, handle);
  if (!buffer) return -EINVAL;
  *offset = buffer->map_offset;
  return 0;
}

int Board::create_command(Client& client, uint64_t size, uint32_t* handle) {
  if (const int error = faults_.take_error(Call::kCreateBuffer)) return -error;
  Client::Buffer buffer;
  buffer.size = size;
  const std::lock_guard lock(mutex_);
  if (const int error = map_host_memory(client, &buffer)) return error;
  client.buffers[*handle = ++client.last_handle] = buffer;
  return 0;
}

int Board::close_buffer(Client& client, uint32_t handle) {
  const std::lock_guard lock(mutex_);
  const auto found = client.buffers.find(handle);
  if (found == client.buffers.end()) return -EINVAL;
  if (found->second.address != 0) memory_.free(found->second.address);
  if (found->second.map_offset != 0) munmap(found->second.host, found->second.size);
  client.buffers.erase(found);
  return 0;
}

int Board::sync(Client& client, uint32_t handle, bool to_device, uint64_t offset, uint64_t size) {
  if (const int error = faults_.take_error(Call::kSync)) return -error;
  const std::lock_guard lock(mutex_);
  const auto found = client.buffers.find(handle);
  if (found == client.buffers.end()) return -ENOENT;
  const Client::Buffer& buffer = found->second;
  if (offset > buffer.size || size > buffer.size - offset) return -EINVAL;
  std::byte* const device = memory_.find(buffer.address + offset, size);
  if (device == nullptr) return -EIO;
  std::byte* const host = buffer.host + offset;
  if (device != host) std::memcpy(to_device ? device : host, to_device ? host : device, size);
  return 0;
}

// --- Runs.

int Board::execute(Client& client, uint32_t handle) {
  if (const int error = faults_.take_error(Call::kExecute)) return -error;
  std::unique_lock lock(mutex_);
  if (is_stuck_) return -EDEADLK;
  const auto found = client.buffers.find(handle);
  if (found == client.buffers.end()) return -EINVAL;
  auto* const words = reinterpret_cast<uint32_t*>(found->second.host);
  const auto* const packet = reinterpret_cast<const ert_start_kernel_cmd*>(words);
  if (packet->opcode == ERT_ABORT) {
    lock.unlock();
    return abort(client, handle);
  }
  if (packet->opcode != ERT_START_CU) {  // configures the scheduler, which is a no-op here
    set_state(words, CommandState::kCompleted);
    ++client.completions;
    completed_.notify_all();
    return 0;
  }
  const auto unit = static_cast<size_t>(std::countr_zero(packet->cu_mask));
  if (unit >= units_.size() || !client.contexts.contains(static_cast<uint32_t>(unit))) return -EINVAL;
  const uint32_t* const registers = packet->data + packet->extra_cu_masks;
  units_[unit]->submit({client.file, handle, words, registers[kCountRegister], registers[kAddressRegister]});
  return 0;
}

int Board::abort(Client& client, uint32_t handle) {
  if (faults_.is_deaf()) {
    const std::lock_guard lock(mutex_);
    aborts_.emplace_back(client.file, handle);
    return 0;
  }
  std::vector<ComputeUnit*> units;
  uint32_t* words = nullptr;
  const uint32_t* target = nullptr;
  {
    const std::lock_guard lock(mutex_);
    words = reinterpret_cast<uint32_t*>(client.buffers[handle].host);
    const auto* const packet = reinterpret_cast<const ert_abort_cmd*>(words);
    const auto found = client.buffers.find(static_cast<uint32_t>(packet->exec_bo_handle));
    if (found == client.buffers.end()) return -EINVAL;
    target = reinterpret_cast<const uint32_t*>(found->second.host);
    for (const auto& unit : units_) units.push_back(unit.get());
  }
  bool forced = false;
  for (ComputeUnit* unit : units) forced = unit->abort(client.file, target) || forced;
  if (forced && !faults_.is_resettable()) {
    const std::lock_guard lock(mutex_);
    is_stuck_ = true;
  }
  set_state(words, CommandState::kCompleted);
  complete(client.file);
  return 0;
}

void Board::answer_aborts() {
  faults_.set_deaf(false);
  std::vector<std::pair<Client*, uint32_t>> waiting;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [file, handle] : aborts_)
      if (clients_.contains(file)) waiting.emplace_back(clients_[file].get(), handle);
    aborts_.clear();
  }
  for (const auto& [client, handle] : waiting) static_cast<void>(abort(*client, handle));
}

}  // namespace nestrt::boards
