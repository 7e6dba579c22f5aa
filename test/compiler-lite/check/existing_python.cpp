// SPDX-License-Identifier: Apache-2.0
#include "test/compiler-lite/check/existing_python.h"

#include "compiler-lite/process/process.h"
#include "compiler-lite/process/temporary_folder.h"
#include "test/support/process/temporary_folder.h"
#include "test/support/skip.h"

namespace nestrt::test {

std::string existing_python() {
  const TemporaryFolder folder;
  const std::string script = std::string(NESTRT_SOURCE_DIR) + "/compiler-lite/check/ort_environment.py";
  const auto process = compiler::run_process({"python3", script, "--offline"}, folder.path());
  if (process && process->exit_code == 0) return process->output.substr(0, process->output.find('\n'));
  skip("ONNX Runtime is not installed; `nestc check` would install it");
  return "";
}

}  // namespace nestrt::test
