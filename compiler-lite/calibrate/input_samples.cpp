// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/calibrate/input_samples.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "tools/support/image/image.h"
#include "tools/support/image/preprocess.h"
#include "tools/support/image/sample_files.h"

namespace nestrt::compiler {
namespace {

namespace fs = std::filesystem;

bool is_array(std::string_view path) { return path.ends_with(".npy"); }

size_t size_of(const TensorInfo& tensor) {
  return static_cast<size_t>(tensor.shape.num_elements()) * size_bytes(tensor.type);
}

// Returns the number of inputs in an array of `shape`: [N, input shape...], or [N * batch, rest of the input's
// shape...]. Returns 0 if the shape does not match.
int64_t inputs_in(const Shape& shape, const Shape& input) {
  const auto tail_is = [&](int first_of_shape, int first_of_input) {
    return shape.rank() - first_of_shape == input.rank() - first_of_input &&
           std::equal(shape.begin() + first_of_shape, shape.end(), input.begin() + first_of_input);
  };
  if (shape.rank() == 0) return 0;
  if (tail_is(1, 0)) return shape[0];
  const bool whole_batches = input.rank() > 0 && tail_is(1, 1) && input[0] > 0 && shape[0] % input[0] == 0;
  return whole_batches ? shape[0] / input[0] : 0;
}

// Returns true if `shape` is that of a single input, with or without a batch axis of 1.
bool is_one(const Shape& shape, const Shape& input) {
  const bool has_one_row = input.rank() > 0 && input[0] == 1;
  return shape == input || inputs_in(shape, input) == 1 ||
         (has_one_row && std::equal(shape.begin(), shape.end(), input.begin() + 1, input.end()));
}

}  // namespace

Status check_one_source(const SampleOptions& options) {
  if (options.images.empty() != options.npy.empty()) return {};
  return Status(Code::kInvalidArgument,
                "calibration requires data: either --images DIR (images) or --npy FILE.npy (N x the input's shape)");
}

Result<InputSamples> InputSamples::open(const SampleOptions& options, const TensorInfo& input,
                                        const Preprocessing* preprocessing) {
  NESTRT_RETURN_IF_ERROR(check_one_source(options));
  InputSamples samples;
  samples.input_ = input;
  if (preprocessing != nullptr) samples.preprocessing_ = *preprocessing;
  NESTRT_RETURN_IF_ERROR(options.npy.empty() ? samples.open_images(options) : samples.open_npy(options));
  return samples;
}

Status InputSamples::open_images(const SampleOptions& options) {
  std::error_code error;
  if (is_array(options.images) && fs::is_regular_file(options.images, error))
    return Status(
        Code::kInvalidArgument,
        fmt::format(
            "samples '{}': expected a folder of images or .npy arrays; pass one array with all samples as --npy {}",
            options.images, options.images));
  NESTRT_ASSIGN_OR_RETURN(const tools::SampleFiles found, tools::find_samples(options.images));
  for (size_t i = 0; i < found.files.size(); ++i) images_.push_back(found.path(i));
  choose(images_.size(), options);
  return {};
}

Status InputSamples::open_npy(const SampleOptions& options) {
  array_path_ = options.npy;
  NESTRT_ASSIGN_OR_RETURN(array_, tools::read_npy(options.npy));
  const int64_t available = inputs_in(array_.shape, input_.shape);
  if (array_.type != input_.type || available < 1 || size_of(input_) == 0) {
    return Status(Code::kInvalidArgument,
                  fmt::format("samples '{}' contains {} {}; expected {} of N x {}, N at least 1, for input '{}'",
                              options.npy, nestrt::name(array_.type), array_.shape.to_string(),
                              nestrt::name(input_.type), input_.shape.to_string(), input_.name));
  }
  choose(static_cast<size_t>(available), options);
  return {};
}

void InputSamples::choose(size_t available, const SampleOptions& options) {
  available_ = available;
  const size_t count = options.limit == 0 ? available : std::min(options.limit, available);
  const SampleRange range = options.range.value_or(SampleRange{0, count});
  for (size_t i = range.begin; i < std::min(range.end, count); ++i) chosen_.push_back(i * available / count);
}

std::string InputSamples::name(size_t index) const {
  if (!images_.empty()) return images_[chosen_[index]];
  return fmt::format("{}[{}]", array_path_, chosen_[index]);
}

Result<tools::Array> InputSamples::read_array(const std::string& path) const {
  NESTRT_ASSIGN_OR_RETURN(tools::Array array, tools::read_npy(path));
  if (array.type != input_.type || !is_one(array.shape, input_.shape)) {
    return Status(
        Code::kInvalidArgument,
        fmt::format("'{}' contains {} {}; expected {} {} for input '{}'", path, nestrt::name(array.type),
                    array.shape.to_string(), nestrt::name(input_.type), input_.shape.to_string(), input_.name));
  }
  array.shape = input_.shape;
  return array;
}

const Preprocessing* InputSamples::preprocessing() const {
  const bool any = std::ranges::any_of(chosen_, [&](size_t i) { return i < images_.size() && !is_array(images_[i]); });
  return any ? &preprocessing_ : nullptr;
}

Result<tools::Array> InputSamples::read(size_t index) const {
  NESTRT_ASSIGN_OR_RETURN(tools::Array sample, read_any(index));
  if (input_.type != DataType::kF32) return sample;
  const std::span elements(reinterpret_cast<const float*>(sample.bytes.data()), sample.bytes.size() / sizeof(float));
  if (std::ranges::all_of(elements, [](float element) { return std::isfinite(element); })) return sample;
  return Status(Code::kInvalidArgument, fmt::format("sample '{}' has elements that are not finite", name(index)));
}

Result<tools::Array> InputSamples::read_any(size_t index) const {
  tools::Array sample{input_.type, input_.shape, std::vector<std::byte>(size_of(input_))};
  if (images_.empty()) {
    std::memcpy(sample.bytes.data(), array_.bytes.data() + chosen_[index] * sample.bytes.size(), sample.bytes.size());
    return sample;
  }
  if (is_array(name(index))) return read_array(name(index));
  NESTRT_ASSIGN_OR_RETURN(const tools::Image image, tools::read_image(name(index)));
  const auto values = tools::preprocess(image, preprocessing_, input_);
  if (!values) return values.error().with_context(name(index));
  tools::store_elements(*values, input_.type, sample.bytes.data());
  return sample;
}

}  // namespace nestrt::compiler
