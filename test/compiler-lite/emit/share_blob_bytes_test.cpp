// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/emit/share_blob_bytes.h"

#include <catch2/catch.hpp>
#include <random>
#include <set>

namespace nestrt::compiler {
namespace {

Bytes noise(size_t size, uint32_t seed) {
  std::mt19937 random(seed);
  Bytes bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

Bytes joined(std::initializer_list<Bytes> parts) {
  Bytes all;
  for (const Bytes& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::vector<BranchPrograms> programs_of(const std::vector<Bytes>& blobs) {
  std::vector<BranchPrograms> programs;
  for (const Bytes& blob : blobs) {
    UnitProgram program(plan::ProgramKind::kBlob);
    program.segments = {std::make_shared<const Bytes>(blob)};
    programs.emplace_back().entries.push_back({nullptr, std::move(program)});
  }
  return programs;
}

struct Shared {
  size_t stored = 0;
  std::vector<Bytes> blobs;
  bool are_different = true;  // segments within each blob
};

Shared share(const std::vector<Bytes>& blobs) {
  std::vector<BranchPrograms> programs = programs_of(blobs);
  share_blob_bytes(programs);
  Shared shared;
  std::set<Bytes> stored;
  for (const BranchPrograms& branch : programs) {
    std::set<Bytes> own;
    Bytes& blob = shared.blobs.emplace_back();
    for (const auto& segment : branch.entries[0].program.segments) {
      blob.insert(blob.end(), segment->begin(), segment->end());
      shared.are_different &= own.insert(*segment).second;
      if (stored.insert(*segment).second) shared.stored += segment->size();
    }
  }
  return shared;
}

TEST_CASE("Bytes that blobs have in common, at any offset, are stored once") {
  const Bytes firmware = noise(1'000'000, 1);
  std::vector<Bytes> blobs;
  for (uint32_t part = 0; part < 10; ++part)
    blobs.push_back(joined({noise(3000 + 777 * part, 10 + part), firmware, noise(5000, 30 + part)}));
  const Shared shared = share(blobs);
  CHECK(shared.blobs == blobs);
  CHECK(shared.are_different);
  // Each blob also stores the ends of the firmware up to the next chunk boundary: at most two chunks.
  CHECK(shared.stored < firmware.size() + 10 * 300'000);
  CHECK(shared.stored < 2'500'000);
}

TEST_CASE("Blobs without common bytes and small blobs stay whole") {
  for (const std::vector<Bytes>& blobs :
       {std::vector<Bytes>{noise(200'000, 1), noise(300'000, 2)},
        std::vector<Bytes>{noise(60'000, 1), noise(60'000, 1)}, std::vector<Bytes>{noise(500'000, 3)}}) {
    std::vector<BranchPrograms> programs = programs_of(blobs);
    share_blob_bytes(programs);
    for (const BranchPrograms& branch : programs) CHECK(branch.entries[0].program.segments.size() == 1);
  }
}

TEST_CASE("A blob that repeats its own bytes keeps its content in different segments") {
  const Bytes zeros(1'000'000), block = noise(200'000, 1);
  const std::vector<Bytes> blobs{zeros, joined({block, block, block}), joined({zeros, block, zeros}), block};
  const Shared shared = share(blobs);
  CHECK(shared.blobs == blobs);
  CHECK(shared.are_different);
}

}  // namespace
}  // namespace nestrt::compiler
