// SPDX-License-Identifier: Apache-2.0
// The native module nestrt._nestrt.
#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include "nestrt/log.h"
#include "python/src/compile.h"
#include "python/src/evaluation.h"
#include "python/src/frame.h"
#include "python/src/plan.h"
#include "python/src/reports.h"
#include "python/src/session.h"
#include "python/src/text.h"
#include "tools/support/image/classify.h"
#include "tools/support/report/tensor_files.h"
#include "tools/support/text/progress.h"

NB_MODULE(_nestrt, module) {
  namespace python = nestrt::python;
  using nanobind::literals::operator""_a;
  module.doc() = "The native module of nestrt; use the package nestrt.";
  nestrt::tools::set_progress(false);
  python::bind_plan(module);
  python::bind_frame(module);
  python::bind_session(module);
  python::bind_compile(module);
  python::bind_reports(module);
  python::bind_evaluation(module);
  module.def(
      "file_stems",
      [](const std::vector<std::string>& names) {
        std::vector<nestrt::TensorInfo> tensors(names.size());
        for (size_t i = 0; i < names.size(); ++i) tensors[i].name = names[i];
        return nestrt::tools::file_names(tensors, "");
      },
      "names"_a, "Returns the names of the sample folders of a network's inputs, in order.");
  module.def("remark_on_guessing", &nestrt::tools::remark_on_guessing, "right"_a, "samples"_a, "classes"_a);
  module.def("remark_on_background", &nestrt::tools::remark_on_background, "classes"_a, "offset"_a, "largest_label"_a,
             "Returns advice if the first class seems to be a background class, otherwise an empty string.");
  module.def(
      "version", [] { return NESTRT_VERSION; }, "Returns the version of nestrt.");
  module.def("set_progress", &nestrt::tools::set_progress, "shown"_a,
             "Shows or hides the progress of bench, profile and searches on standard error. Hidden by default.");
}
