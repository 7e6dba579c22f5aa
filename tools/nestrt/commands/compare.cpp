// SPDX-License-Identifier: Apache-2.0
// nestrt compare: compares the latencies of two versions, measured by nestrt bench --json.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "nestrt/log.h"
#include "runtime/text/parse.h"
#include "tools/nestrt/commands.h"
#include "tools/nestrt/load.h"
#include "tools/support/report/slowdown.h"
#include "tools/support/report/statistics.h"
#include "tools/support/text/files.h"
#include "tools/support/text/printable.h"

namespace nestrt::command {
namespace {

constexpr size_t kShownOperators = 5;

struct CompareOptions {
  std::vector<std::string> files;  // alternates between the base version and the new version
  std::string max_slowdown;
  std::string json;
};

struct BenchResult {
  std::string path;
  Json json;
  std::vector<double> run_ms;
  double median_ms = 0;
};

// The runs of one version before and after a change.
struct Pair {
  BenchResult base, current;
};

enum class Verdict : uint8_t { kFaster, kEqual, kSlower, kUnclear };

Result<BenchResult> read_bench(const std::string& path) {
  BenchResult bench;
  bench.path = path;
  NESTRT_ASSIGN_OR_RETURN(bench.json, tools::read_json(path));
  bench.run_ms = bench.json.numbers("run_ms");
  if (bench.run_ms.empty() || std::ranges::any_of(bench.run_ms, [](double ms) { return !(ms > 0); }))
    return Status(Code::kInvalidArgument,
                  fmt::format("'{}' has no list of positive times 'run_ms'; write it with nestrt bench --json", path));
  bench.median_ms = tools::summarize(bench.run_ms).median;
  return bench;
}

// Errors: kInvalidArgument if two files cannot be compared.
Status check_same_setup(const BenchResult& base, const BenchResult& other) {
  const auto threads = [](const BenchResult& bench) { return bench.json.number("threads").value_or(0); };
  const auto macs = [](const BenchResult& bench) { return bench.json.number("macs").value_or(0); };
  if (threads(base) != threads(other))
    return Status(Code::kInvalidArgument, fmt::format("'{}' used {} threads, but '{}' used {}", base.path,
                                                      threads(base), other.path, threads(other)));
  if (macs(base) != macs(other))
    return Status(Code::kInvalidArgument,
                  fmt::format("'{}' and '{}' measure different networks: {} and {} multiply-accumulates", base.path,
                              other.path, macs(base), macs(other)));
  return {};
}

Result<std::vector<Pair>> read_pairs(const CompareOptions& options) {
  if (options.files.size() % 2 != 0)
    return Status(Code::kInvalidArgument,
                  fmt::format("expected pairs of files, base and new alternately; got {} files", options.files.size()));
  std::vector<Pair> pairs;
  for (size_t i = 0; i < options.files.size(); i += 2) {
    Pair pair;
    NESTRT_ASSIGN_OR_RETURN(pair.base, read_bench(options.files[i]));
    NESTRT_ASSIGN_OR_RETURN(pair.current, read_bench(options.files[i + 1]));
    NESTRT_RETURN_IF_ERROR(check_same_setup(pairs.empty() ? pair.base : pairs.front().base, pair.base));
    NESTRT_RETURN_IF_ERROR(check_same_setup(pair.base, pair.current));
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

// Parses "3%" or "3".
Result<double> parse_percentage(std::string_view text) {
  const std::string_view digits = text.ends_with('%') ? text.substr(0, text.size() - 1) : text;
  const auto value = parse_number<double>(digits);
  if (value && *value >= 0 && *value <= 1000) return *value / 100;
  return Status(Code::kInvalidArgument,
                fmt::format("--max-slowdown: expected a percentage from 0 to 1000, such as 3%, got '{}'", text));
}

tools::Slowdown slowdown_of(const std::vector<Pair>& pairs) {
  if (pairs.size() == 1) return tools::slowdown_of_runs(pairs[0].base.run_ms, pairs[0].current.run_ms);
  std::vector<double> ratios;
  for (const Pair& pair : pairs) ratios.push_back(pair.current.median_ms / pair.base.median_ms);
  return tools::slowdown_of_pairs(ratios);
}

Verdict judge(const tools::Slowdown& change, double max_slowdown) {
  if (change.low > 1 + max_slowdown) return Verdict::kSlower;
  if (change.high > 1 + max_slowdown) return Verdict::kUnclear;
  return change.high < 1 ? Verdict::kFaster : Verdict::kEqual;
}

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kFaster:
      return "faster";
    case Verdict::kEqual:
      return "within the limit";
    case Verdict::kSlower:
      return "slower than the limit";
    case Verdict::kUnclear:
      return "unclear";
  }
  return "";
}

std::string format_change(double ratio) { return fmt::format("{:+.1f} %", 100 * (ratio - 1)); }

struct OperatorChange {
  std::string name;
  double base_ms = 0, current_ms = 0;
};

// Returns the operators whose mean time changed most, in the first pair. Empty unless both files have operators.
std::vector<OperatorChange> changed_operators(const Pair& pair) {
  std::map<std::string, double> before;
  for (const Json& op : pair.base.json.objects("operators"))
    before[op.text("name").value_or("")] = op.number("mean_ms").value_or(0);
  std::vector<OperatorChange> changes;
  for (const Json& op : pair.current.json.objects("operators")) {
    const auto known = before.find(op.text("name").value_or(""));
    if (known != before.end()) changes.push_back({known->first, known->second, op.number("mean_ms").value_or(0)});
  }
  std::ranges::stable_sort(changes, std::ranges::greater{},
                           [](const auto& change) { return std::abs(change.current_ms - change.base_ms); });
  if (changes.size() > kShownOperators) changes.resize(kShownOperators);
  return changes;
}

void print_comparison(const std::vector<Pair>& pairs, const tools::Slowdown& change, Verdict verdict) {
  Table table({{"base"}, {"new"}, {"median", Align::kRight}, {"new median", Align::kRight}, {"change", Align::kRight}});
  for (const auto& [base, current] : pairs)
    table.add_row({tools::printable(base.path), tools::printable(current.path), tools::format_ms(base.median_ms),
                   tools::format_ms(current.median_ms), format_change(current.median_ms / base.median_ms)});
  fmt::print("{}", table.to_string());
  if (const auto changes = changed_operators(pairs.front()); !changes.empty()) {
    Table operators({{"operator"}, {"mean", Align::kRight}, {"new mean", Align::kRight}});
    for (const OperatorChange& op : changes)
      operators.add_row({tools::printable(op.name), tools::format_ms(op.base_ms), tools::format_ms(op.current_ms)});
    fmt::print("\n{}", operators.to_string());
  }
  fmt::print("\nchange {} (95 %: {} to {}): {}\n", format_change(change.ratio), format_change(change.low),
             format_change(change.high), name(verdict));
  if (pairs.size() == 1)
    fmt::print("one process of each: differences between processes are not in the interval; measure several pairs\n");
  else if (verdict == Verdict::kUnclear)
    fmt::print("the interval contains the limit; measure more pairs, alternately, on a quieter machine\n");
}

Json to_json(const std::vector<Pair>& pairs, const tools::Slowdown& change, Verdict verdict) {
  Json list = Json::array();
  for (const auto& [base, current] : pairs)
    list.push_back({{"base", base.path},
                    {"new", current.path},
                    {"base_median_ms", base.median_ms},
                    {"new_median_ms", current.median_ms}});
  return {
      {"ratio", change.ratio}, {"low", change.low}, {"high", change.high}, {"verdict", name(verdict)}, {"pairs", list}};
}

Result<ExitCode> run_compare(const CompareOptions& options) {
  NESTRT_ASSIGN_OR_RETURN(const double max_slowdown, parse_percentage(options.max_slowdown));
  if (!options.json.empty()) NESTRT_RETURN_IF_ERROR(tools::check_writable(options.json, tools::Written::kJson));
  for (const std::string& file : options.files) NESTRT_RETURN_IF_ERROR(tools::check_not_input(options.json, file));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<Pair> pairs, read_pairs(options));
  const tools::Slowdown change = slowdown_of(pairs);
  const Verdict verdict = judge(change, max_slowdown);
  print_comparison(pairs, change, verdict);
  if (!options.json.empty()) NESTRT_RETURN_IF_ERROR(tools::write_json(options.json, to_json(pairs, change, verdict)));
  return verdict == Verdict::kSlower ? ExitCode::kMismatch : ExitCode::kOk;
}

}  // namespace

void add_compare(tools::Cli& cli) {
  auto options = std::make_shared<CompareOptions>();
  options->max_slowdown = "3%";
  tools::Command app =
      cli.add_command("compare", "Compare latencies of two versions, and tell a change from noise",
                      {"nestrt compare before.json after.json --max-slowdown 3%",
                       "nestrt compare a1.json b1.json a2.json b2.json a3.json b3.json --json change.json"},
                      [options] { return run_compare(*options); });
  app.add_option("FILES", options->files,
                 "results of nestrt bench --json, of the base and of the new version alternately; several pairs also "
                 "cover differences between processes")
      .required();
  app.add_option("--max-slowdown", options->max_slowdown,
                 "exit with code 1 if the new version is slower by more than this percentage with 95 % confidence")
      .type_name("PERCENT");
  add_json_option(app, options->json, "the ratio of the times, its interval and the verdict");
}

}  // namespace nestrt::command
