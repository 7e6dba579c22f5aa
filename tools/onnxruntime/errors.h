// SPDX-License-Identifier: Apache-2.0
// Converts between Status and the errors of ONNX Runtime.
#pragma once

#include "nestrt/status.h"
#include "tools/onnxruntime/abi.h"

namespace nestrt::ort {

// Returns null if `status` is OK. The caller owns the error.
Error* error_of(const Api& api, const Status& status);
// Takes ownership of `error`. Returns OK if it is null, otherwise kInternal with its message.
Status status_of(const Api& api, Error* error);

}  // namespace nestrt::ort
