// SPDX-License-Identifier: Apache-2.0
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
    : profile_(&profile), costs_(&profile.transfer(transfer.memory)), client_(client_of(transfer.memory)) {
  const bool micro_ops = transfer.memory == Memory::kUop;
  const auto element = static_cast<uint32_t>(configuration.element_bytes(transfer.memory));
  const auto bus = static_cast<uint32_t>(micro_ops ? profile.uop_bus_bytes : profile.bus_bytes);
  rows_ = transfer.is_empty() ? 0 : micro_ops ? 1 : transfer.y_size;
  row_bytes_ = transfer.x_size * element;
  row_beats_ = divide_up(row_bytes_, bus);
  element_beats_ = divide_up(element, bus);
  row_address_ = uint64_t{transfer.dram_base} * element;
  row_pitch_ = uint64_t{transfer.x_stride} * element;
  const int before = costs_->per_instruction + costs_->before_row;
  due_ = static_cast<uint64_t>(before);
  if (rows_ == 0 || (transfer.memory != Memory::kInp && client_ != DramClient::kAcc)) return;
  const uint64_t pad = profile.pads_by_beat ? element_beats_ : 1;
  const uint64_t width = uint64_t{transfer.x_pad_begin} + transfer.x_size + transfer.x_pad_end;
  row_begin_pads_ = pad * transfer.x_pad_begin;
  row_end_pads_ = pad * transfer.x_pad_end;
  begin_pads_ = pad * width * transfer.y_pad_begin;
  end_pads_ = pad * width * transfer.y_pad_end;
  // An outstanding request still needs one cycle per row of pads.
  due_ += ahead() ? transfer.y_pad_begin : begin_pads_ + row_begin_pads_;
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

Burst TransferCycles::burst_at(uint64_t now) const {
  const uint32_t beats = burst_beats();
  const uint32_t gaps = client_ == DramClient::kOut ? divide_up(beats, element_beats_) - 1 : 0;
  return {now, beats, gaps * static_cast<uint32_t>(profile_->store_gap),
          beats * static_cast<uint32_t>(costs_->cycles_per_beat - 1)};
}

void TransferCycles::end_row() {
  constexpr uint32_t kLongRow = 16;
  row_done_ = 0;
  row_address_ += row_pitch_;
  ++row_;
  const bool last = row_ == rows_;
  const int cycles =
      costs_->after_row + (last ? 0 : costs_->before_row) + (row_beats_ > kLongRow ? costs_->long_row : 0);
  due_ = row_end_pads_ + (last ? end_pads_ : row_begin_pads_) + static_cast<uint64_t>(cycles);
  if (ahead()) due_ = last ? static_cast<uint64_t>(costs_->after_row) : 0;
}

uint64_t TransferCycles::end(uint64_t begin, uint64_t data_end) const {
  if (!ahead() || least_cycles() == rows_ * row_beats_) return data_end;
  return std::max(data_end, begin + static_cast<uint64_t>(profile_->pad_latency) + least_cycles());
}

bool TransferCycles::next_burst(uint64_t* now, Burst* burst) {
  *now += due_;
  due_ = 0;
  if (row_ == rows_) return false;
  *burst = burst_at(*now);
  row_done_ += burst->beats;
  if (row_done_ == row_beats_) end_row();
  return true;
}

}  // namespace nestrt::evta
