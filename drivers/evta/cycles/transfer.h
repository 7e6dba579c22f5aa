// SPDX-License-Identifier: Apache-2.0
// The bursts and pads of one LOAD or STORE, in order.
#pragma once

#include <cstdint>

#include "drivers/evta/cycles/dram_server.h"
#include "drivers/evta/isa/instruction.h"

namespace nestrt::evta {

class TransferCycles {
 public:
  TransferCycles() = default;
  TransferCycles(const CycleProfile& profile, const Configuration& configuration, const Transfer& transfer);

  DramClient client() const { return client_; }
  // Returns the number of data bytes, without pads.
  uint64_t bytes() const { return uint64_t{rows_} * row_bytes_; }
  // Returns the number of cycles without DRAM latency and other clients.
  uint64_t least_cycles() const;

  // Returns false once all data has been moved. Otherwise sets the next burst, which is requested after the pads before
  // it. `now` is the end of the previous burst, or its acceptance if reads may be outstanding; it becomes the time of
  // this request or the end of the transfer.
  bool next_burst(uint64_t* now, Burst* burst);
  bool all_requested() const { return row_ == rows_; }
  // Returns the end of the instruction. With outstanding reads, pads are written in cycles without data.
  uint64_t end(uint64_t begin, uint64_t data_end) const;

 private:
  bool ahead() const { return profile_->reads_ahead > 0 && client_ != DramClient::kOut; }
  uint32_t burst_beats() const;
  Burst burst_at(uint64_t now) const;
  // Called after a row's last beat.
  void end_row();

  const CycleProfile* profile_ = nullptr;
  const CycleProfile::Transfer* costs_ = nullptr;
  DramClient client_ = DramClient::kInp;
  uint32_t rows_ = 0;
  uint32_t row_bytes_ = 0;
  uint32_t row_beats_ = 0;
  uint32_t element_beats_ = 1;
  uint64_t row_pitch_ = 0;                                                          // bytes
  uint64_t begin_pads_ = 0, row_begin_pads_ = 0, row_end_pads_ = 0, end_pads_ = 0;  // cycles

  uint32_t row_ = 0;       // row of the next burst
  uint32_t row_done_ = 0;  // beats of that row already moved
  uint64_t row_address_ = 0;
  uint64_t due_ = 0;  // cycles until the next request or the end
};

}  // namespace nestrt::evta
