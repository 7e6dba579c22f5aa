// SPDX-License-Identifier: Apache-2.0
// Shows the accuracy of classes as JSON, as tables, and as a CSV matrix.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tools/support/metrics/classification.h"
#include "tools/support/text/json.h"
#include "tools/support/text/table.h"

namespace nestrt::command {

// By class. Classes without a name are shown as numbers.
using ClassTitles = std::map<int64_t, std::string>;

// Returns n, top1, top5, balanced_accuracy, macro_f1, classes and confusion (all pairs of a true and a found class that
// occur; found is null for invalid results).
tools::Json class_figures(const tools::ClassificationScore& score, const ClassTitles& names);

// Returns a row for each class that has samples or was found.
tools::Table table_of_classes(const tools::ClassificationScore& score, const ClassTitles& names);
// Returns the `count` most frequent pairs of a class and another class found for it.
tools::Table table_of_errors(const tools::ClassificationScore& score, const ClassTitles& names, size_t count);

// Returns the confusion matrix (RFC 4180): one row for each class, one column for each found class, and a last column
// for invalid results if there are any.
std::string confusion_csv(const tools::ClassificationScore& score, const ClassTitles& names);

}  // namespace nestrt::command
