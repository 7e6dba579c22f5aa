// SPDX-License-Identifier: Apache-2.0
// f32 reductions of every kind over any axes. Sums and products are accumulated in double precision; plain sums of
// columns first add eight rows in f32. Columns of wide rows are folded in tiles of accumulators; narrow rows are
// transposed first.
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/layout/transpose.h"
#include "kernels/common/math/integers.h"
#include "kernels/reduce/reduce.h"
#include "kernels/reduce/reduce_groups.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reduce/reduce_fold_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/math/vector_math-inl.h"
#include "kernels/common/simd/partial-inl.h"
#include "kernels/common/simd/simd.h"

#ifndef NESTRT_KERNELS_REDUCE_FOLD_TYPES
#define NESTRT_KERNELS_REDUCE_FOLD_TYPES
namespace nestrt::kernels {

// kExponentials is the sum of exp(x - shift).
enum class Fold { kSum, kMagnitudes, kSquares, kProduct, kExponentials, kMax, kMin };

constexpr bool is_extreme(Fold fold) { return fold == Fold::kMax || fold == Fold::kMin; }

constexpr double neutral_of(Fold fold) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return fold == Fold::kMax ? -kInfinity : fold == Fold::kMin ? kInfinity : fold == Fold::kProduct ? 1.0 : 0.0;
}

}  // namespace nestrt::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace {

// Extremes are folded in f32, all other kinds in f64.
template <Fold kFold>
using FoldTag = typename std::conditional<is_extreme(kFold), hn::ScalableTag<float>, hn::ScalableTag<double>>::type;

template <Fold kFold, class D = FoldTag<kFold>, class V = hn::Vec<D>, class X>
HWY_INLINE V fold_step(V sum, X x, X shift) {
  const D d;
  (void)d, (void)shift;
  if constexpr (kFold == Fold::kMax) {
    return hn::IfThenElse(hn::Eq(x, x), hn::IfThenElse(hn::Gt(x, sum), x, sum), x);
  } else if constexpr (kFold == Fold::kMin) {
    return hn::IfThenElse(hn::Eq(x, x), hn::IfThenElse(hn::Lt(x, sum), x, sum), x);
  } else if constexpr (kFold == Fold::kExponentials) {
    return hn::Add(sum, hn::PromoteTo(d, simd_exp(hn::Rebind<float, D>(), hn::Sub(x, shift))));
  } else {
    const V wide = hn::PromoteTo(d, x);
    if constexpr (kFold == Fold::kSum) return hn::Add(sum, wide);
    if constexpr (kFold == Fold::kMagnitudes) return hn::Add(sum, hn::Abs(wide));
    if constexpr (kFold == Fold::kSquares) return hn::MulAdd(wide, wide, sum);
    if constexpr (kFold == Fold::kProduct) return hn::Mul(sum, wide);
  }
}

// Combines two partial folds.
template <Fold kFold, class V>
HWY_INLINE V join(V a, V b) {
  if constexpr (is_extreme(kFold))
    return fold_step<kFold>(a, b, b);
  else if constexpr (kFold == Fold::kProduct)
    return hn::Mul(a, b);
  else
    return hn::Add(a, b);
}

// Combines the lanes of a partial fold.
template <Fold kFold, class D, class V = hn::Vec<D>>
double fold_lanes(D d, V v) {
  using T = hn::TFromD<D>;
  HWY_ALIGN T lanes[hn::MaxLanes(D())];
  hn::Store(v, d, lanes);
  T result = lanes[0];
  for (size_t lane = 1; lane < hn::Lanes(d); ++lane) {
    const T other = lanes[lane];
    if constexpr (kFold == Fold::kMax)
      result = other > result || other != other ? other : result;
    else if constexpr (kFold == Fold::kMin)
      result = other < result || other != other ? other : result;
    else if constexpr (kFold == Fold::kProduct)
      result *= other;
    else
      result += other;
  }
  return static_cast<double>(result);
}

template <Fold kFold>
double fold_row_as(const float* x, int64_t count, float shift) {
  const FoldTag<kFold> d;
  const hn::Rebind<float, decltype(d)> d32;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  constexpr double kNeutral = neutral_of(kFold);
  constexpr float kMissing =
      kFold == Fold::kExponentials ? -std::numeric_limits<float>::infinity() : static_cast<float>(kNeutral);
  const auto neutral = hn::Set(d, static_cast<hn::TFromD<decltype(d)>>(kNeutral));
  const auto shifts = hn::Set(d32, shift);
  auto sum0 = neutral, sum1 = neutral, sum2 = neutral, sum3 = neutral;
  int64_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    sum0 = fold_step<kFold>(sum0, hn::LoadU(d32, x + i), shifts);
    sum1 = fold_step<kFold>(sum1, hn::LoadU(d32, x + i + lanes), shifts);
    sum2 = fold_step<kFold>(sum2, hn::LoadU(d32, x + i + 2 * lanes), shifts);
    sum3 = fold_step<kFold>(sum3, hn::LoadU(d32, x + i + 3 * lanes), shifts);
  }
  for (; i + lanes <= count; i += lanes) sum0 = fold_step<kFold>(sum0, hn::LoadU(d32, x + i), shifts);
  if (i < count) sum1 = fold_step<kFold>(sum1, load_partial(d32, x + i, count - i, kMissing), shifts);
  return fold_lanes<kFold>(d, join<kFold>(join<kFold>(sum0, sum1), join<kFold>(sum2, sum3)));
}

// Returns the sum of eight rows of one vector. Its rounding errors are negligible compared with that of the f32 result.
template <class D32>
HWY_INLINE hn::Vec<D32> sum_of_rows(D32 d, const float* x, int64_t stride) {
  const auto row = [&](int64_t i) HWY_ATTR { return hn::LoadU(d, x + i * stride); };
  const auto low = hn::Add(hn::Add(row(0), row(1)), hn::Add(row(2), row(3)));
  return hn::Add(low, hn::Add(hn::Add(row(4), row(5)), hn::Add(row(6), row(7))));
}

// Folds eight rows per pass over the accumulators. Accumulators and shifts consist of whole vectors.
template <Fold kFold>
void fold_columns_as(const float* x, int64_t rows, int64_t stride, int64_t columns, void* accumulators,
                     const float* shifts) {
  constexpr int64_t kRows = 8;
  const FoldTag<kFold> d;
  const hn::Rebind<float, decltype(d)> d32;
  auto* const sums = static_cast<hn::TFromD<decltype(d)>*>(accumulators);
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t r = 0; r < rows; r += kRows) {
    const int64_t count = HWY_MIN(kRows, rows - r);
    const float* const from = x + r * stride;
    int64_t c = 0;
    for (; c + lanes <= columns; c += lanes) {
      auto sum = hn::LoadU(d, sums + c);
      const auto shift = hn::LoadU(d32, shifts + c);
      if (kFold == Fold::kSum && count == kRows) {
        sum = fold_step<kFold>(sum, sum_of_rows(d32, from + c, stride), shift);
      } else {
        for (int64_t i = 0; i < count; ++i) sum = fold_step<kFold>(sum, hn::LoadU(d32, from + i * stride + c), shift);
      }
      hn::StoreU(sum, d, sums + c);
    }
    for (int64_t i = 0; c < columns && i < count; ++i)
      hn::StoreU(fold_step<kFold>(hn::LoadU(d, sums + c), load_partial(d32, from + i * stride + c, columns - c),
                                  hn::LoadU(d32, shifts + c)),
                 d, sums + c);
  }
}

}  // namespace

// Returns the fold of `count` elements.
double fold_row(Fold fold, const float* x, int64_t count, float shift) {
  switch (fold) {
    case Fold::kSum:
      return fold_row_as<Fold::kSum>(x, count, shift);
    case Fold::kMagnitudes:
      return fold_row_as<Fold::kMagnitudes>(x, count, shift);
    case Fold::kSquares:
      return fold_row_as<Fold::kSquares>(x, count, shift);
    case Fold::kProduct:
      return fold_row_as<Fold::kProduct>(x, count, shift);
    case Fold::kExponentials:
      return fold_row_as<Fold::kExponentials>(x, count, shift);
    case Fold::kMax:
      return fold_row_as<Fold::kMax>(x, count, shift);
    default:
      return fold_row_as<Fold::kMin>(x, count, shift);
  }
}

// Folds rows of columns into accumulators, which are f32 for extremes, otherwise f64.
void fold_columns(Fold fold, const float* x, int64_t rows, int64_t stride, int64_t columns, void* sums,
                  const float* shifts) {
  switch (fold) {
    case Fold::kSum:
      return fold_columns_as<Fold::kSum>(x, rows, stride, columns, sums, shifts);
    case Fold::kMagnitudes:
      return fold_columns_as<Fold::kMagnitudes>(x, rows, stride, columns, sums, shifts);
    case Fold::kSquares:
      return fold_columns_as<Fold::kSquares>(x, rows, stride, columns, sums, shifts);
    case Fold::kProduct:
      return fold_columns_as<Fold::kProduct>(x, rows, stride, columns, sums, shifts);
    case Fold::kExponentials:
      return fold_columns_as<Fold::kExponentials>(x, rows, stride, columns, sums, shifts);
    case Fold::kMax:
      return fold_columns_as<Fold::kMax>(x, rows, stride, columns, sums, shifts);
    default:
      return fold_columns_as<Fold::kMin>(x, rows, stride, columns, sums, shifts);
  }
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(fold_row)
NESTRT_SIMD_EXPORT(fold_columns)

namespace {

using Kind = ops::ReduceKind;

constexpr int64_t kTile = 256;      // accumulators
constexpr int64_t kNarrow = 16;     // narrower rows are transposed
constexpr int64_t kItems = 64;      // transposed together
constexpr int64_t kShortItem = 32;  // elements of an item that is transposed together with others
constexpr int64_t kLargestTile = std::max(kTile, (kNarrow - 1) * kItems);

Fold fold_of(Kind kind) {
  switch (kind) {
    case Kind::kMax:
      return Fold::kMax;
    case Kind::kMin:
      return Fold::kMin;
    case Kind::kL1:
      return Fold::kMagnitudes;
    case Kind::kL2:
    case Kind::kSumSquare:
      return Fold::kSquares;
    case Kind::kProd:
      return Fold::kProduct;
    case Kind::kLogSumExp:
      return Fold::kExponentials;
    default:
      return Fold::kSum;
  }
}

double combined(Fold fold, double a, double b) {
  if (fold == Fold::kMax) return b > a || b != b ? b : a;
  if (fold == Fold::kMin) return b < a || b != b ? b : a;
  return fold == Fold::kProduct ? a * b : a + b;
}

// Returns the shift of the exponents for the given maximum, which log_sum_exp adds after the logarithm.
float shift_of(double largest) { return std::isfinite(largest) ? static_cast<float>(largest) : 0.0f; }

// The accumulators of some columns, and the shifts of their exponents.
struct Tile {
  alignas(64) double sums[kLargestTile];
  alignas(64) float shifts[kLargestTile];

  void reset(Fold fold, int64_t columns) {
    const int64_t whole = round_up(columns, 64 / int64_t{sizeof(float)});
    if (is_extreme(fold))
      std::fill_n(reinterpret_cast<float*>(sums), whole, static_cast<float>(neutral_of(fold)));
    else
      std::fill_n(sums, whole, neutral_of(fold));
  }
  double at(Fold fold, int64_t column) const {
    return is_extreme(fold) ? static_cast<double>(reinterpret_cast<const float*>(sums)[column]) : sums[column];
  }
};

class FoldKernel final : public Kernel {
 public:
  explicit FoldKernel(const OperatorSpec& spec)
      : kind_(spec.as<ops::Reduce>()->kind),
        fold_(fold_of(kind_)),
        groups_(reduce_groups(spec)),
        fold_row_(simd_pick(fold_row_table)),
        fold_columns_(simd_pick(fold_columns_table)) {
    const auto& kept = groups_.kept;
    const int64_t item = groups_.rows * groups_.width;
    // Items that are consecutive in memory can be transposed together.
    if (item <= kShortItem && groups_.width < kNarrow && kept.rank > 0 &&
        kept.strides[static_cast<size_t>(kept.rank - 1)] == item)
      items_ = kept.dims[static_cast<size_t>(kept.rank - 1)];
  }

  void run(const KernelCall& call) const override {
    const float* const x = call.input<float>(0);
    float* const y = call.output<float>(0);
    const int64_t outputs = groups_.kept.count();
    if (items_ > 1) {
      const int64_t parts = ceil_div(items_, kItems), elements = groups_.reduction() * groups_.width;
      parallel_ranges(*call.parallel, outputs / items_ * parts, kItems * elements, [&](int64_t first, int64_t last) {
        for (int64_t part = first; part < last; ++part) run_items(x, y, part / parts * items_, part % parts * kItems);
      });
    } else if (groups_.width >= kNarrow) {
      const int64_t tiles = ceil_div(groups_.width, kTile);
      parallel_ranges(*call.parallel, outputs * tiles, std::min(groups_.width, kTile) * groups_.reduction(),
                      [&](int64_t first, int64_t last) {
                        for (int64_t tile = first; tile < last; ++tile)
                          run_tile(x, y, tile / tiles, tile % tiles * kTile);
                      });
    } else {
      parallel_ranges(*call.parallel, outputs, groups_.reduction() * groups_.width, [&](int64_t first, int64_t last) {
        for (int64_t output = first; output < last; ++output) run_narrow(x, y, output);
      });
    }
  }

 private:
  // Converts a total to the result. `shift`: the shift of the exponents.
  float result(double total, float shift) const {
    switch (kind_) {
      case Kind::kMean:
        return static_cast<float>(total / static_cast<double>(groups_.reduction()));
      case Kind::kL2:
        return static_cast<float>(std::sqrt(total));
      case Kind::kLogSum:
        return static_cast<float>(std::log(total));
      case Kind::kLogSumExp:
        return static_cast<float>(shift + std::log(total));
      default:
        return static_cast<float>(total);
    }
  }

  // Calls accumulate(fold, offset) for every offset of the reduced axes. log_sum_exp needs two passes.
  template <typename Accumulate>
  void fold_tile(Tile& tile, int64_t columns, const Accumulate& accumulate) const {
    const auto fold_all = [&](Fold fold) {
      tile.reset(fold, columns);
      for_each_offset(groups_.reduced, [&](int64_t offset) { accumulate(fold, offset); });
    };
    std::fill_n(tile.shifts, round_up(columns, 16), 0.0f);
    if (fold_ == Fold::kExponentials) {
      fold_all(Fold::kMax);
      for (int64_t c = 0; c < columns; ++c) tile.shifts[c] = shift_of(tile.at(Fold::kMax, c));
    }
    fold_all(fold_);
  }

  void run_tile(const float* x, float* y, int64_t output, int64_t first) const {
    Tile tile;
    const int64_t columns = std::min(kTile, groups_.width - first);
    const float* const from = x + groups_.kept.offset(output) + first;
    fold_tile(tile, columns, [&](Fold fold, int64_t offset) {
      fold_columns_(fold, from + offset, groups_.rows, groups_.width, columns, tile.sums, tile.shifts);
    });
    float* const to = y + output * groups_.width + first;
    for (int64_t c = 0; c < columns; ++c) to[c] = result(tile.at(fold_, c), tile.shifts[c]);
  }

  // Computes consecutive items, starting at `item`, after transposing their rows to columns.
  void run_items(const float* x, float* y, int64_t output, int64_t item) const {
    Tile tile;
    alignas(64) float columns[kShortItem * kItems];
    const int64_t width = groups_.width, length = groups_.rows * width, items = std::min(kItems, items_ - item);
    const float* const from = x + groups_.kept.offset(output) + item * length;
    std::fill_n(columns, length * kItems, 0.0f);
    fold_tile(tile, width * kItems, [&](Fold fold, int64_t offset) {
      transpose_matrix(sizeof(float), reinterpret_cast<const std::byte*>(from + offset), length,
                       reinterpret_cast<std::byte*>(columns), kItems, items, length);
      // After the transpose, the same column of all items is contiguous, and so are the columns of a row.
      fold_columns_(fold, columns, groups_.rows, width * kItems, width * kItems, tile.sums, tile.shifts);
    });
    float* const to = y + (output + item) * width;
    for (int64_t i = 0; i < items; ++i)
      for (int64_t c = 0; c < width; ++c)
        to[i * width + c] = result(tile.at(fold_, c * kItems + i), tile.shifts[c * kItems + i]);
  }

  // Folds narrow rows into one total per column.
  void add_rows(Fold fold, const float* from, const float* shifts, double* totals) const {
    if (groups_.width == 1) {
      totals[0] = combined(fold, totals[0], fold_row_(fold, from, groups_.rows, shifts[0]));
      return;
    }
    alignas(64) float columns[kNarrow * kItems];
    for (int64_t first = 0; first < groups_.rows; first += kItems) {
      const int64_t rows = std::min(kItems, groups_.rows - first);
      transpose_matrix(sizeof(float), reinterpret_cast<const std::byte*>(from + first * groups_.width), groups_.width,
                       reinterpret_cast<std::byte*>(columns), kItems, rows, groups_.width);
      for (int64_t c = 0; c < groups_.width; ++c)
        totals[c] = combined(fold, totals[c], fold_row_(fold, columns + c * kItems, rows, shifts[c]));
    }
  }

  void run_narrow(const float* x, float* y, int64_t output) const {
    float shifts[kNarrow] = {};
    double totals[kNarrow];
    const float* const from = x + groups_.kept.offset(output);
    const auto fold_all = [&](Fold fold) {
      std::fill_n(totals, kNarrow, neutral_of(fold));
      for_each_offset(groups_.reduced, [&](int64_t offset) { add_rows(fold, from + offset, shifts, totals); });
    };
    if (fold_ == Fold::kExponentials) {
      fold_all(Fold::kMax);
      for (int64_t c = 0; c < groups_.width; ++c) shifts[c] = shift_of(totals[c]);
    }
    fold_all(fold_);
    for (int64_t c = 0; c < groups_.width; ++c) y[output * groups_.width + c] = result(totals[c], shifts[c]);
  }

  Kind kind_;
  Fold fold_;
  ReduceGroups groups_;
  int64_t items_ = 1;  // adjacent items along the innermost kept axis, if they are short; otherwise 1
  decltype(simd_pick(fold_row_table)) fold_row_;
  decltype(simd_pick(fold_columns_table)) fold_columns_;
};

}  // namespace

bool accepts_reduce_fold(const OperatorSpec& spec) {
  return is_plain(spec) && spec.inputs[0].type == DataType::kF32 && spec.inputs[0].shape.num_elements() > 0;
}

Result<std::unique_ptr<Kernel>> prepare_reduce_fold(const OperatorSpec& spec) {
  return std::unique_ptr<Kernel>(std::make_unique<FoldKernel>(spec));
}

}  // namespace nestrt::kernels
#endif
