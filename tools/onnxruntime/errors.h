// SPDX-License-Identifier: Apache-2.0
// Conversion between Status and the errors of ONNX Runtime.
#pragma once

#include "nestrt/status.h"
#include "tools/onnxruntime/abi.h"

namespace nestrt::ort {

// Returns null on success. The caller owns the error.
Error* error_of(const Api& api, const Status& status);
// Takes ownership of `error`. Returns kInternal with its message if it is not null.
Status status_of(const Api& api, Error* error);

}  // namespace nestrt::ort
