// SPDX-License-Identifier: Apache-2.0
#include "tools/onnxruntime/errors.h"

#include <string>

namespace nestrt::ort {
namespace {

int code_of(Code code) {
  switch (code) {
    case Code::kInvalidArgument:
      return kInvalidArgument;
    case Code::kUnsupported:
      return kNotImplemented;
    default:
      return kFail;
  }
}

}  // namespace

Error* error_of(const Api& api, const Status& status) {
  if (status.ok()) return nullptr;
  return api.create_status(code_of(status.code()), ("nestrt: " + status.to_string()).c_str());
}

Status status_of(const Api& api, Error* error) {
  if (error == nullptr) return {};
  Status status(Code::kInternal, std::string("ONNX Runtime: ") + api.get_error_message(error));
  api.release_status(error);
  return status;
}

}  // namespace nestrt::ort
