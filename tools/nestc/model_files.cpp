// SPDX-License-Identifier: Apache-2.0
#include "tools/nestc/model_files.h"

#include <filesystem>

#include "compiler-lite/import/import_model.h"
#include "compiler-lite/import/onnx/onnx_model.h"
#include "tools/support/text/files.h"

namespace nestrt::compiler {

Status check_not_model(const std::string& output, const std::string& model) {
  NESTRT_RETURN_IF_ERROR(tools::check_not_input(output, model));
  std::error_code error;
  if (!std::filesystem::is_regular_file(output, error)) return {};
  if (is_tflite(model)) return {};
  const auto files = external_files(model);
  return files ? tools::check_not_input(output, *files) : Status();  // an invalid model is reported when it is read
}

}  // namespace nestrt::compiler
