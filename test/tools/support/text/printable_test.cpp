// SPDX-License-Identifier: Apache-2.0
#include "tools/support/text/printable.h"

#include <catch2/catch.hpp>

namespace nestrt::tools {

TEST_CASE("Visible text stays unchanged") {
  for (const char* text : {"", "conv1/weights:0", "Größe ≥ 3 × 网络 😀", "a 'quoted' name"}) {
    CHECK(printable(text) == text);
    CHECK(printable_message(text) == text);
  }
}

TEST_CASE("Characters that move the cursor or hide or reorder text are escaped") {
  CHECK(printable("a\x1b[31m\a\n\tß") == "a\\x1b[31m\\x07\\n\\x09ß");
  CHECK(printable(std::string_view("a\0b", 3)) == "a\\x00b");
  CHECK(printable("safe\u202egnp.exe") == "safe\\u202egnp.exe");
  CHECK(printable("\u200b\ufeff\u0085") == "\\u200b\\ufeff\\u0085");
}

TEST_CASE("Characters without a standard glyph are escaped") {
  CHECK(printable("\u061c\u200e\u200f\u2066\u2069") == "\\u061c\\u200e\\u200f\\u2066\\u2069");  // bidirectional marks
  CHECK(printable("a\u00adb\u2028\u2029") == "a\\u00adb\\u2028\\u2029");
  CHECK(printable("\u115f\u3164\ufe0f\U000e0100") == "\\u115f\\u3164\\ufe0f\\U000e0100");  // fillers, variants
  CHECK(printable("\ue000\U000f0000") == "\\ue000\\U000f0000");                            // private
  CHECK(printable("\u0378\uffff\U000e0041") == "\\u0378\\uffff\\U000e0041");               // unassigned, tags
  CHECK(printable("e\u0301 \u05d0\u0628 \u3000") == "e\u0301 \u05d0\u0628 \u3000");        // accents, right to left
}

TEST_CASE("The display width counts terminal columns") {
  CHECK(display_width("") == 0);
  CHECK(display_width("conv1/weights:0") == 15);
  CHECK(display_width("größer") == 6);
  CHECK(display_width("e\u0301") == 1);
  CHECK(display_width("网络") == 4);
  CHECK(display_width("😀") == 2);
  CHECK(display_width("ｶ") == 1);  // half width
  CHECK(display_width("\xff\xc3") == 2);
}

TEST_CASE("Bytes that are not UTF-8 are escaped") {
  CHECK(printable("\xff\xfe") == "\\xff\\xfe");
  CHECK(printable("\xc3") == "\\xc3");                             // truncated
  CHECK(printable("\xc0\xaf") == "\\xc0\\xaf");                    // overlong encoding
  CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");           // a surrogate
  CHECK(printable("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");  // beyond the last code point
}

TEST_CASE("The middle of a long name is omitted") {
  CHECK(printable(std::string(120, 'n')) == std::string(120, 'n'));
  CHECK(printable("begin" + std::string(10'000'000, 'n') + "end") ==
        "begin" + std::string(75, 'n') + "..." + std::string(37, 'n') + "end");
  std::string greek;
  for (int i = 0; i < 200; ++i) greek += "λ";
  CHECK(printable(greek).size() == 2 * 120 + 3);
}

TEST_CASE("A message keeps only its indented lines") {
  CHECK(printable_message("missing:\n  --input a\n  --input b") == "missing:\n  --input a\n  --input b");
  CHECK(printable_message("node 'a\nnestc: all is well'") == "node 'a\\nnestc: all is well'");
}

TEST_CASE("Quotations in a message are shortened, and an apostrophe does not start one") {
  const std::string name(1000, 'n');
  const std::string shown = printable_message("the model's node '" + name + "' (Conv): tensor '" + name + "' is large");
  CHECK(shown.size() < 350);
  CHECK(shown.starts_with("the model's node 'nnn"));
  CHECK(shown.find("nnn' (Conv): tensor 'nnn") != std::string::npos);
  CHECK(shown.ends_with("nnn' is large"));
  CHECK(printable_message(std::string(1'000'000, 'n')).size() < 17'000);
}

TEST_CASE("Trailing newlines of a message are removed") {
  CHECK(printable_message("the plan expects:\n  x  f32  1x3\n") == "the plan expects:\n  x  f32  1x3");
  CHECK(printable_message("\n\n").empty());
}

TEST_CASE("is_utf8() accepts only characters that all programs preserve") {
  CHECK(is_utf8(""));
  CHECK(is_utf8("conv1/\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x98\x80"));
  for (const char* text :
       {"\xc7", "a\xe1", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xef\xbf\xbe", "\xef\xb7\x90"}) {
    INFO(text);
    CHECK_FALSE(is_utf8(text));
  }
}

}  // namespace nestrt::tools
