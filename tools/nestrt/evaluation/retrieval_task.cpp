// SPDX-License-Identifier: Apache-2.0
// Evaluates embeddings: whether the nearest samples have the same class.
#include <fmt/core.h>

#include <array>

#include "tools/nestrt/evaluation/evaluation_task.h"
#include "tools/support/metrics/elements.h"
#include "tools/support/metrics/retrieval.h"

namespace nestrt::command {
namespace {

constexpr std::array<size_t, 3> kNearest = {1, 5, 10};

class RetrievalTask final : public EvaluationTask {
 public:
  explicit RetrievalTask(LabelledImages data) : data_(std::move(data)) {
    for (const tools::LabelledFile& image : data_.images) files_.push_back(image.file);
  }

  const std::string& folder() const override { return data_.folder; }
  const std::vector<std::string>& files() const override { return files_; }

  Status check(const ImageRunner& runner) override {
    if (runner.plan().outputs()[0].type != DataType::kF32)
      return Status(Code::kInvalidArgument, "retrieval requires f32 embeddings as the plan's first output");
    return check_batch(runner, 0);
  }

  Status count(const ImageRunner& runner, size_t row, size_t index) override {
    const ConstTensorView embedding = tools::row_of(runner.outputs()[0], row);
    const std::span<const float> values = embedding.values<float>();
    embeddings_.insert(embeddings_.end(), values.begin(), values.end());
    labels_.push_back(data_.images[index].label);
    return {};
  }

  Json to_json() const override {
    const tools::RetrievalScore score = tools::score_retrieval(embeddings_, labels_, kNearest);
    Json json{{"n", labels_.size()}, {"queries", score.num_queries}};
    for (size_t i = 0; i < kNearest.size(); ++i) json.set(fmt::format("recall{}", kNearest[i]), score.recall[i]);
    return json;
  }

  Table to_table() const override {
    const tools::RetrievalScore score = tools::score_retrieval(embeddings_, labels_, kNearest);
    Table table({{""}, {""}});
    for (size_t i = 0; i < kNearest.size(); ++i)
      table.add_row({fmt::format("recall at {}", kNearest[i]), format_fraction(score.recall[i])});
    table.add_row({"queries", fmt::format("{} of {} samples", score.num_queries, labels_.size())});
    return table;
  }

 private:
  LabelledImages data_;
  std::vector<std::string> files_;
  std::vector<float> embeddings_;
  std::vector<int64_t> labels_;
};

}  // namespace

Result<std::unique_ptr<EvaluationTask>> make_retrieval(const TaskOptions& options) {
  NESTRT_ASSIGN_OR_RETURN(auto data, find_labelled_images(options));
  return std::unique_ptr<EvaluationTask>(std::make_unique<RetrievalTask>(std::move(data)));
}

}  // namespace nestrt::command
