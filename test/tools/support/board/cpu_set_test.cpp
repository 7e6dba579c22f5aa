// SPDX-License-Identifier: Apache-2.0
#include "tools/support/board/cpu_set.h"

#include <sched.h>

#include <catch2/catch.hpp>
#include <string>
#include <thread>

namespace nestrt::tools {
namespace {

cpu_set_t cpus_of_this_thread() {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  REQUIRE(sched_getaffinity(0, sizeof(cpus), &cpus) == 0);
  return cpus;
}

size_t first_of(const cpu_set_t& cpus) {
  size_t cpu = 0;
  while (!CPU_ISSET(cpu, &cpus)) ++cpu;
  return cpu;
}

}  // namespace

TEST_CASE("A thread and the threads it starts stay on the given CPUs") {
  const cpu_set_t before = cpus_of_this_thread();
  const std::string cpu = std::to_string(first_of(before));
  int of_thread = 0, of_child = 0;
  Status status;
  std::thread([&] {
    status = stay_on_cpus(cpu + "," + cpu + "-" + cpu);
    const cpu_set_t after = cpus_of_this_thread();
    of_thread = CPU_COUNT(&after);
    std::thread([&] {
      const cpu_set_t inherited = cpus_of_this_thread();
      of_child = CPU_COUNT(&inherited);
    }).join();
  }).join();
  CHECK(status.ok());
  CHECK(of_thread == 1);
  CHECK(of_child == 1);
  const cpu_set_t after = cpus_of_this_thread();
  CHECK(CPU_EQUAL(&before, &after));
}

TEST_CASE("Invalid CPU lists and unavailable CPUs are rejected without effect") {
  const cpu_set_t before = cpus_of_this_thread();
  for (const char* list : {"", ",", "0,", "a", "-", "-1", "0-", "1-0", "0--1", "0 ", "99999999999999999999", "1024"})
    CHECK(stay_on_cpus(list).code() == Code::kInvalidArgument);
  size_t foreign = 0;
  while (CPU_ISSET(foreign, &before)) ++foreign;
  if (foreign < CPU_SETSIZE) CHECK(stay_on_cpus(std::to_string(foreign)).code() == Code::kInvalidArgument);
  const cpu_set_t after = cpus_of_this_thread();
  CHECK(CPU_EQUAL(&before, &after));
}

}  // namespace nestrt::tools
