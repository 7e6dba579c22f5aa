// SPDX-License-Identifier: Apache-2.0
#include "test/soak/network.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <stdexcept>

#include "nestrt/open_units.h"
#include "test/support/plan/copy_plan.h"
#include "test/support/plan/sample_plans.h"

namespace nestrt::test {
namespace {

// Returns values that are valid for every tensor type: moderate floats, and random bytes for all others.
std::vector<std::byte> random_elements(const TensorInfo& info, std::mt19937& random) {
  std::vector<std::byte> elements(info.size_bytes());
  if (info.type == DataType::kF32) {
    std::uniform_real_distribution<float> values(-1, 1);
    for (size_t at = 0; at < elements.size(); at += sizeof(float)) {
      const float value = values(random);
      std::memcpy(&elements[at], &value, sizeof value);
    }
  } else {
    for (std::byte& byte : elements) byte = static_cast<std::byte>(random());
  }
  return elements;
}

}  // namespace

Network::Network(std::string name, PlanFile file, uint32_t seed) : name_(std::move(name)), file_(std::move(file)) {
  const auto plan = Plan::from_memory(file_.bytes(), Verification::kComplete);
  if (!plan) throw std::runtime_error(name_ + ": " + plan.error().to_string());
  digest_ = (*plan)->digest();
  inputs_.assign((*plan)->inputs().begin(), (*plan)->inputs().end());
  outputs_.assign((*plan)->outputs().begin(), (*plan)->outputs().end());
  std::mt19937 random(seed);
  for (const TensorInfo& info : inputs_) x_.push_back(random_elements(info, random));
  expected_ = results();
  const auto session = Session::create(*plan, *open_units("cpu", {.num_threads = 1}));
  const Status status = session ? run(**session, expected_, {}) : session.error();
  if (!status.ok()) throw std::runtime_error(name_ + ": " + status.to_string());
}

Network::Results Network::results() const {
  Results results;
  for (const TensorInfo& info : outputs_) results.emplace_back(info.size_bytes());
  return results;
}

Status Network::run(Session& session, Results& results, const RunOptions& options) const {
  std::vector<ConstTensorView> in;
  std::vector<TensorView> out;
  for (size_t i = 0; i < inputs_.size(); ++i) in.emplace_back(inputs_[i].type, inputs_[i].shape, x_[i].data());
  for (size_t i = 0; i < outputs_.size(); ++i) {
    std::fill(results[i].begin(), results[i].end(), std::byte{0xA5});
    out.push_back({outputs_[i].type, outputs_[i].shape, results[i].data()});
  }
  return session.run(in, out, options);
}

std::vector<Network> small_networks() {
  std::vector<Network> networks;
  networks.emplace_back("branches", branches_plan().build(), 1);
  networks.emplace_back("blocked", blocked_plan().build(), 2);
  networks.emplace_back("channels", channelwise_plan(32).build(), 3);
  for (uint32_t seed = 0; seed < 3; ++seed)
    networks.emplace_back("random" + std::to_string(seed),
                          evta::test::random_network(evta::kConfigurations[0], 10, seed).build(), seed);
  return networks;
}

}  // namespace nestrt::test
