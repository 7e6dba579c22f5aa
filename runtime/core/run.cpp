// SPDX-License-Identifier: Apache-2.0
#include "runtime/core/run.h"

namespace nestrt {

Status run(Submission submission, FunctionRef<void(const Submission&)> submit) {
  Event completion;
  submission.completion = &completion;
  submission.generation = completion.arm();
  submit(submission);
  return completion.wait();
}

Status run(Executable& executable, Submission submission) {
  return run(submission, [&](const Submission& armed) { executable.submit(armed); });
}

}  // namespace nestrt
