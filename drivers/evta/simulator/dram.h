// SPDX-License-Identifier: Apache-2.0
// Dram: maps the ranges of a program to memory of this process, for the simulators.
//
// Ownership: the bytes belong to the caller and must outlive this object. Threads: lookups are safe from several
// threads.
#pragma once

#include <vector>

#include "drivers/evta/program.h"

namespace nestrt::evta {

class Dram {
 public:
  // Ranges must be disjoint.
  void add_read(uint64_t address, std::span<const std::byte> bytes);
  void add_write(uint64_t address, std::span<std::byte> bytes);
  void add_read_write(uint64_t address, std::span<std::byte> bytes);

  // Return the bytes at an address, or null unless all `size` of them are within one range that allows the access.
  const std::byte* read(uint64_t address, uint64_t size) const { return find(address, size, Access::kRead); }
  std::byte* write(uint64_t address, uint64_t size) const { return find(address, size, Access::kWrite); }

  using Access = MemoryRange::Access;
  struct Region {
    uint64_t address;
    uint64_t size;
    Access access;
    std::byte* bytes;  // written only if access allows it
  };
  std::span<const Region> regions() const { return regions_; }  // sorted by address

 private:
  void add(const Region& region);
  std::byte* find(uint64_t address, uint64_t size, Access access) const;

  std::vector<Region> regions_;
};

}  // namespace nestrt::evta
