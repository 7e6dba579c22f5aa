// SPDX-License-Identifier: Apache-2.0
#include "tools/support/board/cpu_set.h"

#include <fmt/core.h>
#include <sched.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "nestrt/result.h"
#include "runtime/text/parse.h"

namespace nestrt::tools {
namespace {

Status wrong_set(std::string what) { return Status(Code::kInvalidArgument, std::move(what)); }

Result<size_t> parse_cpu(std::string_view text) {
  const std::optional<size_t> cpu = parse_number<size_t>(text);
  if (!cpu || *cpu >= CPU_SETSIZE)
    return wrong_set(fmt::format("expected CPUs such as 0-1,3, each below {}, got '{}'", CPU_SETSIZE, text));
  return *cpu;
}

// Adds CPUs such as "3" or "0-1".
Status add_range(std::string_view text, cpu_set_t* cpus) {
  const size_t dash = text.find('-');
  NESTRT_ASSIGN_OR_RETURN(const size_t first, parse_cpu(text.substr(0, dash)));
  size_t last = first;
  if (dash != std::string_view::npos) {
    NESTRT_ASSIGN_OR_RETURN(last, parse_cpu(text.substr(dash + 1)));
  }
  if (last < first) return wrong_set(fmt::format("'{}' ends before it starts", text));
  for (size_t cpu = first; cpu <= last; ++cpu) CPU_SET(cpu, cpus);
  return {};
}

// Returns, for example, "0, 2, 3".
std::string describe(const cpu_set_t& cpus) {
  std::string text;
  for (size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &cpus)) text += (text.empty() ? "" : ", ") + std::to_string(cpu);
  return text;
}

Status system_error(std::string_view what) {
  return Status(Code::kUnavailable, fmt::format("{}: {}", what, std::strerror(errno)));
}

}  // namespace

Status stay_on_cpus(std::string_view list) {
  cpu_set_t wanted, allowed;
  CPU_ZERO(&wanted);
  for (const std::string_view range : split(list, ",")) NESTRT_RETURN_IF_ERROR(add_range(range, &wanted));
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return system_error("the CPUs of this process");
  for (size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &wanted) && !CPU_ISSET(cpu, &allowed))
      return wrong_set(fmt::format("this process may not use CPU {}; available: {}", cpu, describe(allowed)));
  }
  return sched_setaffinity(0, sizeof(wanted), &wanted) == 0 ? Status() : system_error("setting the CPU affinity");
}

}  // namespace nestrt::tools
