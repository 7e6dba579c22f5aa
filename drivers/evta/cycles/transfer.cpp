#include "drivers/evta/cycles/transfer.h"

namespace nestrt::evta {
namespace {

DramClient client_of(Memory memory) {
  switch (memory) {
    case Memory::kUop:
      return DramClient::kUop;
    case Memory::kWgt:
      return DramClient::kWgt;
    case Memory::kInp:
      return DramClient::kInp;
    case Memory::kAcc:
    case Memory::kAcc8Bit:
      return DramClient::kAcc;
    case Memory::kOut:
      return DramClient::kOut;
  }
  return DramClient::kInp;
}

uint32_t divide_up(uint32_t value, uint32_t by) { return (value + by - 1) / by; }

}  // namespace

TransferCycles::TransferCycles(const CycleProfile& profile, const Configuration& configuration,
                               const Transfer& transfer)
    : profile_(&profile), client_(client_of(transfer.memory)) {
  const bool micro_ops = transfer.memory == Memory::kUop;
  const auto element = static_cast<uint32_t>(configuration.element_bytes(transfer.memory));
  const auto bus = static_cast<uint32_t>(micro_ops ? profile.uop_bus_bytes : profile.bus_bytes);
  rows_ = transfer.x_size == 0 ? 0 : micro_ops ? 1 : transfer.y_size;
  row_bytes_ = transfer.x_size * element;
  row_beats_ = divide_up(row_bytes_, bus);
  element_beats_ = divide_up(element, bus);
  row_address_ = uint64_t{transfer.dram_base} * element;
  row_pitch_ = uint64_t{transfer.x_stride} * element;
  if (rows_ == 0 || (transfer.memory != Memory::kInp && client_ != DramClient::kAcc)) return;
  const uint64_t pad = profile.pads_by_beat ? element_beats_ : 1;
  const uint64_t width = uint64_t{transfer.x_pad_begin} + transfer.x_size + transfer.x_pad_end;
  row_begin_pads_ = pad * transfer.x_pad_begin;
  row_end_pads_ = pad * transfer.x_pad_end;
  begin_pads_ = pad * width * transfer.y_pad_begin;
  end_pads_ = pad * width * transfer.y_pad_end;
  pads_due_ = begin_pads_ + row_begin_pads_;
}

uint64_t TransferCycles::least_cycles() const {
  return begin_pads_ + end_pads_ + rows_ * (row_begin_pads_ + row_beats_ + row_end_pads_);
}

uint32_t TransferCycles::burst_beats() const {
  const uint32_t rest = row_beats_ - row_done_;
  const auto longest = static_cast<uint32_t>(profile_->burst_beats);
  if (!profile_->aligned_bursts) return std::min(rest, longest);
  const auto offset = static_cast<uint32_t>((row_address_ / profile_->bus_bytes + row_done_) % longest);
  return std::min(rest, longest - offset);
}

bool TransferCycles::next_burst(uint64_t* now, Burst* burst) {
  *now += pads_due_;
  pads_due_ = 0;
  if (row_ == rows_) return false;
  const uint32_t beats = burst_beats();
  const bool is_write = client_ == DramClient::kOut;
  *burst = {*now, beats, is_write ? profile_->store_gap * (divide_up(beats, element_beats_) - 1) : 0};
  row_done_ += beats;
  if (row_done_ < row_beats_) return true;
  row_done_ = 0;
  row_address_ += row_pitch_;
  ++row_;
  pads_due_ = row_end_pads_ + (row_ == rows_ ? end_pads_ : row_begin_pads_);
  return true;
}

}  // namespace nestrt::evta
