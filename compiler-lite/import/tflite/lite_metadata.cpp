// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/import/tflite/lite_metadata.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "compiler-lite/import/tflite/metadata_generated.h"

namespace nestrt::compiler {
namespace {

constexpr std::string_view kMetadataName = "TFLITE_METADATA";
constexpr uint8_t kNormalization = 1;  // value in the format's union ProcessUnitOptions
constexpr size_t kMinMetadataBytes = 8;

Status metadata_error(std::string_view what) {
  return Status(Code::kInvalidModel,
                fmt::format("the metadata of the TensorFlow Lite model {}; correct the metadata, or "
                            "convert the model without it",
                            what));
}

// Returns an aligned copy of the bytes of the metadata; empty if the file has no metadata.
Result<std::vector<uint8_t>> metadata_bytes(const LiteFile& file) {
  for (size_t i = 0; i < lite_size(file.model().metadata()); ++i) {
    const auto* const entry = file.model().metadata()->Get(static_cast<uint32_t>(i));
    if (!file.verify<tflite_metadata::Metadata>(reinterpret_cast<const tflite::Options&>(*entry)))
      return metadata_error("is damaged: its list is malformed");
    const auto& named = reinterpret_cast<const tflite_metadata::Metadata&>(*entry);
    if (lite_text(named.name()) != kMetadataName) continue;
    NESTRT_ASSIGN_OR_RETURN(const std::span<const std::byte> raw, file.buffer(named.buffer()));
    const auto* const start = reinterpret_cast<const uint8_t*>(raw.data());
    return std::vector<uint8_t>(start, start + raw.size());
  }
  return std::vector<uint8_t>();
}

// Returns a verifier that limits the number of tables as LiteFile does.
flatbuffers::Verifier metadata_verifier(const std::vector<uint8_t>& bytes) {
  flatbuffers::Verifier::Options options;
  options.max_tables = static_cast<flatbuffers::uoffset_t>(bytes.size() / 4 + 1);
  return flatbuffers::Verifier(bytes.data(), bytes.size(), options);
}

// Converts x = (pixel - mean) / std.
Result<Preprocessing> normalization_of(const tflite_metadata::NormalizationOptions& options) {
  Preprocessing result;
  result.mean = lite_list(options.mean());
  for (const float divisor : lite_list(options.std())) {
    const float scale = 1 / divisor;
    if (!std::isfinite(divisor) || !std::isfinite(scale) || scale == 0)
      return metadata_error(fmt::format("specifies an unusable standard deviation of {}", divisor));
    result.scale.push_back(scale);
  }
  for (const float mean : result.mean)
    if (!std::isfinite(mean)) return metadata_error(fmt::format("specifies an unusable mean of {}", mean));
  return result;
}

Result<Preprocessing> normalization_of(const std::vector<uint8_t>& bytes,
                                       const tflite_metadata::TensorMetadata& tensor) {
  for (size_t i = 0; i < lite_size(tensor.process_units()); ++i) {
    const tflite_metadata::ProcessUnit& unit = *tensor.process_units()->Get(static_cast<uint32_t>(i));
    if (unit.options_type() != kNormalization || unit.options() == nullptr) continue;
    const auto* const options = reinterpret_cast<const tflite_metadata::NormalizationOptions*>(unit.options());
    flatbuffers::Verifier verifier = metadata_verifier(bytes);
    if (!verifier.VerifyTable(options)) return metadata_error("is damaged: a normalization is malformed");
    return normalization_of(*options);
  }
  return Preprocessing();
}

}  // namespace

Result<std::vector<Preprocessing>> lite_normalizations(const LiteFile& file) {
  std::vector<Preprocessing> result(lite_size(file.main().inputs()));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, metadata_bytes(file));
  if (bytes.size() < kMinMetadataBytes || !tflite_metadata::ModelMetadataBufferHasIdentifier(bytes.data()))
    return result;
  flatbuffers::Verifier verifier = metadata_verifier(bytes);
  if (!tflite_metadata::VerifyModelMetadataBuffer(verifier))
    return metadata_error("is damaged: its tables are malformed");
  const auto& metadata = *tflite_metadata::GetModelMetadata(bytes.data());
  if (lite_size(metadata.subgraphs()) == 0) return result;
  const auto* const inputs = metadata.subgraphs()->Get(0)->inputs();
  for (size_t i = 0; i < std::min(result.size(), lite_size(inputs)); ++i) {
    NESTRT_ASSIGN_OR_RETURN(result[i], normalization_of(bytes, *inputs->Get(static_cast<uint32_t>(i))));
  }
  return result;
}

Result<Preprocessing> for_channels(Preprocessing normalization, int64_t channels) {
  const auto count = static_cast<size_t>(channels);
  for (std::vector<float>* values : {&normalization.mean, &normalization.scale}) {
    if (values->empty()) values->push_back(values == &normalization.scale ? 1.0f : 0.0f);
    if (values->size() == 1) values->assign(count, values->front());
    if (values->size() != count)
      return metadata_error(fmt::format("specifies {} means or standard deviations for an image of {} channels",
                                        values->size(), channels));
  }
  return normalization;
}

}  // namespace nestrt::compiler
