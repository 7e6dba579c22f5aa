#include "test/boards/probe_run.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "drivers/evta/driver/relocate.h"
#include "test/support/evta_configuration.h"

namespace nestrt::boards {
namespace {

template <typename T>
T value_of(Result<T> result) {
  if (!result) FAIL(result.error().to_string());
  return std::move(*result);
}

}  // namespace

ProbeRun::ProbeRun(std::unique_ptr<evta::Transport> transport) : transport_(std::move(transport)) {
  const evta::ProbeProgram probe = value_of(evta::ProbeProgram::create(evta::test::stock_configuration()));
  evta::BoundProgram program = probe.bound_program();
  std::vector<uint64_t> addresses;
  for (const evta::MemoryRange& range : program.ranges) {
    buffers_.push_back(value_of(transport_->allocate(range.size, 0)));
    std::ranges::fill(buffers_.back()->bytes(), std::byte{0});
    if (range.constant != nullptr) std::copy_n(range.constant, range.size, buffers_.back()->bytes().data());
    addresses.push_back(buffers_.back()->address());
  }
  const auto words = value_of(evta::relocate(program.program(), addresses));
  program_ = value_of(transport_->load({program.configuration, words, {}}, buffers_));
  expected_ = probe.expected();
}

Status ProbeRun::hand_over() {
  for (size_t i = 0; i + 1 < buffers_.size(); ++i)
    NESTRT_RETURN_IF_ERROR(buffers_[i]->to_device(0, buffers_[i]->bytes().size()));
  return {};
}

Status ProbeRun::wait(std::chrono::milliseconds limit) { return transport_->wait(SteadyClock::now() + limit); }

bool ProbeRun::is_right() { return std::ranges::equal(results()->bytes(), expected_); }

Status ProbeRun::run() {
  std::ranges::fill(results()->bytes(), std::byte{0});
  NESTRT_RETURN_IF_ERROR(hand_over());
  NESTRT_RETURN_IF_ERROR(start());
  NESTRT_RETURN_IF_ERROR(wait());
  return take_results();
}

}  // namespace nestrt::boards
