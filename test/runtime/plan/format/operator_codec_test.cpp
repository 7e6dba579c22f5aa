// SPDX-License-Identifier: Apache-2.0
// Compares the structs of operators with their tables in plan.fbs: names, types and defaults of fields, and names of
// enumerators. Checks that attributes are read as they were written.
#include "runtime/plan/format/operator_codec.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "runtime/plan/format/decode.h"
#include "runtime/plan/format/encode.h"

namespace nestrt {
namespace {

// Returns, for example, "kernel: [4]": the name and FlatBuffers' number of the type, in brackets for lists.
std::string field_text(std::string_view name, flatbuffers::ElementaryType type, bool is_list) {
  const std::string number = std::to_string(type);
  return std::string(name) + ": " + (is_list ? "[" + number + "]" : number);
}

template <typename T>
constexpr flatbuffers::ElementaryType wire_type() {
  if constexpr (plan_format::kIsList<T>) return wire_type<typename T::value_type>();
  if constexpr (std::is_same_v<T, ops::Activation>) return flatbuffers::ET_SEQUENCE;
  if constexpr (std::is_enum_v<T>) return flatbuffers::ET_UCHAR;
  if constexpr (std::is_same_v<T, bool>) return flatbuffers::ET_BOOL;
  if constexpr (std::is_same_v<T, int8_t>) return flatbuffers::ET_CHAR;
  if constexpr (std::is_same_v<T, int32_t>) return flatbuffers::ET_INT;
  if constexpr (std::is_same_v<T, int64_t>) return flatbuffers::ET_LONG;
  if constexpr (std::is_same_v<T, float>) return flatbuffers::ET_FLOAT;
}

template <typename Op>
std::vector<std::string> fields_of_struct() {
  std::vector<std::string> fields;
  const Op op;
  ops::for_each_field(op, [&]<typename T>(std::string_view name, const T&) {
    fields.push_back(field_text(name, wire_type<T>(), plan_format::kIsList<T>));
  });
  return fields;
}

std::vector<std::string> fields_of_table(const flatbuffers::TypeTable& table) {
  std::vector<std::string> fields;
  for (size_t i = 0; i < table.num_elems; ++i) {
    const flatbuffers::TypeCode code = table.type_codes[i];
    fields.push_back(
        field_text(table.names[i], static_cast<flatbuffers::ElementaryType>(code.base_type), code.is_repeating != 0));
  }
  return fields;
}

ops::Attributes written_and_read(ops::Attributes attributes) {
  plan::Tables tables;
  tables.operators.push_back({"op", std::move(attributes), {}, {}});
  const auto read = decode_tables(encode_tables(tables));
  if (!read) FAIL(read.error().to_string());
  return read->operators.at(0).attributes;
}

// Sets a field to a different value.
struct Change {
  template <typename T>
  void operator()(std::string_view, T& member) const {
    if constexpr (plan_format::kIsList<T>)
      member = {1, 2};
    else if constexpr (std::is_same_v<T, ops::Activation>)
      member = {ops::ActivationKind::kClip, 1, 2};
    else if constexpr (std::is_same_v<T, bool>)
      member = !member;
    else
      member = static_cast<T>(static_cast<float>(member) + 1);
  }
};

template <typename Op>
Op changed() {
  Op op;
  ops::for_each_field(op, Change());
  return op;
}

// Returns the attributes that a reader decodes if a FlatBuffers writer stores all defaults of plan.fbs explicitly.
ops::Attributes defaults_of_table(wire::Attributes kind,
                                  flatbuffers::Offset<void> (*create)(flatbuffers::FlatBufferBuilder&)) {
  flatbuffers::FlatBufferBuilder builder;
  builder.ForceDefaults(true);
  const auto op = wire::CreateOperator(builder, 0, kind, create(builder));
  builder.Finish(wire::CreatePlan(builder, 0, 0, 0, 0, 0, builder.CreateVector(&op, 1)), wire::PlanIdentifier());
  const auto read = decode_tables(std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize())));
  if (!read) FAIL(read.error().to_string());
  return read->operators.at(0).attributes;
}

template <typename Enum, typename Wire>
void check_names(const char* (*wire_name)(Wire)) {
  for (int value = 0; value < 256; ++value) {
    CAPTURE(value);
    CHECK(name(static_cast<Enum>(value)) == wire_name(static_cast<Wire>(value)));
  }
}

}  // namespace

TEST_CASE("The fields of every operator are those of its table, in order and of the same types") {
#define NESTRT_CHECK(Op) CHECK(fields_of_struct<ops::Op>() == fields_of_table(*wire::Op##TypeTable()));
  NESTRT_FOR_EACH_OPERATOR(NESTRT_CHECK)
#undef NESTRT_CHECK
  CHECK(fields_of_struct<ops::Activation>() == fields_of_table(*wire::ActivationTypeTable()));
}

TEST_CASE("The defaults of every operator are those of its table") {
#define NESTRT_CHECK(Op)                                                                                            \
  CHECK(defaults_of_table(wire::Attributes::Op, [](auto& builder) { return wire::Create##Op(builder).Union(); }) == \
        ops::Attributes(ops::Op()));
  NESTRT_FOR_EACH_OPERATOR(NESTRT_CHECK)
#undef NESTRT_CHECK
}

TEST_CASE("Attributes are read as they were written") {
#define NESTRT_CHECK(Op) CHECK(written_and_read(changed<ops::Op>()) == ops::Attributes(changed<ops::Op>()));
  NESTRT_FOR_EACH_OPERATOR(NESTRT_CHECK)
#undef NESTRT_CHECK
}

TEST_CASE("Attributes with default values are read as they were written") {
#define NESTRT_CHECK(Op) CHECK(written_and_read(ops::Op()) == ops::Attributes(ops::Op()));
  NESTRT_FOR_EACH_OPERATOR(NESTRT_CHECK)
#undef NESTRT_CHECK
}

TEST_CASE("Enumerators have the names and numbers of plan.fbs") {
  check_names<ops::Rounding>(wire::EnumNameRounding);
  check_names<ops::ActivationKind>(wire::EnumNameActivationKind);
  check_names<ops::PoolKind>(wire::EnumNamePoolKind);
  check_names<ops::UnaryKind>(wire::EnumNameUnaryKind);
  check_names<ops::BinaryKind>(wire::EnumNameBinaryKind);
  check_names<ops::PadMode>(wire::EnumNamePadMode);
  check_names<ops::ResizeMode>(wire::EnumNameResizeMode);
  check_names<ops::CoordinateMode>(wire::EnumNameCoordinateMode);
  check_names<ops::NearestMode>(wire::EnumNameNearestMode);
  check_names<ops::ReduceKind>(wire::EnumNameReduceKind);
  check_names<plan::BufferKind>(wire::EnumNameBufferKind);
  check_names<plan::MemoryPlanKind>(wire::EnumNameMemoryPlanKind);
  check_names<plan::CostOrigin>(wire::EnumNameCostOrigin);
  check_names<plan::ProgramKind>(wire::EnumNameProgramKind);
  check_names<plan::RangeAccess>(wire::EnumNameRangeAccess);
  check_names<Layout>(wire::EnumNameLayout);
  // The following enumerations have names that plan.fbs does not support.
  check_names<DataType>(
      +[](wire::DataType type) { return type == wire::DataType::boolean ? "bool" : wire::EnumNameDataType(type); });
  check_names<ops::Kind>(
      +[](wire::Attributes kind) { return kind == wire::Attributes::NONE ? "none" : wire::EnumNameAttributes(kind); });
}

}  // namespace nestrt
