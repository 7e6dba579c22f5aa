// SPDX-License-Identifier: Apache-2.0
#include "python/src/evaluation.h"

#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "python/src/errors.h"
#include "python/src/text.h"
#include "python/src/unit_choice.h"
#include "tools/nestrt/evaluation/class_figures.h"
#include "tools/nestrt/evaluation/run_task.h"

namespace nestrt::python {
namespace {

namespace nb = nanobind;

using Progress = std::function<void(std::string, size_t, size_t)>;
// A sample's class, and the classes found for it, best first.
using FoundClasses = std::pair<int64_t, std::vector<int64_t>>;

// Returns the text that --json writes.
std::string class_figures(const std::vector<FoundClasses>& samples, const command::ClassTitles& names) {
  tools::ClassificationScore score;
  for (const auto& [label, found] : samples) score.add(label, found);
  return command::class_figures(score, names).to_string();
}

command::TaskOptions task_options(const nb::dict& values) {
  command::TaskOptions options;
  read(values, "task", options.task);
  read(values, "images", options.images);
  read(values, "labels", options.labels);
  read(values, "class_names", options.class_names);
  read(values, "offset", options.offset);
  read(values, "boxes", options.boxes);
  read(values, "category_ids", options.category_ids);
  read(values, "min_score", options.min_score);
  read(values, "max_overlap", options.max_overlap);
  read(values, "ignore_class", options.ignored_class);
  read(values, "blank", options.blank);
  return options;
}

// Returns the text that --json writes.
std::string evaluate_task(const std::string& plan, const nb::dict& values, const nb::dict& units, size_t limit,
                          const std::optional<Progress>& progress) {
  const command::TaskOptions options = task_options(values);
  const command::TaskRun run{.plan = plan, .units = unit_choice(units), .preprocessing = {}, .limit = limit};
  Interruptible work;
  const auto report = [&](size_t done, size_t total) {
    work.poll([&] {
      if (progress) (*progress)("images", done, total);
    });
  };
  return work.run(
      [&]() -> Result<std::string> {
        NESTRT_ASSIGN_OR_RETURN(const auto task, command::make_task(options));
        NESTRT_RETURN_IF_ERROR(command::run_task(*task, run, report));
        return task->to_json().to_string();
      },
      plan);
}

}  // namespace

void bind_evaluation(nb::module_& module) {
  using nb::literals::operator""_a;
  module.def("class_figures", &class_figures, "samples"_a, "names"_a);
  module.def("evaluate_task", &evaluate_task, "plan"_a, "options"_a, "units"_a, "limit"_a, "progress"_a.none());
  module.attr("TASKS") = nb::cast(command::evaluation_tasks());
  module.attr("BOX_FORMS") = nb::cast(command::box_forms());
}

}  // namespace nestrt::python
