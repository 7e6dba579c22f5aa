// ValueObserver: range and histogram of a value's elements, one pass, constant memory.
//
// The histogram's bins are powers of two wide and merge in pairs when a larger magnitude arrives, which is exact: the
// result depends neither on the order of the elements nor on how they were divided between calls.
// Threads: none; one thread at a time.
#pragma once

#include <array>
#include <span>
#include <string>

#include "compiler-lite/quantize/profile.h"

namespace nestrt::compiler {

class ValueObserver {
 public:
  explicit ValueObserver(std::string value_name) : name_(std::move(value_name)) {}

  // Errors: kInvalidArgument where an element is NaN or infinite, with the value's name; then nothing of this call
  // counts.
  Status observe(std::span<const float> elements);

  // Without exponent. The histogram ends with its last occupied bin.
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
