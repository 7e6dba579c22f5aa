#include "tools/nestc/report_files.h"

#include <set>

#include "tools/common/files.h"
#include "tools/nestc/model_files.h"

namespace nestrt::compiler {

Status check_report_files(const std::vector<std::string>& reports, const std::string& input,
                          const CompileFlags& flags) {
  std::set<std::string> named;
  for (const std::string& report : reports) {
    if (report.empty()) continue;
    NESTRT_RETURN_IF_ERROR(check_not_model(report, input));
    NESTRT_RETURN_IF_ERROR(flags.check_output(report));
    NESTRT_RETURN_IF_ERROR(tools::check_writable(report));
    if (!named.insert(report).second)
      return Status(Code::kInvalidArgument, "'" + report + "' is named for two outputs");
  }
  return {};
}

}  // namespace nestrt::compiler
