// SPDX-License-Identifier: Apache-2.0
#include "tools/support/text/json.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/support/text/files.h"

namespace nestrt::tools {

using Value = nlohmann::ordered_json;

Json::Json(std::nullptr_t) : value_(std::make_unique<Value>()) {}
Json::Json(bool value) : value_(std::make_unique<Value>(value)) {}
Json::Json(int value) : value_(std::make_unique<Value>(value)) {}
Json::Json(int64_t value) : value_(std::make_unique<Value>(value)) {}
Json::Json(uint32_t value) : value_(std::make_unique<Value>(value)) {}
Json::Json(uint64_t value) : value_(std::make_unique<Value>(value)) {}
Json::Json(double value) : value_(std::make_unique<Value>(value)) {}
Json::Json(const char* text) : value_(std::make_unique<Value>(text)) {}
Json::Json(const std::string& text) : value_(std::make_unique<Value>(text)) {}
Json::Json(std::string_view text) : value_(std::make_unique<Value>(text)) {}
Json::Json(std::initializer_list<Member> members) : value_(std::make_unique<Value>(Value::object())) {
  for (const Member& member : members) set(member.name, member.value);
}
Json::Json(const Json& other) : value_(std::make_unique<Value>(*other.value_)) {}
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(Json other) noexcept {
  value_.swap(other.value_);
  return *this;
}
Json::~Json() = default;

Json Json::array() {
  Json list;
  *list.value_ = Value::array();
  return list;
}

void Json::push_back(Json value) { value_->push_back(std::move(*value.value_)); }

void Json::set(std::string_view name, Json value) { (*value_)[std::string(name)] = std::move(*value.value_); }

bool Json::is_null() const { return value_->is_null(); }

const Value* Json::find(std::string_view member) const {
  if (!value_->is_object()) return nullptr;
  const auto found = value_->find(std::string(member));
  return found == value_->end() ? nullptr : &*found;
}

std::optional<double> Json::number(std::string_view member) const {
  const Value* const value = find(member);
  return value != nullptr && value->is_number() ? std::optional(value->get<double>()) : std::nullopt;
}

std::optional<std::string> Json::text(std::string_view member) const {
  const Value* const value = find(member);
  return value != nullptr && value->is_string() ? std::optional(value->get<std::string>()) : std::nullopt;
}

std::vector<double> Json::numbers(std::string_view member) const {
  const Value* const list = find(member);
  const auto is_number = [](const Value& element) { return element.is_number(); };
  if (list == nullptr || !list->is_array() || !std::ranges::all_of(*list, is_number)) return {};
  return list->get<std::vector<double>>();
}

std::vector<Json> Json::objects(std::string_view member) const {
  const Value* const list = find(member);
  const auto is_object = [](const Value& element) { return element.is_object(); };
  if (list == nullptr || !list->is_array() || !std::ranges::all_of(*list, is_object)) return {};
  std::vector<Json> objects;
  for (const Value& element : *list) *objects.emplace_back().value_ = element;
  return objects;
}

std::string Json::to_string() const { return value_->dump(2, ' ', false, Value::error_handler_t::replace) + '\n'; }

Result<Json> read_json(const std::string& path) {
  NESTRT_ASSIGN_OR_RETURN(const auto bytes, read_file(path));
  const auto* const text = reinterpret_cast<const char*>(bytes.data());
  Json json;
  try {
    *json.value_ = Value::parse(text, text + bytes.size());
  } catch (const Value::parse_error& error) {
    return Status(Code::kInvalidArgument, fmt::format("'{}' is not JSON: {}", path, error.what()));
  }
  if (!json.value_->is_object())
    return Status(Code::kInvalidArgument, fmt::format("'{}' is JSON, but not an object", path));
  return json;
}

Status write_json(const std::string& path, const Json& json) {
  NESTRT_RETURN_IF_ERROR(check_kind(path, Written::kJson));
  return write_text(path, json.to_string());
}

}  // namespace nestrt::tools
