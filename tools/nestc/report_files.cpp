// SPDX-License-Identifier: Apache-2.0
#include "tools/nestc/report_files.h"

#include "tools/nestc/model_files.h"
#include "tools/support/text/files.h"

namespace nestrt::compiler {

Status check_report_files(const std::vector<std::string>& reports, const std::string& input,
                          const CompileFlags& flags) {
  for (const std::string& report : reports) {
    if (report.empty()) continue;
    NESTRT_RETURN_IF_ERROR(check_not_model(report, input));
    NESTRT_RETURN_IF_ERROR(flags.check_output(report));
    NESTRT_RETURN_IF_ERROR(tools::check_writable(report));
  }
  return tools::check_distinct(reports);
}

}  // namespace nestrt::compiler
