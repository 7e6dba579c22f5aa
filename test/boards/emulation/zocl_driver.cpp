// SPDX-License-Identifier: Apache-2.0
// zocl of XRT 2.13: the ioctls of zynq_ioctl.h, which is not installed, and the files that XRT uses to find the device
// and its xclbin. The structures contain only the members that are used.
#include <fmt/core.h>
#include <xclbin.h>

#include <cerrno>
#include <cstring>

#include "test/boards/emulation/driver.h"
#include "test/boards/logic/device_node.h"

namespace nestrt::boards {
namespace {

// Ioctls common to all DRM drivers; the driver's own start at kOwn.
constexpr unsigned kVersion = 0x00, kCloseBuffer = 0x09, kOwn = 0x40;
enum : unsigned {
  kCreateBuffer = kOwn,
  kMapBuffer = kOwn + 3,
  kSyncBuffer,
  kDescribeBuffer,
  kExecute = kOwn + 9,
  kReadXclbin,
  kDescribeUnit = kOwn + 14,
  kContext,
};
constexpr uint32_t kBankMask = 0xffff, kCommandBuffer = 1u << 31;
constexpr const char* kDevice = "sys/class/drm/renderD128/device";

struct Version {
  int major, minor, patch;
  size_t name_size;
  char* name;
};

struct CreateRequest {
  uint64_t size;
  uint32_t handle, flags;
};

struct MapRequest {
  uint32_t handle, padding;
  uint64_t offset;
};

struct SyncRequest {
  uint32_t handle, direction;  // 0: to the device
  uint64_t offset, size;
};

struct Description {
  uint32_t handle, flags;
  uint64_t size, address;
};

struct UnitDescription {
  uint64_t address;
  int aperture, unit;
};

struct ContextRequest {
  uint64_t uuid, uuid_size;
  uint32_t unit, flags, handle, operation;
};
constexpr uint32_t kOpen = 0, kExclusive = 2;

struct ExecuteRequest {
  uint32_t context, buffer;
};

struct XclbinRequest {
  const axlf* file;
};

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

int answer_version(void* argument) {
  auto* const version = static_cast<Version*>(argument);
  std::strncpy(version->name, "zocl", version->name_size);
  return 0;
}

int create(Board& board, Client& client, CreateRequest* request) {
  if ((request->flags & kCommandBuffer) != 0) return board.create_command(client, request->size, &request->handle);
  return board.create_buffer(client, request->size, request->flags & kBankMask, nullptr, &request->handle);
}

// Describes unit i. Its registers are mapped at page i + 1.
int describe_unit(Board& board, UnitDescription* request) {
  if (request->unit < 0) request->unit = board.find_unit(request->address);
  if (request->unit < 0) return request->unit;
  request->aperture = request->unit + 1;
  return 0;
}

int change_context(Board& board, Client& client, const ContextRequest* request) {
  if (request->operation == kOpen) return board.open_context(client, request->unit, (request->flags & kExclusive) != 0);
  return board.close_context(client, request->unit);
}

}  // namespace

const std::string_view kBoard = "zcu102";
const std::string_view kShell = "xilinx_zcu102_base_202210_1";

// Returns the CMA pool.
std::vector<MemoryBank> driver_banks() { return {{"DDR", 0, uint64_t{256} << 20, false}}; }

void write_device_nodes(const std::filesystem::path& root) {
  write_node(root / "dev/dri/renderD128", "");
  std::filesystem::create_directories(root / "dev/dri/by-path");
  std::filesystem::create_symlink("../renderD128", root / "dev/dri/by-path/platform-axi:zyxclmm_drm-render");
  write_node(root / kDevice / "kds_custat_raw", "");
  write_node(root / kDevice / "xclbinid", "0 00000000-0000-0000-0000-000000000000\n");
}

void write_xclbin_nodes(const std::filesystem::path& root, const LoadedXclbin& loaded) {
  std::string units, uuid;
  for (size_t i = 0; i < loaded.units.size(); ++i)
    units += fmt::format("0,{},{},{:#x},0x4,0\n", i, loaded.units[i].name, loaded.units[i].address);
  for (size_t i = 0; i < loaded.uuid.size(); ++i)
    uuid += fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", loaded.uuid[i]);
  write_node(root / kDevice / "kds_custat_raw", units);
  write_node(root / kDevice / "xclbinid", "0 " + uuid + "\n");
  write_node(root / kDevice / "ip_layout", text_of(loaded.ip_layout));
  write_node(root / kDevice / "mem_topology", text_of(loaded.mem_topology));
}

int control(Board& board, Client& client, unsigned number, void* argument) {
  switch (number) {
    case kVersion:
      return answer_version(argument);
    case kCloseBuffer:
      return board.close_buffer(client, *static_cast<uint32_t*>(argument));
    case kCreateBuffer:
      return create(board, client, static_cast<CreateRequest*>(argument));
    case kMapBuffer: {
      auto* const request = static_cast<MapRequest*>(argument);
      return board.find_map_offset(client, request->handle, &request->offset);
    }
    case kSyncBuffer: {
      const auto* const request = static_cast<SyncRequest*>(argument);
      return board.sync(client, request->handle, request->direction == 0, request->offset, request->size);
    }
    case kDescribeBuffer: {
      auto* const request = static_cast<Description*>(argument);
      return board.describe_buffer(client, request->handle, &request->size, &request->address);
    }
    case kExecute:
      return board.execute(client, static_cast<ExecuteRequest*>(argument)->buffer);
    case kReadXclbin: {
      const axlf* const file = static_cast<XclbinRequest*>(argument)->file;
      return board.load_xclbin({reinterpret_cast<const std::byte*>(file), file->m_header.m_length});
    }
    case kDescribeUnit:
      return describe_unit(board, static_cast<UnitDescription*>(argument));
    case kContext:
      return change_context(board, client, static_cast<ContextRequest*>(argument));
    default:
      return -ENOTTY;
  }
}

}  // namespace nestrt::boards
