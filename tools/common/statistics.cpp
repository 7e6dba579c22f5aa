#include "tools/common/statistics.h"

#include <algorithm>
#include <cstddef>

namespace nestrt::tools {
namespace {

double percentile(const std::vector<double>& sorted, size_t percent) {
  return sorted[(sorted.size() * percent + 99) / 100 - 1];
}

}  // namespace

Summary summarize(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  const double median = values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return {values.front(), median, percentile(values, 90), percentile(values, 99)};
}

}  // namespace nestrt::tools
