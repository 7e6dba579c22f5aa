// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/simulator/dram.h"

#include <algorithm>

namespace nestrt::evta {
namespace {

bool starts_after(uint64_t address, const Dram::Region& region) { return address < region.address; }

}  // namespace

void Dram::add_read(uint64_t address, std::span<const std::byte> bytes) {
  add({address, bytes.size(), Access::kRead, const_cast<std::byte*>(bytes.data())});
}

void Dram::add_write(uint64_t address, std::span<std::byte> bytes) {
  add({address, bytes.size(), Access::kWrite, bytes.data()});
}

void Dram::add_read_write(uint64_t address, std::span<std::byte> bytes) {
  add({address, bytes.size(), Access::kReadWrite, bytes.data()});
}

void Dram::add(const Region& region) {
  regions_.insert(std::upper_bound(regions_.begin(), regions_.end(), region.address, starts_after), region);
}

std::byte* Dram::find(uint64_t address, uint64_t size, Access access) const {
  const auto after = std::upper_bound(regions_.begin(), regions_.end(), address, starts_after);
  if (after == regions_.begin()) return nullptr;
  const Region& region = *(after - 1);
  const uint64_t offset = address - region.address;
  if (offset > region.size || size > region.size - offset || !allows(region.access, access)) return nullptr;
  return region.bytes + offset;
}

}  // namespace nestrt::evta
