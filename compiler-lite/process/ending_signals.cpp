// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/process/ending_signals.h"

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <iterator>
#include <mutex>

#include "compiler-lite/process/temporary_folder.h"

namespace nestrt::compiler {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

std::mutex signals_mutex;
int alive = 0;                                      // number of EndingSignals objects
std::atomic<int> seen = 0;                          // the last signal received
struct sigaction before[std::size(kSignals)] = {};  // the handlers to restore

bool ends_process(int signal) {
  const auto* const place = std::ranges::find(kSignals, signal);
  return place != std::end(kSignals) && before[place - std::begin(kSignals)].sa_handler == SIG_DFL;
}

}  // namespace

EndingSignals::EndingSignals() {
  const std::lock_guard lock(signals_mutex);
  if (alive++ > 0) return;
  seen = 0;
  struct sigaction action = {};
  action.sa_handler = [](int signal) { seen = signal; };
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], nullptr, &before[i]);
    if (before[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

EndingSignals::~EndingSignals() {
  const std::lock_guard lock(signals_mutex);
  if (--alive > 0) return;
  const int signal = seen;
  if (ends_process(signal)) remove_temporary_folders();
  for (size_t i = 0; i < std::size(kSignals); ++i)
    if (before[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &before[i], nullptr);
  if (signal != 0) raise(signal);
}

bool EndingSignals::came() { return seen != 0; }

}  // namespace nestrt::compiler
