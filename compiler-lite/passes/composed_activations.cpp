// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/passes/composed_activations.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "compiler-lite/passes/rewrite.h"

namespace nestrt::compiler {
namespace {

using ops::UnaryKind;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

// A family of functions. The parameters select the member that equals a given function at -1 and at 1.
struct Candidate {
  UnaryKind kind;
  // Return alpha and beta from the function's values at -1 and 1. Null means 0.
  double (*alpha)(double at_minus_one, double at_one);
  double (*beta)(double at_minus_one, double at_one);
  double (*value)(double x, double alpha, double beta);
};

constexpr auto kOne = [](double, double) { return 1.0; };
constexpr auto kMinusFirst = [](double first, double) { return -first; };
constexpr auto kSecond = [](double, double second) { return second; };
constexpr auto kEluAlpha = [](double first, double) { return first / std::expm1(-1); };
constexpr auto kSeluAlpha = [](double first, double second) { return first / (second * std::expm1(-1)); };

constexpr Candidate kCandidates[] = {
    {UnaryKind::kRelu, nullptr, nullptr, [](double x, double, double) { return std::max(x, 0.0); }},
    {UnaryKind::kLeakyRelu, kMinusFirst, nullptr, [](double x, double a, double) { return x < 0 ? a * x : x; }},
    {UnaryKind::kSigmoid, nullptr, nullptr, [](double x, double, double) { return sigmoid(x); }},
    {UnaryKind::kTanh, nullptr, nullptr, [](double x, double, double) { return std::tanh(x); }},
    {UnaryKind::kSilu, nullptr, nullptr, [](double x, double, double) { return x * sigmoid(x); }},
    {UnaryKind::kHardSwish, nullptr, nullptr,
     [](double x, double, double) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); }},
    {UnaryKind::kElu, kEluAlpha, nullptr, [](double x, double a, double) { return x < 0 ? a * std::expm1(x) : x; }},
    {UnaryKind::kSelu, kSeluAlpha, kSecond,
     [](double x, double a, double b) { return b * (x < 0 ? a * std::expm1(x) : x); }},
    {UnaryKind::kSoftplus, nullptr, nullptr, [](double x, double, double) { return softplus(x); }},
    {UnaryKind::kSoftsign, nullptr, nullptr, [](double x, double, double) { return x / (1 + std::abs(x)); }},
    {UnaryKind::kMish, nullptr, nullptr, [](double x, double, double) { return x * std::tanh(softplus(x)); }},
    {UnaryKind::kGelu, nullptr, nullptr,
     [](double x, double, double) { return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2)); }},
    {UnaryKind::kGelu, kOne, nullptr,
     [](double x, double, double) {
       return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
     }},
};

// Returns true if `y` approximately equals `expected` at `x`. f32 constants change results by about 1e-7 of their
// magnitude. No absolute difference is accepted at 0, and almost none at large x, because a term such as 1e-6 may keep
// a logarithm finite there.
bool is_close(double y, double expected, double x) {
  constexpr double kFar = 20;
  const double absolute = std::abs(x) < kFar ? 2e-6 * std::min(std::abs(x), 1.0) : 1e-9;
  return std::abs(y - expected) <= absolute + 1e-5 * std::abs(expected);
}

// Returns points of magnitude up to 40, and points next to the constants, where a piecewise function may change.
std::vector<double> points_of(const Univariate& function) {
  std::vector<double> points;
  const auto add = [&points](double point) { points.insert(points.end(), {point, -point}); };
  for (int i = 0; i <= 200; ++i) add(i * 0.1993);
  for (const double point : {1e-3, 0.01, 0.1}) add(point);
  for (const float constant : function.constants()) {
    if (!std::isfinite(constant)) continue;
    add(double{constant} * 0.99);
    add(double{constant} * 1.01);
  }
  return points;
}

// Compares the functions at large arguments. Ignores points at which the composed function overflows.
template <typename IsAt>
bool agrees_far_away(const Univariate& function, IsAt is_at) {
  for (double x = 64; x < 1e12; x *= 2)
    for (const double point : {x, -x})
      if (const double y = function(point); std::isfinite(y) && !is_at(y, point)) return false;
  return true;
}

}  // namespace

std::optional<ops::Unary> known_activation(const Univariate& function) {
  const double first = function(-1), second = function(1), third = function(-2.5);
  if (!std::isfinite(first) || !std::isfinite(second)) return std::nullopt;
  for (const Candidate& candidate : kCandidates) {
    const double alpha = candidate.alpha ? candidate.alpha(first, second) : 0;
    const double beta = candidate.beta ? candidate.beta(first, second) : 0;
    const auto is_at = [&](double y, double x) { return is_close(y, candidate.value(x, alpha, beta), x); };
    if (!is_at(first, -1) || !is_at(second, 1) || !is_at(third, -2.5)) continue;
    if (!std::ranges::all_of(points_of(function), [&](double x) { return is_at(function(x), x); })) continue;
    if (!agrees_far_away(function, is_at)) continue;
    return ops::Unary{candidate.kind, static_cast<float>(alpha), static_cast<float>(beta)};
  }
  return std::nullopt;
}

Result<int> recognise_composed_activations(Graph& graph) {
  const std::vector<Node*> nodes = snapshot(graph);
  Univariate::Order order;
  for (size_t i = 0; i < nodes.size(); ++i) order.emplace(nodes[i], i);
  int changes = 0;
  for (auto at = nodes.rbegin(); at != nodes.rend(); ++at) {
    Node* const node = *at;
    if (!is_used(graph, *node)) continue;
    const std::vector<Univariate> functions = Univariate::all_ending_in(graph, *node, order);
    for (auto function = functions.rbegin(); function != functions.rend(); ++function) {
      const auto activation = known_activation(*function);
      if (!activation) continue;
      NESTRT_ASSIGN_OR_RETURN([[maybe_unused]] Node * replaced,
                              replace(graph, node, *activation, {function->variable()}));
      ++changes;
      break;
    }
  }
  return changes;
}

}  // namespace nestrt::compiler
