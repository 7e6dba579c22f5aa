// SPDX-License-Identifier: Apache-2.0
// Evaluates the text that a CTC network reads.
#include <fmt/core.h>

#include "tools/nestrt/evaluation/evaluation_task.h"
#include "tools/support/metrics/elements.h"
#include "tools/support/metrics/text_error.h"

namespace nestrt::command {
namespace {

class TextTask final : public EvaluationTask {
 public:
  TextTask(const TaskOptions& options, std::vector<std::string> characters)
      : options_(options), characters_(std::move(characters)) {}

  Status add_transcripts(const tools::TextLines& text) {
    for (size_t i = 0; i < text.lines().size(); ++i) {
      const std::string_view line = text.lines()[i];
      if (line.empty()) continue;
      const size_t tab = line.find('\t');
      const std::string_view file = line.substr(0, tab);
      const auto refuse = [&](const char* why) {
        return Status(Code::kInvalidArgument, fmt::format("'{}' line {}: {}", options_.labels, i + 1, why));
      };
      if (tab == std::string_view::npos || file.empty()) return refuse("expected file<TAB>text");
      if (tools::leaves_folder(file)) return refuse("the path leads outside the sample folder");
      files_.push_back(tools::plain_name(file));
      texts_.emplace_back(line.substr(tab + 1));
    }
    if (!files_.empty()) return {};
    return Status(Code::kInvalidArgument, fmt::format("'{}' has no line file<TAB>text", options_.labels));
  }

  const std::string& folder() const override { return options_.images; }
  const std::vector<std::string>& files() const override { return files_; }

  Status check(const ImageRunner& runner) override {
    const TensorInfo& output = runner.plan().outputs()[0];
    const auto batch = static_cast<int64_t>(runner.batch_size());
    const Shape& shape = output.shape;
    const bool is_table = output.type == DataType::kF32 && shape.rank() == 3 && shape[2] > 1;
    if (!is_table || (shape[0] != batch && shape[1] != batch))
      return Status(Code::kInvalidArgument,
                    fmt::format("text requires scores by step and class (f32 BxTxC or TxBxC with B = {}) as the "
                                "plan's first output, not {} {}",
                                batch, name(output.type), shape.to_string()));
    batch_first_ = shape[0] == batch;
    num_steps_ = static_cast<size_t>(shape[batch_first_ ? 1 : 0]);
    num_classes_ = static_cast<size_t>(shape[2]);
    blank_ = options_.blank < 0 ? options_.blank + shape[2] : options_.blank;
    if (blank_ < 0 || blank_ >= shape[2])
      return Status(Code::kInvalidArgument,
                    fmt::format("--blank {}: the plan has {} classes", options_.blank, num_classes_));
    return name_classes();
  }

  Status count(const ImageRunner& runner, size_t row, size_t index) override {
    const ConstTensorView scores = runner.outputs()[0];
    const size_t batch = runner.batch_size();
    const auto at = [&](size_t step, size_t label) {
      const size_t position = batch_first_ ? row * num_steps_ + step : step * batch + row;
      return tools::element(scores, position * num_classes_ + label);
    };
    std::string found;
    for (const size_t label : tools::greedy_ctc(num_steps_, num_classes_, static_cast<size_t>(blank_), at))
      found += characters_[label];
    score_.add(texts_[index], found);
    return {};
  }

  Json to_json() const override {
    return {{"n", score_.num_texts()},
            {"cer", score_.error_rate()},
            {"edits", score_.num_edits()},
            {"characters", score_.num_characters()},
            {"exact", static_cast<double>(score_.num_exact()) / static_cast<double>(score_.num_texts())}};
  }

  Table to_table() const override {
    Table table({{""}, {""}});
    table.add_row({"character error rate", fmt::format("{}  ({}/{})", format_fraction(score_.error_rate()),
                                                       score_.num_edits(), score_.num_characters())});
    const double exact = static_cast<double>(score_.num_exact()) / static_cast<double>(score_.num_texts());
    table.add_row({"texts without errors",
                   fmt::format("{}  ({}/{})", format_fraction(exact), score_.num_exact(), score_.num_texts())});
    return table;
  }

 private:
  // Inserts the blank into a list of the other classes.
  Status name_classes() {
    if (characters_.size() + 1 == num_classes_) characters_.insert(characters_.begin() + blank_, "");
    if (characters_.size() == num_classes_) return {};
    return Status(
        Code::kInvalidArgument,
        fmt::format("'{}' has {} lines; expected the characters of the plan's {} classes, with or without the "
                    "blank",
                    options_.class_names, characters_.size(), num_classes_));
  }

  TaskOptions options_;
  std::vector<std::string> characters_;  // by class
  std::vector<std::string> files_, texts_;
  bool batch_first_ = true;
  size_t num_steps_ = 0, num_classes_ = 0;
  int64_t blank_ = 0;
  tools::TextScore score_;
};

}  // namespace

Result<std::unique_ptr<EvaluationTask>> make_text(const TaskOptions& options) {
  if (options.labels.empty() || options.class_names.empty())
    return Status(Code::kInvalidArgument,
                  "text requires --labels FILE with lines file<TAB>text and --class-names FILE with the characters");
  NESTRT_ASSIGN_OR_RETURN(const auto names, tools::read_class_names(options.class_names));
  NESTRT_ASSIGN_OR_RETURN(const auto text, tools::read_lines(options.labels));
  auto task = std::make_unique<TextTask>(options, std::vector<std::string>(names.lines().begin(), names.lines().end()));
  NESTRT_RETURN_IF_ERROR(task->add_transcripts(text));
  return std::unique_ptr<EvaluationTask>(std::move(task));
}

}  // namespace nestrt::command
