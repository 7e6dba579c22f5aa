// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/import/onnx/tensor_proto.h"

#include <onnx/onnx_pb.h>

#include <catch2/catch.hpp>

#include "compiler-lite/import/onnx/onnx_model.h"
#include "test/support/process/allocation_counter.h"

namespace nestrt::test {
namespace {

TEST_CASE("Elements of a list are copied once if no conversion is needed") {
  constexpr int kElements = 100'000;
  onnx::TensorProto proto;
  proto.set_data_type(onnx::TensorProto::INT64);
  proto.add_dims(kElements);
  for (int i = 0; i < kElements; ++i) proto.add_int64_data(i);
  const compiler::ImportLimits limits;
  const AllocationCounter counter;
  const auto tensor = compiler::decode_tensor(proto, nullptr, limits);
  const int64_t bytes = counter.bytes();
  REQUIRE(tensor);
  CHECK(tensor->elements->size() == kElements * sizeof(int64_t));
  CHECK(bytes < static_cast<int64_t>(kElements * sizeof(int64_t)) * 3 / 2);
}

}  // namespace
}  // namespace nestrt::test
