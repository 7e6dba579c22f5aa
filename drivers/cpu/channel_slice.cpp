#include "drivers/cpu/channel_slice.h"

#include "runtime/plan/channels.h"
#include "runtime/plan/tables.h"

namespace nestrt::drivers {
namespace {

// A table of its own, in `tables`.
template <typename Table, typename Object>
const Table* keep(const Object& object, std::vector<flatbuffers::DetachedBuffer>& tables) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(Table::Pack(builder, &object));
  tables.push_back(builder.Release());
  return flatbuffers::GetRoot<Table>(tables.back().data());
}

}  // namespace

ChannelSlice::ChannelSlice(const plan::Operator& whole, std::span<TensorSpec> tensors, ChannelRange channels)
    : channels_(channels), offsets_(tensors.size(), 0), op_(cut(whole)) {
  const size_t num_inputs = items(whole.inputs()).size();
  for (size_t i = 0; i < tensors.size(); ++i) {
    const int axis = i < num_inputs ? channel_axis(whole, i) : 1;
    if (tensors[i].present && axis != kUncut) cut(tensors[i], axis, offsets_[i]);
  }
}

const plan::Operator* ChannelSlice::cut(const plan::Operator& whole) {
  const plan::Conv* const conv = whole.attributes_as_Conv();
  if (conv == nullptr || conv->group() == 1) return &whole;
  plan::OperatorT part;
  whole.UnPackTo(&part);
  part.attributes.AsConv()->group = static_cast<int32_t>(channels_.end - channels_.begin);
  return keep<plan::Operator>(part, tables_);
}

void ChannelSlice::cut(TensorSpec& operand, int axis, uint64_t& offset) {
  offset = static_cast<uint64_t>(bytes_of_channels(operand, axis, channels_.begin));
  operand.shape[axis] = channels_.end - channels_.begin;
  if (operand.constant != nullptr) operand.constant += offset;
  if (operand.quantization != nullptr) operand.quantization = cut(*operand.quantization, axis);
}

// The exponents of the channels, where each has its own.
const plan::Quantization* ChannelSlice::cut(const plan::Quantization& whole, int axis) {
  const auto& exponents = items(whole.exponents());
  if (whole.axis() != axis || exponents.size() < channels_.end) return &whole;
  plan::QuantizationT part;
  part.axis = axis;
  part.exponents.assign(exponents.begin() + channels_.begin, exponents.begin() + channels_.end);
  return keep<plan::Quantization>(part, tables_);
}

}  // namespace nestrt::drivers
