// SPDX-License-Identifier: Apache-2.0
// Converts text between C++ and Python; replaces nanobind/stl/string.h and string_view.h. Names in a model are bytes.
// Bytes that are not UTF-8 become \xNN in Python, as in the output of the commands; nanobind's own casters raise
// instead.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

NAMESPACE_BEGIN(NB_NAMESPACE)
NAMESPACE_BEGIN(detail)

// Returns whether `src` is a str. If so, sets `text` to a view of its UTF-8, valid as long as `src`.
inline bool view_of_str(handle src, std::string_view& text) noexcept {
  if (!PyUnicode_Check(src.ptr())) return false;
  Py_ssize_t size = 0;
  const char* const bytes = PyUnicode_AsUTF8AndSize(src.ptr(), &size);
  if (bytes == nullptr) PyErr_Clear();
  text = bytes == nullptr ? std::string_view() : std::string_view(bytes, static_cast<size_t>(size));
  return bytes != nullptr;
}

inline handle str_of(std::string_view text) noexcept {
  return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace");
}

template <>
struct type_caster<std::string> {
  NB_TYPE_CASTER(std::string, const_name("str"))

  bool from_python(handle src, uint32_t, cleanup_list*) noexcept {
    std::string_view text;
    if (!view_of_str(src, text)) return false;
    value = text;
    return true;
  }
  static handle from_cpp(const std::string& text, rv_policy, cleanup_list*) noexcept { return str_of(text); }
};

template <>
struct type_caster<std::string_view> {
  NB_TYPE_CASTER(std::string_view, const_name("str"))

  bool from_python(handle src, uint32_t, cleanup_list*) noexcept { return view_of_str(src, value); }
  static handle from_cpp(std::string_view text, rv_policy, cleanup_list*) noexcept { return str_of(text); }
};

NAMESPACE_END(detail)
NAMESPACE_END(NB_NAMESPACE)
