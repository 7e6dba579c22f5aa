// SPDX-License-Identifier: Apache-2.0
#include "tools/support/text/json.h"

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

std::string Json::to_string() const { return value_->dump(2, ' ', false, Value::error_handler_t::replace) + '\n'; }

Status write_json(const std::string& path, const Json& json) {
  NESTRT_RETURN_IF_ERROR(check_kind(path, Written::kJson));
  return write_text(path, json.to_string());
}

}  // namespace nestrt::tools
