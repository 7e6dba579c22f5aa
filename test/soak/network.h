// SPDX-License-Identifier: Apache-2.0
// A plan file in memory, an input for it, and the result of the host alone. Every later run must give the same bits,
// whichever unit computes it.
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
  // Requires: a valid plan. `seed` determines the input. Throws std::runtime_error if the plan does not run.
  Network(std::string name, PlanFile file, uint32_t seed);

  const std::string& name() const { return name_; }
  std::span<const std::byte> file() const { return file_.bytes(); }
  const std::string& digest() const { return digest_; }

  // Results of one caller.
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

// Returns small networks of the tests. EVTA can also run some of their branches.
std::vector<Network> small_networks();

}  // namespace nestrt::test
