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
  using Works = std::set<const std::string*>;

  explicit ConvKeys(const Plan& plan);
  // The works (work_name()) of the convolutions with this key, whose dimensions are in either order, NCHW or NHWC.
  // They live as long as this does.
  const Works& works(const ConvKey& key) const;

 private:
  void add(const ConvKey& key, const std::string& work) { works_[key].insert(&*names_.insert(work).first); }

  std::set<std::string> names_;
  std::map<ConvKey, Works> works_;
  const Works none_;
};

}  // namespace nestrt::tools
