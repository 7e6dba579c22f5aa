// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/check/compare.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace nestrt::compiler {
namespace {

double element(const ConstTensorView& tensor, int64_t index) {
  switch (tensor.type) {
    case DataType::kF32:
      return static_cast<const float*>(tensor.data)[index];
    case DataType::kS8:
      return static_cast<const int8_t*>(tensor.data)[index];
    case DataType::kU8:
      return static_cast<const uint8_t*>(tensor.data)[index];
    case DataType::kS32:
      return static_cast<const int32_t*>(tensor.data)[index];
    case DataType::kS64:
      return static_cast<double>(static_cast<const int64_t*>(tensor.data)[index]);
    case DataType::kBool:
      return static_cast<const uint8_t*>(tensor.data)[index] != 0;
  }
  return 0;
}

bool is_integer(DataType type) { return type == DataType::kS32 || type == DataType::kS64 || type == DataType::kBool; }

// Returns 1 for s64 integers that differ, even if they are equal as doubles, and 0 otherwise.
double integer_distance(const ConstTensorView& actual, const ConstTensorView& expected, int64_t index) {
  if (actual.type != DataType::kS64) return 0;
  return static_cast<const int64_t*>(actual.data)[index] == static_cast<const int64_t*>(expected.data)[index] ? 0 : 1;
}

double distance(double actual, double expected) {
  if (actual == expected || (std::isnan(actual) && std::isnan(expected))) return 0;
  const double difference = std::abs(actual - expected);
  return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
}

// Returns the index of the largest element, or -1 if an element is NaN.
int64_t top(const ConstTensorView& tensor, int64_t begin, int64_t length) {
  int64_t best = 0;
  for (int64_t i = 0; i < length; ++i) {
    const double value = element(tensor, begin + i);
    if (std::isnan(value)) return -1;
    if (value > element(tensor, begin + best)) best = i;
  }
  return best;
}

void compare_rows(const ConstTensorView& actual, const ConstTensorView& expected, Difference& difference) {
  const int64_t length = row_length(expected.shape);
  difference.rows = expected.shape.num_elements() / length;
  for (int64_t row = 0; row < difference.rows; ++row) {
    const int64_t mine = top(actual, row * length, length), theirs = top(expected, row * length, length);
    difference.rows_agreeing += mine == theirs && mine >= 0;
    if (row == 0) difference.actual_top = mine, difference.expected_top = theirs;
  }
}

// Equal non-finite values count as neither signal nor noise.
void add_to_sums(double mine, double theirs, double apart, Difference& difference) {
  difference.noise += apart * apart;
  if (!std::isfinite(mine) || !std::isfinite(theirs)) return;
  difference.signal += theirs * theirs;
  difference.power += mine * mine;
  difference.product += mine * theirs;
}

}  // namespace

int64_t row_length(const Shape& shape) {
  for (int axis = shape.rank(); axis > 0; --axis) {
    if (shape[axis - 1] > 1) return shape[axis - 1];
  }
  return 1;
}

double Difference::relative() const {
  if (max_absolute == 0) return 0;
  return largest > 0 ? max_absolute / largest : std::numeric_limits<double>::infinity();
}

double Difference::decibel() const {
  if (noise == 0) return std::numeric_limits<double>::infinity();
  const double ratio = signal / noise;
  return std::isfinite(noise) && ratio > 0 ? 10 * std::log10(ratio) : -std::numeric_limits<double>::infinity();
}

double Difference::cosine() const {
  if (noise == 0) return 1;
  const double lengths = std::sqrt(signal) * std::sqrt(power);
  return lengths > 0 ? product / lengths : 0;
}

void Difference::add(const Difference& other) {
  if (other.max_absolute > max_absolute) max_absolute = other.max_absolute, at = other.at;
  largest = std::max(largest, other.largest);
  elements += other.elements;
  elements_equal += other.elements_equal;
  numbers += other.numbers;
  rows += other.rows;
  rows_agreeing += other.rows_agreeing;
  step = std::max(step, other.step);
  integers = integers || other.integers;
  signal += other.signal;
  noise += other.noise;
  power += other.power;
  product += other.product;
}

Result<Difference> compare(const ConstTensorView& actual, const ConstTensorView& expected) {
  if (actual.type != expected.type || actual.shape.num_elements() != expected.shape.num_elements()) {
    return Status(Code::kInvalidArgument,
                  fmt::format("the plan returns {} {}, but ONNX Runtime returns {} {}", name(actual.type),
                              actual.shape.to_string(), name(expected.type), expected.shape.to_string()));
  }
  Difference difference;
  difference.elements = expected.shape.num_elements();
  difference.integers = is_integer(expected.type);
  for (int64_t i = 0; i < expected.shape.num_elements(); ++i) {
    const double mine = element(actual, i), theirs = element(expected, i);
    const double apart = std::max(distance(mine, theirs), integer_distance(actual, expected, i));
    add_to_sums(mine, theirs, apart, difference);
    if (std::isfinite(theirs)) difference.largest = std::max(difference.largest, std::abs(theirs));
    difference.elements_equal += apart == 0;
    difference.numbers += !std::isnan(mine) || !std::isnan(theirs);
    if (apart > difference.max_absolute) difference.max_absolute = apart, difference.at = i;
  }
  compare_rows(actual, expected, difference);
  return difference;
}

}  // namespace nestrt::compiler
