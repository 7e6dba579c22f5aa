// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/codegen/evta/layer/finish.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace nestrt::compiler::evta {
namespace {

using nestrt::evta::AluOpcode;

constexpr int kMaxShiftStep = 15, kMaxLeftShiftStep = 16;  // the shift operand has 5 signed bits
constexpr int kMaxOffset = 127;                            // 256 times this still fits an immediate
constexpr int kByteBits = 8;
constexpr int64_t kWord = int64_t{1} << 31;

bool fits_word(int64_t low, int64_t high) { return low >= -kWord && high < kWord; }
bool is_immediate(int64_t value) { return value >= -32768 && value <= 32767; }

struct Range {
  int64_t low = 0;
  int64_t high = 0;
};

// Returns the range of one output channel's sum of products, including partial sums and padding.
Range sum_of_products(const ConvLayer& layer, int64_t channel) {
  const int64_t low = std::min(layer.input_bounds.low, 0), high = std::max(layer.input_bounds.high, 0);
  const int64_t taps = layer.y.kernel * layer.x.kernel;
  if (layer.is_identity()) return {low * taps, high * taps};
  const int64_t count = layer.in_channels / layer.groups * taps;
  const int8_t* weights = layer.weights.data() + channel * count;
  Range range;
  for (int64_t i = 0; i < count; ++i) {
    range.low += weights[i] * (weights[i] > 0 ? low : high);
    range.high += weights[i] * (weights[i] > 0 ? high : low);
  }
  return range;
}

class FinishBuilder {
 public:
  explicit FinishBuilder(const ConvLayer& layer) : layer_(layer) {}

  Finish make() {
    read_layer();
    if (layer_.wide) return make_wide();
    choose_offset();
    make_preload();
    if (is_half_even()) round_to_even(finish_.steps, shifts_);
    add_shifts(finish_.steps, shifts_);
    add_limits(finish_.steps, inner_limits(), shifted_range(), inner_offset());
    if (layer_.residual) {
      const s8::AddShifts& residual = *layer_.residual;
      if (residual.left_a > 0) finish_.steps.push_back(step(AluOpcode::kShr, same(-residual.left_a)));
      if (!rounding_in_bias() && residual_rounding() != 0) {
        finish_.steps_after_residual.push_back(step(AluOpcode::kAdd, same(residual_rounding())));
      }
      if (is_half_even()) round_to_even(finish_.steps_after_residual, same(residual.right));
      add_shifts(finish_.steps_after_residual, same(residual.right));
      add_limits(finish_.steps_after_residual, layer_.bounds, sum_range(), 256 * offset_after_residual());
    }
    return std::move(finish_);
  }

 private:
  Finish make_wide() {
    make_preload();
    finish_.next_byte = step(AluOpcode::kShr, same(kByteBits));
    return std::move(finish_);
  }

  void read_layer() {
    read_channels();
    if (bounded_ || !rounding_in_bias()) return;
    rounding_in_bias_allowed_ = false;  // the rounding term would make a sum wrap
    shifts_.clear();
    bias_.clear();
    sums_.clear();
    bounded_ = true;
    read_channels();
  }

  void read_channels() {
    for (int64_t channel = 0; channel < layer_.out_channels; ++channel) {
      const int shift = layer_.wide ? 0 : layer_.shift(channel);
      const int64_t given = layer_.bias.empty() ? 0 : layer_.bias[static_cast<size_t>(channel)];
      const int64_t bias = given + s8::rounding_term(shift, layer_.rounding) + (rounding_for_residual() << shift);
      const Range products = sum_of_products(layer_, channel);
      shifts_.push_back(shift);
      bias_.push_back(bias);
      sums_.push_back({products.low + bias, products.high + bias});
      bounded_ = bounded_ && fits_word(std::min(sums_.back().low, bias), std::max(sums_.back().high, bias));
    }
  }

  int32_t residual_rounding() const {
    return layer_.residual ? s8::rounding_term(layer_.residual->right, layer_.rounding) : 0;
  }
  bool is_half_even() const { return layer_.rounding == s8::Rounding::kHalfEven; }
  // Returns true if the addition's rounding term can be added before the left shift: it must be a multiple of that
  // shift's power of two. With half_even it must not change which accumulators are odd.
  bool rounding_in_bias() const {
    if (!layer_.residual || !rounding_in_bias_allowed_) return false;
    const int64_t unit = int64_t{1} << (layer_.residual->left_a + (is_half_even() ? 1 : 0));
    return residual_rounding() % unit == 0 && is_immediate(127 + (residual_rounding() >> layer_.residual->left_a));
  }
  int64_t rounding_for_residual() const {
    return rounding_in_bias() ? residual_rounding() >> layer_.residual->left_a : 0;
  }

  s8::Bounds inner_limits() const { return layer_.residual ? s8::Bounds{} : layer_.bounds; }
  int64_t inner_offset() const { return 256 * int64_t{offset_} - rounding_for_residual(); }
  // Returns the offset after the shifts of the addition, divided by 256 without remainder (see possible()).
  int64_t offset_after_residual() const {
    if (!layer_.residual) return offset_;
    return (int64_t{offset_} << layer_.residual->left_a) >> layer_.residual->right;
  }

  // Returns true if offset k gives a multiple of 256 after all shifts, fits immediates and words, and makes every
  // preload smaller than the results.
  bool possible(int k) const {
    if (layer_.residual &&
        ((int64_t{k} << layer_.residual->left_a) & ((int64_t{1} << layer_.residual->right) - 1)) != 0) {
      return false;
    }
    const int64_t k_after =
        layer_.residual ? (int64_t{k} << layer_.residual->left_a) >> layer_.residual->right : int64_t{k};
    const int64_t lowest = layer_.bounds.low - 256 * k_after;
    if (!is_immediate(lowest) || !is_immediate(s8::kLow - 256 * int64_t{k})) return false;
    for (size_t i = 0; i < bias_.size(); ++i) {
      const int64_t offset = (int64_t{256} * k) << shifts_[i];
      const int64_t preload = bias_[i] - offset;
      if (preload > std::min<int64_t>(lowest, 0) || !fits_word(sums_[i].low - offset, sums_[i].high)) return false;
    }
    return true;
  }

  bool without_bias() const {
    return std::all_of(bias_.begin(), bias_.end(), [](int64_t bias) { return bias == 0; });
  }

  void choose_offset() {
    if (!bounded_ || without_bias()) return;
    for (int k = 1; k <= kMaxOffset && offset_ == 0; ++k) {
      if (possible(k)) offset_ = k;
    }
  }

  void make_preload() {
    if (without_bias()) return;
    std::vector<int32_t> preload;
    for (size_t i = 0; i < bias_.size(); ++i) {
      preload.push_back(static_cast<int32_t>(bias_[i] - ((int64_t{256} * offset_) << shifts_[i])));
    }
    finish_.clears_results = offset_ == 0;
    finish_.preload = step(offset_ == 0 ? AluOpcode::kAdd : AluOpcode::kMin, std::move(preload));
  }

  // Uses an immediate if all channels share an operand that fits.
  FinishStep step(AluOpcode opcode, std::vector<int32_t> operands) {
    const bool equal = std::all_of(operands.begin(), operands.end(), [&](int32_t x) { return x == operands[0]; });
    if (equal && is_immediate(operands[0])) return {opcode, static_cast<int16_t>(operands[0]), -1};
    const auto found = std::find(finish_.vectors.begin(), finish_.vectors.end(), operands);
    const auto vector = static_cast<int>(found - finish_.vectors.begin());
    if (found == finish_.vectors.end()) finish_.vectors.push_back(std::move(operands));
    return {opcode, std::nullopt, vector};
  }

  std::vector<int32_t> same(int32_t operand) const {
    return std::vector<int32_t>(static_cast<size_t>(layer_.out_channels), operand);
  }

  // Subtracts 1 from every accumulator whose shifted value is odd; a shift by 0 changes none.
  void round_to_even(std::vector<FinishStep>& steps, const std::vector<int>& shifts) {
    if (*std::max_element(shifts.begin(), shifts.end()) == 0) return;
    steps.push_back({AluOpcode::kAdd, std::nullopt, -1, StepForm::kMake});
    for (const bool is_first : {true, false}) {
      std::vector<int32_t> left;
      for (const int shift : shifts) {
        const int all = shift == 0 ? 2 * kMaxLeftShiftStep : 31 - shift;  // 2 * kMaxLeftShiftStep shifts out every bit
        const int first = std::min(all, kMaxLeftShiftStep);
        left.push_back(is_first ? -first : first - all);
      }
      const bool is_needed = std::any_of(left.begin(), left.end(), [](int32_t shift) { return shift != 0; });
      if (is_needed) steps.push_back(on_copy(step(AluOpcode::kShr, std::move(left))));
    }
    steps.push_back(on_copy(step(AluOpcode::kMin, same(0))));
    steps.push_back(on_copy(step(AluOpcode::kMax, same(-1))));
    steps.push_back({AluOpcode::kAdd, std::nullopt, -1, StepForm::kAddCopy});
  }

  static FinishStep on_copy(FinishStep step) {
    step.form = StepForm::kCopy;
    return step;
  }

  // Splits shifts that exceed the range of one instruction.
  void add_shifts(std::vector<FinishStep>& steps, std::vector<int> shifts) {
    while (*std::max_element(shifts.begin(), shifts.end()) > 0) {
      std::vector<int32_t> part;
      for (int& shift : shifts) {
        part.push_back(std::min(shift, kMaxShiftStep));
        shift -= part.back();
      }
      steps.push_back(step(AluOpcode::kShr, std::move(part)));
    }
  }

  // Skips limits that no value can exceed.
  static void add_limits(std::vector<FinishStep>& steps, s8::Bounds bounds, Range values, int64_t offset) {
    const auto limit = [&](AluOpcode opcode, int64_t value) {
      steps.push_back({opcode, static_cast<int16_t>(value - offset), -1});
    };
    if (values.low < bounds.low) limit(AluOpcode::kMax, bounds.low);
    if (values.high > bounds.high) limit(AluOpcode::kMin, bounds.high);
  }

  // Returns a value that contains its rounding term, shifted right. Monotonic, so it maps ranges to ranges.
  int64_t shifted(int64_t raised, int shift) const {
    const bool is_odd = ((raised >> shift) & 1) != 0;
    return (raised - (is_half_even() && shift > 0 && is_odd ? 1 : 0)) >> shift;
  }

  // Returns the range of the shifted accumulators, without the offset and the addition's rounding term.
  Range shifted_range() const {
    if (!bounded_) return {-kWord, kWord};
    Range range = {kWord, -kWord};
    for (size_t i = 0; i < sums_.size(); ++i) {
      range.low = std::min(range.low, shifted(sums_[i].low, shifts_[i]) - rounding_for_residual());
      range.high = std::max(range.high, shifted(sums_[i].high, shifts_[i]) - rounding_for_residual());
    }
    return range;
  }

  // Returns the range of the shifted sums with the residual.
  Range sum_range() const {
    const s8::AddShifts& shifts = *layer_.residual;
    const auto sum = [&](int64_t a, int64_t b) {
      return shifted((a << shifts.left_a) + (b << shifts.left_b) + residual_rounding(), shifts.right);
    };
    const Range inner = shifted_range();
    return {sum(std::max<int64_t>(inner.low, s8::kLow), s8::kLow),
            sum(std::min<int64_t>(inner.high, s8::kHigh), s8::kHigh)};
  }

  const ConvLayer& layer_;
  std::vector<int> shifts_;    // by output channel
  std::vector<int64_t> bias_;  // includes rounding terms
  std::vector<Range> sums_;    // range of products plus bias
  bool bounded_ = true;        // no sum can wrap
  bool rounding_in_bias_allowed_ = true;
  int offset_ = 0;  // k in finish.h
  Finish finish_;
};

}  // namespace

bool Finish::copies_tile() const {
  const auto makes_copy = [](const FinishStep& step) { return step.form == StepForm::kMake; };
  return std::any_of(steps.begin(), steps.end(), makes_copy) ||
         std::any_of(steps_after_residual.begin(), steps_after_residual.end(), makes_copy);
}

std::string outline(const Finish& finish) {
  std::string text = finish.clears_results ? "clear " : "";
  const auto add = [&text](const FinishStep& step) {
    const int opcode = static_cast<int>(step.opcode);
    if (step.form == StepForm::kMake || step.form == StepForm::kAddCopy)
      text += step.form == StepForm::kMake ? "copy " : "sum ";
    else
      text += step.immediate ? fmt::format("{}i ", opcode) : fmt::format("{}v{} ", opcode, step.vector);
  };
  if (finish.preload) add(*finish.preload);
  text += "/ ";
  for (const FinishStep& step : finish.steps) add(step);
  text += "/ ";
  for (const FinishStep& step : finish.steps_after_residual) add(step);
  if (finish.next_byte) text += "bytes ";
  return text;
}

Finish make_finish(const ConvLayer& layer) { return FinishBuilder(layer).make(); }

}  // namespace nestrt::compiler::evta
