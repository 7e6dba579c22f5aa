// SPDX-License-Identifier: Apache-2.0
// Writes xclbin files for tests: the sections that XRT reads, without a bitstream.
//
// Source of the format: xclbin.h of XRT 2.13 (AXLF), and the metadata that XRT's parser requires.
#pragma once

#include <xclbin.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "test/boards/logic/device_memory.h"

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

struct XclbinSection {
  axlf_section_kind kind;
  std::vector<std::byte> bytes;
};

// Return the contents of sections with these entries.
std::vector<std::byte> ip_section(const std::vector<ip_data>& entries);
std::vector<std::byte> memory_section(const std::vector<mem_data>& entries);
// Copies the start of a text that does not fit. Requires: the field is zero.
template <size_t size>
void copy_text(std::string_view text, unsigned char (&field)[size]) {
  std::memcpy(field, text.data(), std::min(text.size(), size - 1));
}

// Returns a file for the platform `shell`. All bytes of its UUID are `id`.
std::vector<std::byte> make_xclbin(const std::string& shell, unsigned char id,
                                   const std::vector<XclbinSection>& sections);
std::vector<std::byte> make_xclbin(const XclbinDescription& description);
// Returns the contents of a section; empty if the file lacks it.
std::span<const std::byte> find_section(std::span<const std::byte> file, axlf_section_kind kind);
void write_xclbin(const XclbinDescription& description, const std::filesystem::path& file);

}  // namespace nestrt::boards
