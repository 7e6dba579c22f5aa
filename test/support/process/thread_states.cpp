// SPDX-License-Identifier: Apache-2.0
#include "test/support/process/thread_states.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace nestrt::test {
namespace {

// Returns the states: "R" running or waiting for a core, "S" asleep.
std::vector<std::string> states_of(std::string_view prefix) {
  std::vector<std::string> states;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream comm(thread.path() / "comm");
    std::string name;
    if (!(comm >> name) || !name.starts_with(prefix)) continue;
    std::ifstream status(thread.path() / "status");
    for (std::string word; status >> word;)
      if (word == "State:" && status >> word) states.push_back(word);
  }
  return states;
}

template <typename Condition>
bool becomes_true_soon(Condition condition) {
  constexpr int kMaxChecks = 1000000;
  for (int check = 0; check < kMaxChecks; ++check) {
    if (condition()) return true;
    std::this_thread::yield();
  }
  return false;
}

}  // namespace

bool fall_asleep(std::string_view name, int count) {
  return becomes_true_soon([&] {
    const std::vector<std::string> states = states_of(name);
    return states.size() == static_cast<size_t>(count) && std::count(states.begin(), states.end(), "S") == count;
  });
}

bool others_fall_asleep() {
  return becomes_true_soon([] {
    const std::vector<std::string> states = states_of("");
    return std::count(states.begin(), states.end(), "S") + 1 == std::ssize(states);
  });
}

pid_t fork_when_others_sleep(unsigned max_child_seconds) {
  others_fall_asleep();
  const pid_t child = ::fork();
  if (child == 0) ::alarm(max_child_seconds);
  return child;
}

}  // namespace nestrt::test
