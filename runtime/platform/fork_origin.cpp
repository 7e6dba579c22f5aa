// SPDX-License-Identifier: Apache-2.0
#include "runtime/platform/fork_origin.h"

#include <fmt/core.h>
#include <pthread.h>

#include <atomic>

#include "runtime/platform/guard.h"

namespace nestrt {
namespace {

std::atomic<uint32_t> g_forks{0};

[[maybe_unused]] const int registered =
    pthread_atfork(nullptr, nullptr, [] { g_forks.fetch_add(1, std::memory_order_relaxed); });

}  // namespace

uint32_t forks_so_far() { return g_forks.load(std::memory_order_relaxed); }

ForkOrigin::ForkOrigin() : forks_(forks_so_far()) {}
bool ForkOrigin::in_child() const { return forks_ != forks_so_far(); }

Status ForkOrigin::check(std::string_view what) const {
  if (!in_child()) return {};
  return guarded([&] {
    return Status(
        Code::kUnavailable,
        fmt::format(
            "the {} was created before fork() and its threads do not exist in the child; create one in the child",
            what));
  });
}

}  // namespace nestrt
