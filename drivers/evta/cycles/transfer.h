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
  // Bytes of data, without pads.
  uint64_t bytes() const { return uint64_t{rows_} * row_bytes_; }
  // Cycles if DRAM had no latency and nobody else to serve.
  uint64_t least_cycles() const;

  // False when all is moved. Otherwise the next burst, requested after the pads before it: `now` is when the one before
  // it ended, or where reads are ahead was accepted, and becomes when this one is requested or the transfer ends.
  bool next_burst(uint64_t* now, Burst* burst);
  bool all_requested() const { return row_ == rows_; }
  // When the instruction ends: where reads are ahead, pads are written beside the data, in cycles without any.
  uint64_t end(uint64_t begin, uint64_t data_end) const;

 private:
  bool ahead() const { return profile_->reads_ahead > 0 && client_ != DramClient::kOut; }
  uint32_t burst_beats() const;
  Burst burst_at(uint64_t now) const;
  // When a row's last beat is through.
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

  uint32_t row_ = 0;       // the next burst's
  uint32_t row_done_ = 0;  // beats of it
  uint64_t row_address_ = 0;
  uint64_t due_ = 0;  // cycles before the next request, or the end
};

}  // namespace nestrt::evta
