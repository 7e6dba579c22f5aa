// SPDX-License-Identifier: Apache-2.0
// soak: creates and destroys sessions, swaps plans, and makes units fail and recover for a given time. The process must
// not grow, and every result must be right. script/dev/soak runs it.
#include <getopt.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <stdexcept>

#include "nestrt/log.h"
#include "test/soak/footprint.h"
#include "test/soak/season.h"
#include "test/support/process/temporary_folder.h"
#include "tools/support/text/files.h"

namespace nestrt::test {
namespace {

using Time = std::chrono::steady_clock;

constexpr int kSessionsOfCaller = 20;
// Warm-up until allocators and caches are filled: a number of seasons, and a fraction of the time of a run.
constexpr int kWarmUp = 5;
constexpr double kWarmUpPart = 0.1;
constexpr int kRows = 12;  // rows of the printed table

// Tolerance for fragmentation. A leak of one object per season exceeds it after a few minutes.
constexpr size_t kHeapSlack = 256 << 10, kResidentSlack = 2 << 20;

struct Options {
  int64_t seconds = 0;
  int64_t seasons = kWarmUp + 5;  // used if --seconds is not given
  uint32_t seed = 1;
  std::vector<std::string> plans;
};

int64_t parse_number(const char* option, const char* text) {
  char* end = nullptr;
  const int64_t number = strtoll(text, &end, 10);
  if (end == text || *end != '\0' || number < 1)
    throw std::invalid_argument(std::string(option) + " expects a number of at least 1, not '" + text + "'");
  return number;
}

Options parse(int argc, char** argv) {
  static const option kOptions[] = {{"seconds", required_argument, nullptr, 's'},
                                    {"seasons", required_argument, nullptr, 'n'},
                                    {"seed", required_argument, nullptr, 'r'},
                                    {nullptr, 0, nullptr, 0}};
  Options options;
  for (int option; (option = getopt_long(argc, argv, "", kOptions, nullptr)) != -1;) {
    if (option == 's') options.seconds = parse_number("--seconds", optarg);
    if (option == 'n') options.seasons = parse_number("--seasons", optarg);
    if (option == 'r') options.seed = static_cast<uint32_t>(parse_number("--seed", optarg));
    if (option == '?') throw std::invalid_argument("soak [--seconds N | --seasons N] [--seed N] [PLAN...]");
  }
  options.plans.assign(argv + optind, argv + argc);
  return options;
}

std::vector<Network> networks_of(const Options& options) {
  std::vector<Network> networks = small_networks();
  for (const std::string& path : options.plans) {
    const auto file = tools::read_file(path);
    if (!file) throw std::invalid_argument(file.error().to_string());
    networks.emplace_back(std::filesystem::path(path).stem(), PlanFile(*file), options.seed);
  }
  return networks;
}

void print_head() {
  printf("%8s %8s %9s %8s %8s %8s %8s %8s %7s %8s %12s %10s %6s %8s %5s\n", "seconds", "seasons", "sessions", "runs",
         "swaps", "faults", "fallback", "late", "cancel", "failures", "resident KB", "heap KB", "files", "threads",
         "maps");
}

void print_row(double seconds, int64_t seasons, const Tally& tally, const Footprint& held) {
  printf("%8.0f %8ld %9lu %8lu %8lu %8lu %8lu %8lu %7lu %8lu %12zu %10zu %6zu %8zu %5zu\n", seconds, seasons,
         tally.sessions.load(), tally.runs.load(), tally.swaps.load(), tally.faults.load(), tally.host_fallbacks.load(),
         tally.late.load(), tally.cancelled.load(), tally.failures.load(), held.resident_bytes >> 10,
         held.heap_bytes >> 10, held.descriptors, held.threads, held.maps);
  fflush(stdout);
}

// Reports what has grown.
bool is_flat(const Footprint& before, const Footprint& after) {
  bool flat = true;
  const auto check = [&](const char* what, size_t was, size_t is, size_t slack) {
    if (is <= was + slack) return;
    fprintf(stderr, "soak: %s grew from %zu to %zu\n", what, was, is);
    flat = false;
  };
  check("resident memory", before.resident_bytes, after.resident_bytes, kResidentSlack + before.resident_bytes / 20);
  check("the heap", before.heap_bytes, after.heap_bytes, kHeapSlack);
  check("open files", before.descriptors, after.descriptors, 0);
  check("threads", before.threads, after.threads, 0);
  return flat;
}

bool soak(const Options& options) {
  use_one_allocation_area();
  set_log_level(LogLevel::kError);  // units fail all the time
  const std::vector<Network> networks = networks_of(options);
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/current.nest";
  Tally tally;
  Footprint before, after;
  bool is_warm = false;
  double next_row = 0;
  const Time::time_point start = Time::now();
  const auto passed = [&] { return std::chrono::duration<double>(Time::now() - start).count(); };
  const auto goes_on = [&](int64_t season) {
    return options.seconds > 0 ? passed() < static_cast<double>(options.seconds) || season <= kWarmUp
                               : season < options.seasons;
  };
  print_head();
  int64_t season = 0;
  while (goes_on(season)) {
    run_season(networks, path, kSessionsOfCaller, options.seed + static_cast<uint32_t>(season), tally);
    after = Footprint::now();
    ++season;
    if (!is_warm && season >= kWarmUp && passed() >= kWarmUpPart * static_cast<double>(options.seconds)) {
      before = after;
      is_warm = true;
    }
    if (!is_warm || passed() < next_row) continue;
    print_row(passed(), season, tally, after);
    next_row = passed() + static_cast<double>(options.seconds) / kRows;
  }
  print_row(passed(), season, tally, after);
  return is_flat(before, after) && tally.failures == 0;
}

}  // namespace
}  // namespace nestrt::test

int main(int argc, char** argv) {
  setenv("NESTRT_COST_CACHE", "", 1);  // each session of a season learns its own costs
  try {
    return nestrt::test::soak(nestrt::test::parse(argc, argv)) ? 0 : 1;
  } catch (const std::exception& wrong) {
    fprintf(stderr, "soak: %s\n", wrong.what());
    return 2;
  }
}
