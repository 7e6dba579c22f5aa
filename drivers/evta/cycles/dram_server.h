// DRAM as the accelerator sees it: one server for reads and writes, burst by burst. Reads wait for each other before
// they reach it, in the order of their clients.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "drivers/evta/cycles/profile.h"

namespace nestrt::evta {

// By priority among reads.
enum class DramClient : uint8_t { kFetch, kUop, kInp, kWgt, kAcc, kOut };
inline constexpr int kNumDramClients = 6;

struct Burst {
  uint64_t request = 0;  // when the client asks for it
  uint32_t beats = 0;
  uint32_t gaps = 0;     // cycles without a beat inside it
  uint32_t lag = 0;      // by how much its client takes longer for it than the bus
  bool follows = false;  // another burst of the same transfer
};

class DramServer {
 public:
  explicit DramServer(const CycleProfile& profile) : profile_(profile) {}

  struct Service {
    DramClient client;
    uint64_t end = 0;   // when the client goes on
    uint64_t wait = 0;  // cycles that it lost to others
  };

  // At most one burst of a client is pending.
  void request(DramClient client, const Burst& burst) {
    pending_[static_cast<size_t>(client)] = burst;
    pending_mask_ |= 1u << static_cast<unsigned>(client);
  }
  // Serves the burst whose turn is first, none where none is pending. Right as long as whoever is not pending asks for
  // nothing earlier than what is served.
  std::optional<Service> serve();

 private:
  bool is_pending(size_t client) const { return (pending_mask_ >> client & 1u) != 0; }
  uint64_t grant_read(size_t* client) const;
  Service complete(size_t client, uint64_t accepted, uint64_t latency, uint64_t response);

  const CycleProfile& profile_;
  std::array<Burst, kNumDramClients> pending_;
  unsigned pending_mask_ = 0;
  uint64_t reads_free_ = 0;   // when the next read may go out
  uint64_t server_free_ = 0;  // when the server takes the next address
  uint64_t bus_free_ = 0;     // when the bus carries the next beat
};

}  // namespace nestrt::evta
