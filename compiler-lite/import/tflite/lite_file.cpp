// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/import/tflite/lite_file.h"

#include <fmt/core.h>

#include <algorithm>

namespace nestrt::compiler {
namespace {

constexpr uint32_t kMaxTableDepth = 16;
constexpr uint32_t kVersion = 3;

Status lite_error(std::string_view what) {
  return Status(Code::kInvalidModel, fmt::format("the TensorFlow Lite model is damaged: {}", what));
}

// The verifier accepts a model whose lists are missing.
Status check_model(const tflite::Model& model) {
  if (model.version() != kVersion)
    return Status(Code::kUnsupported, fmt::format("the TensorFlow Lite model has schema version {}, expected {}; "
                                                  "convert it again with a current converter",
                                                  model.version(), kVersion));
  if (lite_size(model.subgraphs()) == 0) return lite_error("it has no subgraph");
  if (model.subgraphs()->Get(0)->tensors() == nullptr) return lite_error("it has no tensors");
  return ok_status();
}

}  // namespace

std::string LiteCode::name() const {
  if (code == tflite::OperatorCodeValue::CUSTOM) return fmt::format("custom operator '{}'", custom);
  const std::string name = tflite::EnumNameOperatorCodeValue(code);
  return name.empty() ? fmt::format("operator code {}", static_cast<int32_t>(code)) : name;
}

bool LiteFile::is_lite(std::span<const std::byte> start) {
  return start.size() >= kStartBytes && tflite::ModelBufferHasIdentifier(start.data());
}

flatbuffers::Verifier LiteFile::make_verifier() const {
  flatbuffers::Verifier::Options options;
  options.max_depth = kMaxTableDepth;
  // A table occupies at least four bytes. More tables than this are possible only if tables are shared, which no
  // converter does.
  options.max_tables = static_cast<flatbuffers::uoffset_t>(bytes_.size() / 4 + 1);
  return flatbuffers::Verifier(reinterpret_cast<const uint8_t*>(bytes_.data()), bytes_.size(), options);
}

Result<LiteFile> LiteFile::open(std::vector<std::byte> bytes, const ImportLimits& limits) {
  const auto limit = std::min<int64_t>(limits.file_bytes, FLATBUFFERS_MAX_BUFFER_SIZE - 1);
  if (static_cast<int64_t>(bytes.size()) > limit)
    return Status(Code::kInvalidModel,
                  fmt::format("the model is {} bytes long; at most {} are supported", bytes.size(), limit));
  if (!is_lite(bytes)) return lite_error("the identifier TFL3 is missing");
  LiteFile file(std::move(bytes));
  flatbuffers::Verifier verifier = file.make_verifier();
  if (!tflite::VerifyModelBuffer(verifier)) return lite_error("its tables are malformed; download or convert it again");
  NESTRT_RETURN_IF_ERROR(check_model(file.model()));
  return file;
}

const tflite::SubGraph* LiteFile::subgraph(int64_t index) const {
  if (index < 0 || index >= static_cast<int64_t>(lite_size(model().subgraphs()))) return nullptr;
  return model().subgraphs()->Get(static_cast<uint32_t>(index));
}

const tflite::SignatureDef* LiteFile::signature() const {
  if (model().signatures() == nullptr) return nullptr;
  const auto& all = *model().signatures();
  const auto found = std::find_if(all.begin(), all.end(), [](const auto* each) { return each->subgraph_index() == 0; });
  return found == all.end() ? nullptr : *found;
}

Result<LiteCode> LiteFile::code(const tflite::Operator& op) const {
  if (op.opcode_index() >= lite_size(model().operator_codes())) return lite_error("an operator has no operator code");
  const tflite::OperatorCode& code = *model().operator_codes()->Get(op.opcode_index());
  // Codes below 127 are in the short field; newer files store them in both fields.
  const int32_t value = std::max<int32_t>(code.short_code(), static_cast<int32_t>(code.code()));
  return LiteCode{static_cast<tflite::OperatorCodeValue>(value), lite_text(code.custom_code())};
}

Result<std::span<const std::byte>> LiteFile::buffer(uint32_t index) const {
  if (index >= lite_size(model().buffers())) return lite_error(fmt::format("buffer {} does not exist", index));
  const tflite::Buffer& buffer = *model().buffers()->Get(index);
  if (buffer.offset() <= 1)
    return std::as_bytes(
        std::span(buffer.data() == nullptr ? nullptr : buffer.data()->Data(), lite_size(buffer.data())));
  if (buffer.offset() > bytes_.size() || buffer.size() > bytes_.size() - buffer.offset())
    return lite_error(fmt::format("buffer {} lies outside the file", index));
  return std::span(bytes_).subspan(buffer.offset(), buffer.size());
}

}  // namespace nestrt::compiler
