// SPDX-License-Identifier: Apache-2.0
// xocl of XRT 2.13: the ioctls of xocl_ioctl.h, and the sysfs files that XRT uses to find a card and its xclbin.
#include <fmt/core.h>
#include <xclbin.h>
#include <xocl_ioctl.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "test/boards/emulation/driver.h"
#include "test/boards/logic/device_node.h"

namespace nestrt::boards {
namespace {

// Ioctls common to all DRM drivers; the driver's own start at kOwn.
constexpr unsigned kVersion = 0x00, kCloseBuffer = 0x09, kOwn = 0x40;
constexpr uint32_t kBankMask = 0xffffff, kCommandBuffer = 1u << 31;
constexpr const char* kCardAddress = "0000:65:00.1";

// From <drm/drm.h>, which may not be installed.
struct Version {
  int major, minor, patch;
  size_t name_size;
  char* name;
};

int answer_version(void* argument) {
  auto* const version = static_cast<Version*>(argument);
  std::strncpy(version->name, "xocl", version->name_size);
  return 0;
}

int create(Board& board, Client& client, drm_xocl_create_bo* request) {
  if ((request->flags & kCommandBuffer) != 0) return board.create_command(client, request->size, &request->handle);
  return board.create_buffer(client, request->size, request->flags & kBankMask, nullptr, &request->handle);
}

int create_of_user(Board& board, Client& client, drm_xocl_userptr_bo* request) {
  return board.create_buffer(client, request->size, request->flags & kBankMask, reinterpret_cast<void*>(request->addr),
                             &request->handle);
}

int change_context(Board& board, Client& client, const drm_xocl_ctx* request) {
  if (request->op == XOCL_CTX_OP_ALLOC_CTX)
    return board.open_context(client, request->cu_index, (request->flags & XOCL_CTX_EXCLUSIVE) != 0);
  return board.close_context(client, request->cu_index);
}

int load(Board& board, const drm_xocl_axlf* request) {
  const auto* const file = reinterpret_cast<const std::byte*>(request->xclbin);
  return board.load_xclbin({file, request->xclbin->m_header.m_length});
}

}  // namespace

const std::string_view kBoard = "u280";
const std::string_view kShell = "xilinx_u280_gen3x16_xdma_base_1";

std::vector<MemoryBank> driver_banks() {
  constexpr uint64_t kSize = uint64_t{256} << 20;
  std::vector<MemoryBank> banks;
  for (uint64_t i = 0; i < 20; ++i) banks.push_back({fmt::format("HBM[{}]", i), i * kSize, kSize, true});
  return banks;
}

void write_device_nodes(const std::filesystem::path& root) {
  const std::filesystem::path device = root / "sys/bus/pci/devices" / kCardAddress;
  std::filesystem::create_directories(root / "sys/bus/pci/drivers/xocl" / kCardAddress);
  write_node(root / "dev/dri/renderD128", "");
  const std::pair<const char*, std::string_view> nodes[] = {
      {"drm/renderD128", ""},
      {"vendor", "0x10ee\n"},
      {"device", "0x500d\n"},
      {"userbar", "0\n"},
      {"resource", "0x0 0x1ffffff 0x0\n"},
      {"ready", "0x1\n"},
      {"nodma", "0\n"},
      {"kds_numcdmas", "0\n"},
      {"kds_custat_raw", ""},
      {"kds_scustat_raw", ""},
      {"xclbinuuid", "00000000-0000-0000-0000-000000000000\n"},
      {"rom.u.1/VBNV", kShell},
      {"icap.u.1/clock_freqs", "200\n0\n0\n0\n"},
  };
  for (const auto& [name, text] : nodes) write_node(device / name, text);
}

void write_xclbin_nodes(const std::filesystem::path& root, const LoadedXclbin& loaded) {
  const std::filesystem::path device = root / "sys/bus/pci/devices" / kCardAddress;
  std::string units, uuid;
  for (size_t i = 0; i < loaded.units.size(); ++i) {
    units += fmt::format("{},{},{:#x},0x4,0\n", i, loaded.units[i].name, loaded.units[i].address);
    write_node(device / fmt::format("CU[{}].u.{}/size", i, i), fmt::format("{}\n", kRegisterBytes));
  }
  for (size_t i = 0; i < loaded.uuid.size(); ++i)
    uuid += fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", loaded.uuid[i]);
  write_node(device / "kds_custat_raw", units);
  write_node(device / "xclbinuuid", uuid);
}

int control(Board& board, Client& client, unsigned number, void* argument) {
  switch (number) {
    case kVersion:
      return answer_version(argument);
    case kCloseBuffer:
      return board.close_buffer(client, *static_cast<uint32_t*>(argument));
    case kOwn + DRM_XOCL_CREATE_BO:
      return create(board, client, static_cast<drm_xocl_create_bo*>(argument));
    case kOwn + DRM_XOCL_USERPTR_BO:
      return create_of_user(board, client, static_cast<drm_xocl_userptr_bo*>(argument));
    case kOwn + DRM_XOCL_MAP_BO: {
      auto* const request = static_cast<drm_xocl_map_bo*>(argument);
      return board.find_map_offset(client, request->handle, &request->offset);
    }
    case kOwn + DRM_XOCL_SYNC_BO: {
      const auto* const request = static_cast<drm_xocl_sync_bo*>(argument);
      return board.sync(client, request->handle, request->dir == DRM_XOCL_SYNC_BO_TO_DEVICE, request->offset,
                        request->size);
    }
    case kOwn + DRM_XOCL_INFO_BO: {
      auto* const request = static_cast<drm_xocl_info_bo*>(argument);
      return board.describe_buffer(client, request->handle, &request->size, &request->paddr);
    }
    case kOwn + DRM_XOCL_CTX:
      return change_context(board, client, static_cast<drm_xocl_ctx*>(argument));
    case kOwn + DRM_XOCL_EXECBUF:
      return board.execute(client, static_cast<drm_xocl_execbuf*>(argument)->exec_bo_handle);
    case kOwn + DRM_XOCL_READ_AXLF:
      return load(board, static_cast<drm_xocl_axlf*>(argument));
    default:
      return -ENOTTY;
  }
}

}  // namespace nestrt::boards
