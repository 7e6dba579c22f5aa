// SPDX-License-Identifier: Apache-2.0
// DRAM as seen by the accelerator, burst by burst: one server for reads and writes, or one for each. Reads are
// arbitrated by client priority before they reach the server.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "drivers/evta/cycles/profile.h"

namespace nestrt::evta {

// The clients, in order of read priority.
enum class DramClient : uint8_t { kFetch, kUop, kInp, kWgt, kAcc, kOut };
inline constexpr int kNumDramClients = 6;

struct Burst {
  uint64_t request = 0;  // time of the client's request
  uint32_t beats = 0;
  uint32_t gaps = 0;  // cycles without a beat within the burst
  uint32_t lag = 0;   // additional cycles that the client needs after the bus
};

class DramServer {
 public:
  explicit DramServer(const CycleProfile& profile)
      : profile_(profile), last_beats_(static_cast<size_t>(profile.reads_ahead)) {}

  struct Service {
    DramClient client;
    uint64_t next = 0;  // when the client may request its next burst
    uint64_t end = 0;   // when the client has received the complete burst
    uint64_t wait = 0;  // cycles lost to other clients
  };

  // Requests a burst. Each client may have one pending burst.
  void request(DramClient client, const Burst& burst) {
    pending_[static_cast<size_t>(client)] = burst;
    pending_mask_ |= 1u << static_cast<unsigned>(client);
  }
  // Serves the first burst in order; returns nullopt if none is pending. Exact as long as clients without a pending
  // burst do not request one earlier than the served burst.
  std::optional<Service> serve();

 private:
  struct Channel {
    uint64_t server_free = 0;  // when the server accepts the next address
    uint64_t bus_free = 0;     // when the bus transmits the next beat
  };

  struct Latencies {
    int to_first_beat;
    int response;
  };

  bool is_pending(size_t client) const { return (pending_mask_ >> client & 1u) != 0; }
  Channel& write_channel() { return profile_.separate_writes ? writes_ : reads_; }
  uint64_t grant_read(size_t* client) const;
  // `reached`: when the request arrives at the server.
  Service serve_read(size_t client, uint64_t reached);
  Service serve_write(uint64_t reached);
  Service complete(size_t client, uint64_t reached, const Latencies& latencies, Channel* channel);

  const CycleProfile& profile_;
  std::array<Burst, kNumDramClients> pending_;
  unsigned pending_mask_ = 0;
  std::array<uint64_t, kNumDramClients> served_ = {};  // when each client's last burst ended on the bus
  uint64_t reads_free_ = 0;                            // when the next read request may be sent
  std::vector<uint64_t> last_beats_;                   // ring buffer of the reads that may be outstanding
  size_t oldest_read_ = 0;                             // index in the ring buffer
  Channel reads_;                                      // also used for writes if they share it
  Channel writes_;
};

}  // namespace nestrt::evta
