#include "compiler-lite/export/ops/activations.h"
#include "compiler-lite/export/ops/families.h"

namespace nestrt::compiler {
namespace {

// A QuantizeLinear follows where the result is quantized, and a DequantizeLinear comes with a quantized operand: what
// is left is what happens to the real number in between.
Result<std::string> write_real(NodeWriter& node) { return node.real(0); }

Result<std::string> write_requantize(NodeWriter& node) {
  return write_activation(node, node.attributes<ops::Requantize>().activation, node.real(0));
}

constexpr ExportRule kRules[] = {
    {ops::Kind::kQuantize, write_real},
    {ops::Kind::kDequantize, write_real},
    {ops::Kind::kRequantize, write_requantize},
};

}  // namespace

std::span<const ExportRule> quantization_export_rules() { return kRules; }

}  // namespace nestrt::compiler
