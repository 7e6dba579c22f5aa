// SPDX-License-Identifier: Apache-2.0
// Einsum as a sequence of matrix products of two operands. Each product sums over the labels that neither a later
// operand nor the result uses.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "compiler-lite/import/node_context.h"
#include "compiler-lite/import/ops/families.h"

namespace nestrt::compiler {
namespace {

// Labels by axis: letters, or numbers for the axes of the ellipsis, counted from its end.
using Labels = std::vector<int>;

struct Term {
  ValueId value = kNoValue;
  Labels labels;
};

bool contains(const Labels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

// Parses "ij...k" for a tensor of `rank` axes. The ellipsis covers the axes that no letter names.
Result<Labels> parse_labels(const NodeContext& node, std::string_view text, int rank) {
  Labels labels;
  const size_t dots = text.find("...");
  const auto letters = static_cast<int>(text.size() - (dots == std::string_view::npos ? 0 : 3));
  if (dots == std::string_view::npos ? letters != rank : letters > rank)
    return node.invalid(fmt::format("equation: term '{}' does not fit a tensor of rank {}", text, rank));
  for (size_t i = 0; i < text.size(); ++i) {
    if (i == dots) {
      for (int left = rank - letters; left > 0; --left) labels.push_back(left);
      i += 2;
    } else if (std::isalpha(static_cast<unsigned char>(text[i])) != 0) {
      labels.push_back(1000 + text[i]);
    } else {
      return node.invalid(fmt::format("equation: '{}' contains a character that is not a letter", text));
    }
  }
  return labels;
}

// Takes the diagonal along labels that occur more than once in an operand.
Result<Term> without_repeats(NodeContext& node, Term term) {
  for (size_t first = 0; first < term.labels.size(); ++first) {
    const auto again =
        std::find(term.labels.begin() + static_cast<std::ptrdiff_t>(first) + 1, term.labels.end(), term.labels[first]);
    if (again == term.labels.end()) continue;
    const auto second = static_cast<size_t>(again - term.labels.begin());
    const Shape shape = node.shape(term.value);
    const int64_t dim = shape[static_cast<int>(first)];
    if (shape[static_cast<int>(second)] != dim) return node.invalid("equation: a label has axes of different lengths");
    std::vector<int> order;
    Labels labels;
    Shape rows;
    for (size_t axis = 0; axis < term.labels.size(); ++axis) {
      if (axis == first || axis == second) continue;
      order.push_back(static_cast<int>(axis));
      labels.push_back(term.labels[axis]);
      rows.push_back(shape[static_cast<int>(axis)]);
    }
    order.insert(order.end(), {static_cast<int>(first), static_cast<int>(second)});
    labels.push_back(term.labels[first]);
    NESTRT_ASSIGN_OR_RETURN(ValueId x, node.transpose(term.value, order));
    rows.push_back(dim * dim);
    NESTRT_ASSIGN_OR_RETURN(x, node.reshape(x, rows));
    std::vector<int64_t> step(static_cast<size_t>(rows.rank()), 1);
    step.back() = dim + 1;
    rows[rows.rank() - 1] = dim;
    NESTRT_ASSIGN_OR_RETURN(x, node.slice(x, std::vector<int64_t>(step.size(), 0), step, rows));
    return without_repeats(node, {x, labels});
  }
  return term;
}

// Sums over the labels that are not in `needed`.
Result<Term> without_unneeded(NodeContext& node, const Term& term, const Labels& needed) {
  ops::Reduce reduce;
  reduce.kind = ops::ReduceKind::kSum;
  reduce.keep_dims = false;
  Labels labels;
  for (size_t axis = 0; axis < term.labels.size(); ++axis) {
    if (contains(needed, term.labels[axis]))
      labels.push_back(term.labels[axis]);
    else
      reduce.axes.push_back(static_cast<int32_t>(axis));
  }
  if (reduce.axes.empty()) return term;
  NESTRT_ASSIGN_OR_RETURN(const ValueId sum, node.add(std::move(reduce), {term.value}));
  return Term{sum, labels};
}

// Transposes the axes into the order of `labels`. Requires: the term contains all `labels`.
Result<ValueId> ordered(NodeContext& node, const Term& term, const Labels& labels) {
  std::vector<int> order;
  for (const int label : labels)
    order.push_back(static_cast<int>(std::find(term.labels.begin(), term.labels.end(), label) - term.labels.begin()));
  if (std::is_sorted(order.begin(), order.end())) return term.value;
  return node.transpose(term.value, order);
}

using Dims = std::map<int, int64_t>;  // by label

// Repeats axes of one element to the extent of their label.
Result<ValueId> stretched(NodeContext& node, const Term& term, const Dims& dims) {
  Shape shape = node.shape(term.value);
  for (size_t axis = 0; axis < term.labels.size(); ++axis) shape[static_cast<int>(axis)] = dims.at(term.labels[axis]);
  if (shape == node.shape(term.value)) return term.value;
  return node.add(ops::Tile{.shape = {shape.begin(), shape.end()}}, {term.value});
}

// Returns an operand of a product as [batch, rows, columns].
Result<ValueId> as_matrices(NodeContext& node, const Term& term, const Labels& batch, const Labels& rows,
                            const Labels& columns, const Dims& dims) {
  Shape matrices;
  Labels order;
  for (const Labels* group : {&batch, &rows, &columns}) {
    int64_t extent = 1;
    for (const int label : *group) extent *= dims.at(label);
    matrices.push_back(extent);
    order.insert(order.end(), group->begin(), group->end());
  }
  NESTRT_ASSIGN_OR_RETURN(const ValueId whole, stretched(node, term, dims));
  NESTRT_ASSIGN_OR_RETURN(const ValueId sorted, ordered(node, {whole, term.labels}, order));
  return node.reshape(sorted, matrices);
}

Result<Term> product(NodeContext& node, const Term& a, const Term& b, const Labels& needed, const Dims& dims) {
  Labels batch, summed, of_a, of_b;
  for (const int label : a.labels) {
    Labels& group = !contains(b.labels, label) ? of_a : contains(needed, label) ? batch : summed;
    group.push_back(label);
  }
  for (const int label : b.labels)
    if (!contains(a.labels, label)) of_b.push_back(label);
  NESTRT_ASSIGN_OR_RETURN(const ValueId left, as_matrices(node, a, batch, of_a, summed, dims));
  NESTRT_ASSIGN_OR_RETURN(const ValueId right, as_matrices(node, b, batch, summed, of_b, dims));
  NESTRT_ASSIGN_OR_RETURN(const ValueId matrices, node.add(ops::MatMul(), {left, right}));
  Term result;
  Shape shape;
  for (const Labels* group : {&batch, &of_a, &of_b}) {
    for (const int label : *group) {
      result.labels.push_back(label);
      shape.push_back(dims.at(label));
    }
  }
  NESTRT_ASSIGN_OR_RETURN(result.value, node.reshape(matrices, shape));
  return result;
}

struct Equation {
  std::vector<std::string> operands;
  std::string result;
  bool has_result = false;
};

Equation split_equation(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  Equation equation;
  const size_t arrow = text.find("->");
  equation.has_result = arrow != std::string::npos;
  if (equation.has_result) equation.result = text.substr(arrow + 2);
  std::string left = text.substr(0, arrow);
  for (size_t comma = left.find(','); comma != std::string::npos; comma = left.find(',')) {
    equation.operands.push_back(left.substr(0, comma));
    left.erase(0, comma + 1);
  }
  equation.operands.push_back(left);
  return equation;
}

// Returns the result's labels: those in the equation or, by default, the ellipsis followed by every letter that occurs
// once, in alphabetical order.
Result<Labels> result_labels(const NodeContext& node, const Equation& equation, const std::vector<Term>& terms) {
  std::map<int, int> count;
  int ellipsis = 0;
  for (const Term& term : terms) {
    for (const int label : term.labels) {
      ++count[label];
      if (label < 1000) ellipsis = std::max(ellipsis, label);
    }
  }
  Labels labels;
  if (equation.has_result) {
    const bool dots = equation.result.find("...") != std::string::npos;
    const auto letters = static_cast<int>(equation.result.size()) - (dots ? 3 : 0);
    NESTRT_ASSIGN_OR_RETURN(labels, parse_labels(node, equation.result, letters + (dots ? ellipsis : 0)));
    for (const int label : labels)
      if (count[label] == 0) return node.invalid("equation: the result contains a label that no operand contains");
    return labels;
  }
  for (int left = ellipsis; left > 0; --left) labels.push_back(left);
  for (const auto& [label, times] : count)
    if (label >= 1000 && times == 1) labels.push_back(label);
  return labels;
}

Result<Dims> dims_of(const NodeContext& node, const std::vector<Term>& terms) {
  Dims dims;
  for (const Term& term : terms) {
    const Shape& shape = node.value(term.value).shape;
    for (size_t axis = 0; axis < term.labels.size(); ++axis) {
      const int64_t dim = shape[static_cast<int>(axis)];
      int64_t& known = dims.try_emplace(term.labels[axis], dim).first->second;
      if (known != dim && known != 1 && dim != 1)
        return node.invalid("equation: a label has axes of different lengths");
      if (known == 1) known = dim;
    }
  }
  return dims;
}

// Returns the labels that the result or the terms from `first` on use.
Labels needed_from(const std::vector<Term>& terms, size_t first, const Labels& result) {
  Labels needed = result;
  for (size_t i = first; i < terms.size(); ++i)
    needed.insert(needed.end(), terms[i].labels.begin(), terms[i].labels.end());
  return needed;
}

Result<std::vector<Term>> read_terms(NodeContext& node, const Equation& equation) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<ValueId> inputs, node.all_inputs());
  if (equation.operands.size() != inputs.size())
    return node.invalid(
        fmt::format("equation has {} operands, but the node has {} inputs", equation.operands.size(), inputs.size()));
  std::vector<Term> terms;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Term term{inputs[i], {}};
    NESTRT_ASSIGN_OR_RETURN(term.labels, parse_labels(node, equation.operands[i], node.shape(inputs[i]).rank()));
    NESTRT_ASSIGN_OR_RETURN(term, without_repeats(node, std::move(term)));
    terms.push_back(std::move(term));
  }
  return terms;
}

Status import_einsum(NodeContext& node) {
  const Equation equation = split_equation(node.attribute("equation", ""));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<Term> terms, read_terms(node, equation));
  NESTRT_ASSIGN_OR_RETURN(const Labels result, result_labels(node, equation, terms));
  NESTRT_ASSIGN_OR_RETURN(const Dims dims, dims_of(node, terms));
  NESTRT_ASSIGN_OR_RETURN(Term left, without_unneeded(node, terms[0], needed_from(terms, 1, result)));
  for (size_t i = 1; i < terms.size(); ++i) {
    const Labels behind = needed_from(terms, i + 1, result);
    Labels needed = behind;
    needed.insert(needed.end(), left.labels.begin(), left.labels.end());
    NESTRT_ASSIGN_OR_RETURN(const Term right, without_unneeded(node, terms[i], needed));
    NESTRT_ASSIGN_OR_RETURN(left, product(node, left, right, behind, dims));
    NESTRT_ASSIGN_OR_RETURN(left, without_unneeded(node, left, behind));
  }
  NESTRT_ASSIGN_OR_RETURN(const ValueId value, ordered(node, left, result));
  return node.set_output(0, value);
}

constexpr ImportRule kEinsumRules[] = {
    {"Einsum", import_einsum, 12},
};

}  // namespace

std::span<const ImportRule> einsum_rules() { return kEinsumRules; }

}  // namespace nestrt::compiler
