#include "drivers/evta/cycles/dram_server.h"

namespace nestrt::evta {
namespace {

constexpr size_t kWriter = static_cast<size_t>(DramClient::kOut);

}  // namespace

// The first request goes out as soon as the reads before it allow; of those there by then, the client of the highest
// priority. Returns when it reaches the server, one cycle later.
uint64_t DramServer::grant_read(size_t* client) const {
  uint64_t first = UINT64_MAX;
  for (size_t i = 0; i < kWriter; ++i)
    if (is_pending(i)) first = std::min(first, pending_[i].request);
  const uint64_t out = std::max(first, reads_free_);
  *client = 0;
  while (!is_pending(*client) || pending_[*client].request > out) ++*client;
  return out + 1;
}

std::optional<DramServer::Service> DramServer::serve() {
  if (pending_mask_ == 0) return std::nullopt;
  const bool write_pending = is_pending(kWriter);
  const bool read_pending = (pending_mask_ & ~(1u << kWriter)) != 0;
  size_t reader = 0;
  const uint64_t read = read_pending ? std::max(grant_read(&reader), server_free_) : UINT64_MAX;
  const uint64_t write = write_pending ? std::max(pending_[kWriter].request + 1, server_free_) : UINT64_MAX;
  if (read <= write) {
    const bool ahead = profile_.reads_ahead && pending_[reader].follows;
    const Service service = complete(reader, read - 1, ahead ? 0 : profile_.read_latency, 0);
    reads_free_ = profile_.overlapped_latency ? read : service.end;
    return service;
  }
  return complete(kWriter, write - 1, profile_.write_latency, profile_.write_response);
}

DramServer::Service DramServer::complete(size_t client, uint64_t accepted, uint64_t latency, uint64_t response) {
  const Burst& burst = pending_[client];
  pending_mask_ &= ~(1u << client);
  const uint64_t first_beat = std::max(accepted + latency, bus_free_);
  bus_free_ = first_beat + burst.beats + burst.gaps;
  const uint64_t end = bus_free_ + burst.lag + response;
  server_free_ = profile_.overlapped_latency ? accepted + 1 : end;
  return {static_cast<DramClient>(client), end, first_beat - latency - burst.request};
}

}  // namespace nestrt::evta
