// SPDX-License-Identifier: Apache-2.0
// NEST-C performance profiles: times by key, one file per backend.
//
//   Type: ExeTime
//   backendName: CPU
//   Convolution-1x56x56x64-float-64-3-1: 1834.2
//
// A convolution's key is kind-inputdims-dtype-outC-k-stride, microseconds or INFINITY. It does not contain padding,
// groups or dilation, so a key may match several operators of a plan; it is then refused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nestrt/driver/costs.h"
#include "nestrt/plan.h"
#include "nestrt/result.h"

namespace nestrt::tools {

struct NestCImport {
  CostTable costs;
  int entries = 0;                   // in the file
  int used = 0;                      // entries that became costs
  std::vector<std::string> refused;  // "KEY: reason", for keys that match the plan ambiguously or are invalid
};

// Imports the times of the file as single-thread costs of the plan's operators. `cpu_configuration`: configuration of
// the measured CPU; other units have the configuration of the plan. Dimensions may be in NHWC or NCHW order. Errors:
// kInvalidArgument with the line; kNotFound, kIo.
Result<NestCImport> import_nest_c_profile(const std::string& path, const Plan& plan,
                                          const std::string& cpu_configuration);
Result<NestCImport> parse_nest_c_profile(const std::string& text, std::string_view name, const Plan& plan,
                                         const std::string& cpu_configuration);

}  // namespace nestrt::tools
