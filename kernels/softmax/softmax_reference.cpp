#include <cmath>
#include <limits>

#include "kernels/common/function_kernel.h"
#include "kernels/common/parallel_ranges.h"
#include "kernels/common/rules.h"
#include "kernels/softmax/softmax.h"

namespace nestrt::kernels {
namespace {

// One slice of `length` elements, `step` apart.
void softmax_slice(const float* x, float* y, int64_t length, int64_t step, bool log) {
  float largest = -std::numeric_limits<float>::infinity();
  for (int64_t i = 0; i < length; ++i) largest = x[i * step] > largest ? x[i * step] : largest;
  double sum = 0;
  for (int64_t i = 0; i < length; ++i) sum += std::exp(static_cast<double>(x[i * step]) - largest);
  const double log_sum = std::log(sum);
  for (int64_t i = 0; i < length; ++i) {
    const double shifted = static_cast<double>(x[i * step]) - largest;
    y[i * step] = static_cast<float>(log ? shifted - log_sum : std::exp(shifted) / sum);
  }
}

}  // namespace

bool accepts_softmax_reference(const OperatorSpec& spec) { return is_plain(spec); }

Result<std::unique_ptr<Kernel>> prepare_softmax_reference(const OperatorSpec& spec) {
  return make_kernel([extents = softmax_extents(spec)](const KernelCall& call) {
    const auto [outer, length, inner, log] = extents;
    const float* x = call.input<float>(0);
    float* y = call.output<float>(0);
    parallel_ranges(*call.parallel, outer * inner, length, [&, length, inner, log](int64_t first, int64_t last) {
      for (int64_t slice = first; slice < last; ++slice) {
        const int64_t start = slice / inner * length * inner + slice % inner;
        softmax_slice(x + start, y + start, length, inner, log);
      }
    });
  });
}

}  // namespace nestrt::kernels
