// JSON results of the commands. To include this is cheap; nlohmann/json, which does the work, is seen by json.cpp only.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "nestrt/status.h"

namespace nestrt::tools {

// A value: null, true or false, a number, a text, a list, or an object, whose members stay in the order in which they
// were set.
class Json {
 public:
  struct Member;

  // NOLINTBEGIN(google-explicit-constructor): values are written as they are, {"rows", 3}
  Json(std::nullptr_t = nullptr);
  Json(bool value);
  Json(int value);
  Json(int64_t value);
  Json(uint32_t value);
  Json(uint64_t value);
  Json(double value);  // null where it is not finite
  Json(const char* text);
  Json(const std::string& text);
  Json(std::string_view text);
  Json(std::initializer_list<Member> members);  // an object
  // NOLINTEND(google-explicit-constructor)
  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(Json other) noexcept;
  ~Json();

  static Json array();
  template <typename Range>
  static Json array(const Range& values) {
    Json list = array();
    for (const auto& value : values) list.push_back(value);
    return list;
  }

  // Requires a list, or null, which becomes one.
  void push_back(Json value);
  // Requires an object, or null, which becomes one. A member of this name is replaced.
  void set(std::string_view name, Json value);

  bool is_null() const;
  // Indented by two, with a line's end after it. Bytes that are not UTF-8 are replaced.
  std::string to_string() const;

 private:
  std::unique_ptr<nlohmann::ordered_json> value_;  // null after a move only
};

struct Json::Member {
  std::string_view name;
  Json value;
};

// Written through a temporary file.
Status write_json(const std::string& path, const Json& json);

}  // namespace nestrt::tools
