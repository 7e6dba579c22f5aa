// SPDX-License-Identifier: Apache-2.0
#include "tools/support/image/image_options.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace nestrt::tools {
namespace {

// Returns whether both lists apply the same values. An empty list means `neutral`; a list of one value applies to all
// channels.
bool is_same(const std::vector<float>& a, const std::vector<float>& b, float neutral) {
  const auto at = [neutral](const std::vector<float>& values, size_t i) {
    if (values.empty()) return neutral;
    return values.size() == 1 ? values[0] : values[i];
  };
  const size_t count = std::max({a.size(), b.size(), size_t{1}});
  if ((a.size() > 1 && a.size() != count) || (b.size() > 1 && b.size() != count)) return false;
  for (size_t i = 0; i < count; ++i)
    if (at(a, i) != at(b, i)) return false;
  return true;
}

std::string list_of(const std::vector<float>& values) {
  const bool equal = std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
  return equal ? fmt::format("{}", values[0]) : fmt::format("{}", fmt::join(values, ","));
}

}  // namespace

std::vector<Option> ImageFlags::add_to(Command command) {
  const Option mean = command
                          .add_option("--mean", mean_,
                                      "preprocessing of images: x = (pixel - mean) * scale; one value, or one per "
                                      "channel of the input (--bgr: blue first), separated by commas")
                          .separated_by(',');
  const Option scale = command.add_option("--scale", scale_, "see --mean").separated_by(',');
  const Option resize = command.add_option("--resize", resize_,
                                           "resize the shorter side of an image to N, then crop its centre to the "
                                           "input; default: stretch the image to the input");
  const Option bgr = command.add_flag("--bgr", bgr_, "the input's channels are blue, green, red");
  const Option letterbox =
      command
          .add_flag("--letterbox", letterbox_,
                    "resize an image in proportion to fit into the input, and pad the remaining borders on two sides")
          .excludes(resize);
  const Option pad =
      command.add_option("--pad", pad_, "pixel value of the padding (default: 0)").in_range(0, 255).needs(letterbox);
  const Option plain = command.add_flag("--no-antialias", no_antialias_,
                                        "when shrinking an image, interpolate between the nearest pixels only, like "
                                        "OpenCV's INTER_LINEAR; default: average all pixels, like Pillow");
  return {mean, scale, resize, bgr, letterbox, pad, plain};
}

std::optional<Preprocessing> ImageFlags::preprocessing() const {
  if (mean_.empty() && scale_.empty() && resize_ == 0 && !bgr_ && !letterbox_ && !no_antialias_) return std::nullopt;
  Preprocessing result;
  result.mean = mean_.empty() ? std::vector<float>{0} : mean_;
  result.scale = scale_.empty() ? std::vector<float>{1} : scale_;
  result.resize = resize_;
  result.bgr = bgr_;
  result.letterbox = letterbox_;
  result.pad = static_cast<uint8_t>(pad_.value_or(0));
  result.antialias = !no_antialias_;
  return result;
}

std::string ImageFlags::contradiction(const Preprocessing& stated) const {
  if (!mean_.empty() && !is_same(mean_, stated.mean, 0)) return "--mean";
  if (!scale_.empty() && !is_same(scale_, stated.scale, 1)) return "--scale";
  if (resize_ != 0 && resize_ != stated.resize) return "--resize";
  if (bgr_ && !stated.bgr) return "--bgr";
  if (letterbox_ && !stated.letterbox) return "--letterbox";
  if (pad_ && *pad_ != stated.pad) return "--pad";
  if (no_antialias_ && stated.antialias) return "--no-antialias";
  return {};
}

Result<Preprocessing> ImageFlags::agree_with(const Preprocessing* stated, const std::string& whose) const {
  if (stated == nullptr) return preprocessing().value_or(Preprocessing());
  const std::string option = contradiction(*stated);
  if (option.empty()) return *stated;
  const std::string options = as_options(*stated);
  return Status(Code::kInvalidArgument,
                fmt::format("{} contradicts '{}', which uses {}; omit the option, or create that file again", option,
                            whose, options.empty() ? "unchanged pixels" : options));
}

Status check_factors(const Preprocessing& preprocessing) {
  const auto is_finite = [](float value) { return std::isfinite(value); };
  if (!std::ranges::all_of(preprocessing.mean, is_finite))
    return Status(Code::kInvalidArgument, "--mean: expected finite numbers");
  const auto is_factor = [](float value) { return std::isfinite(value) && value != 0; };
  if (!std::ranges::all_of(preprocessing.scale, is_factor))
    return Status(Code::kInvalidArgument,
                  "--scale: expected finite numbers other than 0 in x = (pixel - mean) * scale");
  return {};
}

std::string as_options(const Preprocessing& preprocessing) {
  std::string text;
  const auto add = [&](const std::string& option) { text += (text.empty() ? "" : " ") + option; };
  if (!is_same(preprocessing.mean, {}, 0)) add("--mean " + list_of(preprocessing.mean));
  if (!is_same(preprocessing.scale, {}, 1)) add("--scale " + list_of(preprocessing.scale));
  if (preprocessing.resize > 0) add(fmt::format("--resize {}", preprocessing.resize));
  if (preprocessing.bgr) add("--bgr");
  if (preprocessing.letterbox) add("--letterbox");
  if (preprocessing.pad > 0) add(fmt::format("--pad {}", preprocessing.pad));
  if (!preprocessing.antialias) add("--no-antialias");
  return text;
}

bool is_same(const Preprocessing& a, const Preprocessing& b) {
  return is_same(a.mean, b.mean, 0) && is_same(a.scale, b.scale, 1) && a.resize == b.resize && a.bgr == b.bgr &&
         a.letterbox == b.letterbox && a.pad == b.pad && a.antialias == b.antialias;
}

}  // namespace nestrt::tools
