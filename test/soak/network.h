// A plan as a file's bytes, an input for it, and what the host alone makes of that: the bits that every later run must
// give, wherever it is computed.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "nestrt/session.h"
#include "test/support/plan/plan_builder.h"

namespace nestrt::test {

class Network {
 public:
  // Requires: a good plan. `seed`: of the input. Throws std::runtime_error where the plan does not run.
  Network(std::string name, PlanFile file, uint32_t seed);

  const std::string& name() const { return name_; }
  std::span<const std::byte> file() const { return file_.bytes(); }
  const std::string& digest() const { return digest_; }

  // Memory for one caller's results.
  using Results = std::vector<std::vector<std::byte>>;
  Results results() const;
  Status run(Session& session, Results& results, const RunOptions& options) const;
  bool is_right(const Results& results) const { return results == expected_; }

 private:
  std::string name_, digest_;
  PlanFile file_;
  std::vector<TensorInfo> inputs_, outputs_;
  std::vector<std::vector<std::byte>> x_;
  Results expected_;
};

// Small networks of the tests, with branches that EVTA can run too.
std::vector<Network> small_networks();

}  // namespace nestrt::test
