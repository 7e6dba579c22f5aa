// SPDX-License-Identifier: Apache-2.0
// JSON results of the commands, written and read. This header is cheap to include; only json.cpp includes
// nlohmann/json.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nestrt/result.h"

namespace nestrt::tools {

// A JSON value: null, boolean, number, string, list, or object. Object members keep the order in which they were set.
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
  Json(double value);  // null if not finite
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

  // Requires a list, or null, which becomes a list.
  void push_back(Json value);
  // Requires an object, or null, which becomes an object. Replaces an existing member of this name.
  void set(std::string_view name, Json value);

  bool is_null() const;
  // Return a member of an object if it exists and has this type, else nullopt.
  std::optional<double> number(std::string_view member) const;
  std::optional<std::string> text(std::string_view member) const;
  // Return the elements of a member that is a list of numbers or objects. Empty if it does not exist or an element has
  // another type.
  std::vector<double> numbers(std::string_view member) const;
  std::vector<Json> objects(std::string_view member) const;
  // Returns the text with an indentation of two and a final newline. Replaces bytes that are not UTF-8.
  std::string to_string() const;

 private:
  friend Result<Json> read_json(const std::string& path);
  // Returns a member of an object, or null.
  const nlohmann::ordered_json* find(std::string_view member) const;

  std::unique_ptr<nlohmann::ordered_json> value_;  // null only after a move
};

struct Json::Member {
  std::string_view name;
  Json value;
};

// Reads an untrusted file. Errors: those of reading; kInvalidArgument with the position if it is not a JSON object.
Result<Json> read_json(const std::string& path);

// Writes through a temporary file.
Status write_json(const std::string& path, const Json& json);

}  // namespace nestrt::tools
