// SPDX-License-Identifier: Apache-2.0
#include "test/boards/emulation/probe_run.h"

#include <catch2/catch.hpp>

#include "test/support/evta/evta_configuration.h"

namespace nestrt::boards {
namespace {

evta::ProbeRun load(evta::Transport& transport) {
  auto probe = evta::ProbeRun::create(transport, evta::test::stock_configuration());
  if (!probe) FAIL(probe.error().to_string());
  probe->write_inputs();
  return std::move(*probe);
}

}  // namespace

ProbeRun::ProbeRun(std::unique_ptr<evta::Transport> transport)
    : transport_(std::move(transport)), probe_(load(*transport_)) {}

Status ProbeRun::run() {
  probe_.clear_results();
  NESTRT_RETURN_IF_ERROR(transfer_inputs());
  NESTRT_RETURN_IF_ERROR(start());
  NESTRT_RETURN_IF_ERROR(wait());
  return take_results();
}

}  // namespace nestrt::boards
