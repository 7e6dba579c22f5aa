// SPDX-License-Identifier: Apache-2.0
// ConvKeys: the convolutions of a plan by their NEST-C keys.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "nestrt/plan.h"

namespace nestrt::tools {

struct ConvKey {
  std::array<int64_t, 4> input{};
  DataType type = DataType::kF32;
  int64_t outputs = 0;
  int64_t kernel = 0;
  int64_t stride = 0;

  bool operator<(const ConvKey& other) const { return members() < other.members(); }

 private:
  std::tuple<std::array<int64_t, 4>, DataType, int64_t, int64_t, int64_t> members() const {
    return {input, type, outputs, kernel, stride};
  }
};

// Returns nothing if the text is not the key of a convolution.
std::optional<ConvKey> parse_conv_key(const std::string& text);

// Built in one pass over the plan, so that looking up many keys does not scan the plan each time.
class ConvKeys {
 public:
  using Names = std::map<std::string, uint32_t>;  // the name of each work item, and one of its operators
  using Works = std::set<const Names::value_type*>;

  explicit ConvKeys(const Plan& plan);
  // Returns the work items of the convolutions with this key, whose dimensions are in NCHW or NHWC order. Names follow
  // the plan's weights. The result is valid as long as this object.
  const Works& works(const ConvKey& key) const;

 private:
  void add(const ConvKey& key, const Names::value_type& work) { works_[key].insert(&work); }

  Names names_;
  std::map<ConvKey, Works> works_;
  const Works none_;
};

}  // namespace nestrt::tools
