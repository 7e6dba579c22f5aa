#include "nestrt/unit.h"

namespace nestrt {

Status run(Executable& executable, Submission submission) {
  Event completion;
  submission.completion = &completion;
  submission.generation = completion.arm();
  executable.submit(submission);
  return completion.wait();
}

}  // namespace nestrt
