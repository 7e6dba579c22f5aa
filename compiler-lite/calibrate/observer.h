// SPDX-License-Identifier: Apache-2.0
// ValueObserver: range and histogram of a value's elements, in one pass and constant memory.
//
// The bin width is a power of two. Bins merge in pairs when a larger magnitude arrives, which is exact, so the result
// depends neither on the order of the elements nor on their division between calls.
// Threading: one thread at a time.
#pragma once

#include <array>
#include <span>
#include <string>

#include "compiler-lite/quantize/profile.h"

namespace nestrt::compiler {

class ValueObserver {
 public:
  explicit ValueObserver(std::string value_name) : name_(std::move(value_name)) {}

  // Errors: kInvalidArgument with the value's name if an element is NaN or infinite. The elements of a failed call are
  // not counted.
  Status observe(std::span<const float> elements);

  // Returns the statistics without an exponent. The histogram ends with its last occupied bin.
  ValueProfile profile() const;

 private:
  void widen(float magnitude);
  void count(std::span<const float> elements);

  std::string name_;
  float min_ = 0, max_ = 0;
  uint64_t elements_ = 0;
  uint64_t zeros_ = 0;
  int bin_exponent_ = Histogram::kMinBinExponent;
  std::array<uint64_t, Histogram::kMaxBins> counts_{};  // zeros are in the first bin
};

}  // namespace nestrt::compiler
