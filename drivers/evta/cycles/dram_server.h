// DRAM as the accelerator sees it, burst by burst: one server for reads and writes, or one for each. Reads wait for
// each other before they reach it, in the order of their clients.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "drivers/evta/cycles/profile.h"

namespace nestrt::evta {

// By priority among reads.
enum class DramClient : uint8_t { kFetch, kUop, kInp, kWgt, kAcc, kOut };
inline constexpr int kNumDramClients = 6;

struct Burst {
  uint64_t request = 0;  // when the client asks for it
  uint32_t beats = 0;
  uint32_t gaps = 0;  // cycles without a beat inside it
  uint32_t lag = 0;   // by how much its client takes longer for it than the bus
};

class DramServer {
 public:
  explicit DramServer(const CycleProfile& profile)
      : profile_(profile), last_beats_(static_cast<size_t>(profile.reads_ahead)) {}

  struct Service {
    DramClient client;
    uint64_t next = 0;  // when the client may ask for its next burst
    uint64_t end = 0;   // when it has all of this one
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
  struct Channel {
    uint64_t server_free = 0;  // when the server takes the next address
    uint64_t bus_free = 0;     // when the bus carries the next beat
  };

  struct Latencies {
    int to_first_beat;
    int response;
  };

  bool is_pending(size_t client) const { return (pending_mask_ >> client & 1u) != 0; }
  Channel& write_channel() { return profile_.separate_writes ? writes_ : reads_; }
  uint64_t grant_read(size_t* client) const;
  // `reached`: when the request is at the server.
  Service serve_read(size_t client, uint64_t reached);
  Service serve_write(uint64_t reached);
  Service complete(size_t client, uint64_t reached, const Latencies& latencies, Channel* channel);

  const CycleProfile& profile_;
  std::array<Burst, kNumDramClients> pending_;
  unsigned pending_mask_ = 0;
  std::array<uint64_t, kNumDramClients> served_ = {};  // when each client's last burst ended on the bus
  uint64_t reads_free_ = 0;                            // when the next read may go out
  std::vector<uint64_t> last_beats_;                   // of as many reads as may be under way: a ring
  size_t oldest_read_ = 0;                             // in it
  Channel reads_;                                      // and writes, where they share it
  Channel writes_;
};

}  // namespace nestrt::evta
