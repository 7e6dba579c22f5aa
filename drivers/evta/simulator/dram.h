// Dram: where the ranges of a program lie in the memory of this process, for the simulators.
//
// Ownership: the bytes are the caller's and outlive the Dram. Threads: finding is safe from several threads.
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

  // The bytes at an address; null unless all `size` of them lie in one range with that access.
  const std::byte* read(uint64_t address, uint64_t size) const { return find(address, size, Access::kRead); }
  std::byte* write(uint64_t address, uint64_t size) const { return find(address, size, Access::kWrite); }

  using Access = MemoryRange::Access;
  struct Region {
    uint64_t address;
    uint64_t size;
    Access access;
    std::byte* bytes;  // not written to unless access allows it
  };
  std::span<const Region> regions() const { return regions_; }  // by address

 private:
  void add(const Region& region);
  std::byte* find(uint64_t address, uint64_t size, Access access) const;

  std::vector<Region> regions_;
};

}  // namespace nestrt::evta
