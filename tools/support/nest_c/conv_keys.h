// ConvKeys: the convolutions of a plan by what NEST-C's keys say of one.
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

// Nothing where the text is no convolution's key.
std::optional<ConvKey> parse_conv_key(const std::string& text);

// Made in one pass over the plan, so that as many keys as a file has are looked up without going through the plan for
// each of them.
class ConvKeys {
 public:
  using Names = std::map<std::string, uint32_t>;  // an operator of each work
  using Works = std::set<const Names::value_type*>;

  explicit ConvKeys(const Plan& plan);
  // The works of the convolutions with this key, named as the plan has their weights, whose dimensions are in either
  // order, NCHW or NHWC. They live as long as this does.
  const Works& works(const ConvKey& key) const;

 private:
  void add(const ConvKey& key, const Names::value_type& work) { works_[key].insert(&work); }

  Names names_;
  std::map<ConvKey, Works> works_;
  const Works none_;
};

}  // namespace nestrt::tools
