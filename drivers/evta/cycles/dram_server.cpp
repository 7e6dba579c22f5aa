// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/cycles/dram_server.h"

namespace nestrt::evta {
namespace {

constexpr size_t kWriter = static_cast<size_t>(DramClient::kOut);

}  // namespace

// The first request is sent as soon as the preceding reads allow. If several are pending at that time, the client with
// the highest priority goes first. Returns when the request reaches the server, one cycle later.
uint64_t DramServer::grant_read(size_t* client) const {
  uint64_t first = UINT64_MAX;
  for (size_t i = 0; i < kWriter; ++i)
    if (is_pending(i)) first = std::min(first, pending_[i].request);
  uint64_t out = std::max(first, reads_free_);
  if (!last_beats_.empty()) out = std::max(out, last_beats_[oldest_read_]);
  *client = 0;
  while (!is_pending(*client) || pending_[*client].request > out) ++*client;
  return out + 1;
}

std::optional<DramServer::Service> DramServer::serve() {
  if (pending_mask_ == 0) return std::nullopt;
  const bool read_pending = (pending_mask_ & ~(1u << kWriter)) != 0;
  size_t reader = 0;
  const uint64_t read = read_pending ? std::max(grant_read(&reader), reads_.server_free) : UINT64_MAX;
  const uint64_t write =
      is_pending(kWriter) ? std::max(pending_[kWriter].request + 1, write_channel().server_free) : UINT64_MAX;
  return read <= write ? serve_read(reader, read) : serve_write(write);
}

DramServer::Service DramServer::serve_read(size_t client, uint64_t reached) {
  Service service = complete(client, reached, {profile_.read_latency, 0}, &reads_);
  reads_free_ = profile_.overlapped_latency ? reached : service.end;
  if (last_beats_.empty()) return service;
  service.next = reached + 1;
  last_beats_[oldest_read_] = service.end - 1;
  oldest_read_ = (oldest_read_ + 1) % last_beats_.size();
  return service;
}

DramServer::Service DramServer::serve_write(uint64_t reached) {
  return complete(kWriter, reached, {profile_.write_latency, profile_.write_response}, &write_channel());
}

DramServer::Service DramServer::complete(size_t client, uint64_t reached, const Latencies& latencies,
                                         Channel* channel) {
  const Burst& burst = pending_[client];
  pending_mask_ &= ~(1u << client);
  const auto latency = static_cast<uint64_t>(latencies.to_first_beat);
  const uint64_t first_beat = std::max(reached - 1 + latency, channel->bus_free);
  const uint64_t alone = std::max(burst.request + latency, served_[client]);
  channel->bus_free = first_beat + burst.beats + burst.gaps;
  served_[client] = channel->bus_free;
  const uint64_t end = channel->bus_free + burst.lag + static_cast<uint64_t>(latencies.response);
  channel->server_free = profile_.overlapped_latency ? reached : end;
  return {static_cast<DramClient>(client), end, end, first_beat - std::min(first_beat, alone)};
}

}  // namespace nestrt::evta
