// SPDX-License-Identifier: Apache-2.0
// Writes xclbin files for tests: the sections that XRT reads, without a bitstream.
//
// Source of the format: xclbin.h of XRT 2.13 (AXLF), and the metadata that XRT's parser requires.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "test/boards/emulation/device_memory.h"

namespace nestrt::boards {

struct XclbinArgument {
  std::string name;
  uint32_t offset = 0;  // offset of its register
  uint32_t size = 4;    // bytes
  bool is_address = false;
};

struct XclbinKernel {
  std::string name;
  std::vector<std::string> units;  // names of its compute units
  std::vector<XclbinArgument> arguments;
  // The banks of unit i's address arguments, assigned round-robin. If empty, there is no connectivity section.
  std::vector<std::vector<int>> banks;
  bool is_user_managed = false;  // the application writes its registers, and the kernel driver starts nothing
};

struct XclbinDescription {
  std::string shell;     // the platform it is built for
  unsigned char id = 1;  // all bytes of its UUID
  std::vector<MemoryBank> banks;
  std::vector<XclbinKernel> kernels;
};

inline constexpr uint64_t kFirstUnitAddress = 0x1800000, kUnitAddressRange = 0x10000;

// Returns the kernel that the driver expects: vta(insn_count, insns, uops, inputs, weights, biases, outputs).
XclbinKernel vta_kernel(std::vector<std::string> units, std::vector<std::vector<int>> banks);
// Returns VTA's four stages, one of each.
std::vector<XclbinKernel> vta_stages();
// Returns the four stages as one user-managed kernel, whose addresses have 64 bits.
XclbinKernel user_managed_vta(std::vector<std::string> units, std::vector<std::vector<int>> banks);

std::vector<std::byte> make_xclbin(const XclbinDescription& description);
void write_xclbin(const XclbinDescription& description, const std::filesystem::path& file);

}  // namespace nestrt::boards
