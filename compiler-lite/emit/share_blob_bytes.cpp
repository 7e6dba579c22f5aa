// SPDX-License-Identifier: Apache-2.0
// Content-defined chunking: a chunk ends where a hash of the preceding bytes has a certain value, so that equal bytes
// are divided in the same way at any position of a blob. Chunks that occur only together are joined again.
#include "compiler-lite/emit/share_blob_bytes.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>

namespace nestrt::compiler {
namespace {

using Piece = std::string_view;

constexpr size_t kMinBlob = 64 << 10, kMinChunk = 4 << 10, kMaxChunk = 128 << 10;
// A chunk ends where these bits of the hash match, on average at one position in 16 Ki.
constexpr uint64_t kEndBits = ((uint64_t{1} << 14) - 1) << 50;
// Limits on the total size of all divided blobs, in bytes and as a multiple of the stored bytes. They stay within the
// budget for data that programs use repeatedly (runtime/plan/verify/operand_uses.h).
constexpr uint64_t kMaxJoined = 128 << 20, kMaxRepetition = 16;
constexpr int32_t kNone = -1, kSeveral = -2;

// Pseudorandom numbers by byte value (SplitMix64).
constexpr std::array<uint64_t, 256> chunk_hashes() {
  std::array<uint64_t, 256> hashes{};
  uint64_t state = 0;
  for (uint64_t& hash : hashes) {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    hash = z ^ (z >> 31);
  }
  return hashes;
}
constexpr std::array<uint64_t, 256> kChunkHashes = chunk_hashes();

// Returns the size of the first chunk.
size_t first_chunk(Piece bytes) {
  const size_t end = std::min(bytes.size(), kMaxChunk);
  uint64_t hash = 0;
  for (size_t i = 0; i < end; ++i) {
    hash = (hash << 1) + kChunkHashes[static_cast<uint8_t>(bytes[i])];
    if (i + 1 >= kMinChunk && (hash & kEndBits) == 0) return i + 1;
  }
  return end;
}

struct Chunk {
  Piece bytes;
  size_t uses = 0;
  int32_t before = kNone, after = kNone;  // the only neighbour, or kSeveral
  size_t last_blob = SIZE_MAX;
  bool is_repeated = false;  // within a blob
};

// A program's blob as a list of chunks.
struct DividedBlob {
  UnitProgram* program = nullptr;
  std::vector<int32_t> chunks;
};

class BlobDivider {
 public:
  void add(UnitProgram& program) {
    const Bytes& blob = *program.segments[0];
    Piece rest(reinterpret_cast<const char*>(blob.data()), blob.size());
    DividedBlob divided{&program, {}};
    while (!rest.empty()) {
      const Piece bytes = rest.substr(0, first_chunk(rest));
      const int32_t chunk = chunk_of(bytes);
      at(chunk).is_repeated |= at(chunk).last_blob == blobs_.size();
      at(chunk).last_blob = blobs_.size();
      connect(divided.chunks.empty() ? kSeveral : divided.chunks.back(), chunk);
      divided.chunks.push_back(chunk);
      rest.remove_prefix(bytes.size());
    }
    at(divided.chunks.back()).after = kSeveral;
    blobs_.push_back(std::move(divided));
  }

  void run() {
    std::vector<std::vector<Piece>> all;
    std::set<Piece> stored;
    uint64_t joined = 0, stored_bytes = 0;
    for (const DividedBlob& blob : blobs_) {
      all.push_back(pieces_of(blob));
      for (const Piece piece : all.back()) {
        joined += piece.size();
        if (stored.insert(piece).second) stored_bytes += piece.size();
      }
    }
    if (joined > std::max(kMaxJoined, kMaxRepetition * stored_bytes)) return;
    for (size_t i = 0; i < blobs_.size(); ++i) replace(*blobs_[i].program, all[i]);
  }

 private:
  Chunk& at(int32_t chunk) { return chunks_[static_cast<size_t>(chunk)]; }
  const Chunk& at(int32_t chunk) const { return chunks_[static_cast<size_t>(chunk)]; }

  int32_t chunk_of(Piece bytes) {
    const auto [found, is_new] = known_.try_emplace(bytes, static_cast<int32_t>(chunks_.size()));
    if (is_new) chunks_.push_back({bytes});
    ++at(found->second).uses;
    return found->second;
  }

  void connect(int32_t before, int32_t chunk) {
    const auto meet = [](int32_t& known, int32_t other) {
      known = known == kNone || known == other ? other : kSeveral;
    };
    meet(at(chunk).before, before);
    if (before >= 0) meet(at(before).after, chunk);
  }

  // Returns true if the two chunks occur only together. A repeated chunk never starts a piece, so that all pieces of a
  // blob differ in their first chunk.
  bool belong_together(int32_t first, int32_t second) const {
    if (at(second).is_repeated) return true;
    return at(first).uses == at(second).uses && at(first).after == second && at(second).before == first;
  }

  std::vector<Piece> pieces_of(const DividedBlob& blob) const {
    std::vector<Piece> pieces;
    for (size_t i = 0; i < blob.chunks.size(); ++i) {
      const Piece bytes = at(blob.chunks[i]).bytes;
      if (i > 0 && belong_together(blob.chunks[i - 1], blob.chunks[i]))
        extend(pieces.back(), bytes.size());
      else if (i == 0)
        pieces.emplace_back(reinterpret_cast<const char*>(blob.program->segments[0]->data()), bytes.size());
      else
        pieces.emplace_back(pieces.back().data() + pieces.back().size(), bytes.size());
    }
    return pieces;
  }

  static void extend(Piece& piece, size_t bytes) { piece = {piece.data(), piece.size() + bytes}; }

  static void replace(UnitProgram& program, const std::vector<Piece>& pieces) {
    if (pieces.size() == 1) return;
    std::vector<std::shared_ptr<const Bytes>> segments;
    for (const Piece piece : pieces) {
      const auto bytes = std::as_bytes(std::span(piece));
      segments.push_back(std::make_shared<const Bytes>(bytes.begin(), bytes.end()));
    }
    program.segments = std::move(segments);
  }

  std::vector<Chunk> chunks_;
  std::unordered_map<Piece, int32_t> known_;
  std::vector<DividedBlob> blobs_;
};

}  // namespace

void share_blob_bytes(std::vector<BranchPrograms>& programs) {
  BlobDivider divider;
  for (BranchPrograms& branch : programs) {
    for (BranchPrograms::Entry& entry : branch.entries) {
      UnitProgram& program = entry.program;
      if (program.kind != plan::ProgramKind::kBlob || program.segments.size() > 1) continue;
      if (program.segments[0]->size() >= kMinBlob) divider.add(program);
    }
  }
  divider.run();
}

}  // namespace nestrt::compiler
