// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/check/onnx_runtime.h"

#include <fmt/core.h>

#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "compiler-lite/process/ending_signals.h"
#include "compiler-lite/process/process.h"
#include "compiler-lite/process/temporary_folder.h"
#include "nestrt/log.h"
#include "tools/support/report/resources.h"
#include "tools/support/text/files.h"

namespace nestrt::compiler {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// The program that computes the reference.
struct Engine {
  std::string_view name;
  std::string_view script;
  std::string_view remedy;
};
constexpr Engine kOnnxRuntime{"ONNX Runtime", "ort_run.py",
                              "; set --python to an interpreter with onnxruntime, onnx and numpy, or allow pip to "
                              "install them"};
constexpr Engine kLiteRt{"LiteRT", "lite_run.py",
                         "; install it with pip install ai-edge-litert, or set --python to an interpreter with it"};

constexpr int kMissing = 3;  // exit code of ort_environment.py --offline if the environment does not exist

// Returns the folder of the Python scripts.
Result<fs::path> scripts() { return tools::find_resource("check", "compiler-lite/check", "ort_run.py"); }

// Returns the last line of a program's output; for Python this is the error.
std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

// Serialises JSON and replaces invalid UTF-8. ONNX names should be UTF-8, but nothing enforces it.
std::string dump(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

// Writes the arrays of each run, adds their file names to `request`, and writes it.
Status write_request(json request, const std::vector<NamedArrays>& inputs, const fs::path& folder) {
  json runs = json::array();
  for (size_t run = 0; run < inputs.size(); ++run) {
    json files = json::object();
    for (const auto& [name, array] : inputs[run]) {
      const std::string file = fmt::format("run_{}_input_{}.npy", run, files.size());
      NESTRT_RETURN_IF_ERROR(tools::write_npy((folder / file).string(), array.view()));
      files[name] = file;
    }
    runs.push_back(std::move(files));
  }
  request["runs"] = std::move(runs);
  return tools::write_text((folder / "request.json").string(), dump(request));
}

using ChainResults = std::vector<std::vector<NamedArrays>>;  // by chain and run

Result<NamedArrays> read_results(const json& files, const fs::path& folder) {
  NamedArrays arrays;
  for (const auto& [name, file] : files.items()) {
    NESTRT_ASSIGN_OR_RETURN(arrays[name], tools::read_npy((folder / file.get<std::string>()).string()));
  }
  return arrays;
}

Result<ChainResults> read_response(const fs::path& folder) {
  NESTRT_ASSIGN_OR_RETURN(const auto bytes, tools::read_file((folder / "response.json").string()));
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  const json response = json::parse(text, text + bytes.size(), nullptr, false);
  if (!response.is_array()) return Status(Code::kInternal, "the reference wrote no list of chains");
  ChainResults chains;
  for (const json& runs : response) {
    auto& results = chains.emplace_back();
    for (const json& files : runs) {
      NESTRT_ASSIGN_OR_RETURN(results.emplace_back(), read_results(files, folder));
    }
  }
  return chains;
}

// Returns the error for a program that did not run to completion.
Status not_run(const Engine& engine, const Status& why) {
  if (why.code() == Code::kCancelled) return why;
  return Status(Code::kUnavailable, fmt::format("{}{}", why.message(), engine.remedy));
}

// Returns the script's error about the model, or an error that explains why the script could not run.
Status failure(const Engine& engine, const ProcessResult& process, const std::string& python) {
  if (process.exit_code > kSignalled) {
    const int signal = process.exit_code - kSignalled;
    return Status(
        Code::kUnavailable,
        fmt::format("{} was killed by signal {} ({}) while it ran the model; try another version of it with --python",
                    engine.name, signal, strsignal(signal)));
  }
  const std::string words = last_line(process.error);
  if (words.empty() || words.starts_with("ModuleNotFoundError")) {
    return Status(Code::kUnavailable, fmt::format("{} cannot run {}{}{}{}", python, engine.name,
                                                  words.empty() ? "" : ": ", words, engine.remedy));
  }
  return Status(Code::kInvalidModel, fmt::format("{}: {}", engine.name, words));
}

}  // namespace

Result<std::string> onnx_runtime_python() {
  NESTRT_ASSIGN_OR_RETURN(const fs::path folder, scripts());
  const EndingSignals held;  // holds back signals until the folder is removed
  NESTRT_ASSIGN_OR_RETURN(const TemporaryFolder temporary, TemporaryFolder::create());
  const std::string script = (folder / "ort_environment.py").string();
  if (const auto there = run_process({"python3", script, "--offline"}, temporary.path());
      there && there->exit_code == kMissing)
    log(LogLevel::kWarning, "installing ONNX Runtime with pip for this and later checks; this takes a minute or two");
  const auto process = run_process({"python3", script}, temporary.path());
  if (!process) return not_run(kOnnxRuntime, process.error());
  if (process->exit_code != 0)
    return Status(Code::kUnavailable, fmt::format("{}{}", last_line(process->error), kOnnxRuntime.remedy));
  return last_line(process->output);
}

namespace {

// `request`: "chains", "values" and "results" for the script.
Result<ChainResults> run_script(const Engine& engine, const std::string& python, json request,
                                const std::vector<NamedArrays>& runs) {
  NESTRT_ASSIGN_OR_RETURN(const fs::path folder, scripts());
  const EndingSignals held;  // holds back signals until the folder is removed
  NESTRT_ASSIGN_OR_RETURN(const TemporaryFolder temporary, TemporaryFolder::create());
  NESTRT_RETURN_IF_ERROR(write_request(std::move(request), runs, temporary.path()));
  const auto process = run_process({python, (folder / engine.script).string(), temporary.path()}, temporary.path());
  if (!process) return not_run(engine, process.error());
  if (process->exit_code != 0) return failure(engine, *process, python);
  return read_response(temporary.path());
}

Result<ChainResults> run_model(const Engine& engine, const std::string& python, const OnnxRuntimeRequest& request) {
  const json chains = {{fs::absolute(request.model).string()}};
  return run_script(engine, python, {{"chains", chains}, {"values", request.values}, {"results", nullptr}},
                    request.runs);
}

Status unexpected_chains() { return Status(Code::kInternal, "the reference returned a different number of chains"); }

}  // namespace

Result<std::vector<NamedArrays>> run_onnx_runtime(const OnnxRuntimeRequest& request) {
  NESTRT_ASSIGN_OR_RETURN(ChainResults results, run_model(kOnnxRuntime, request.python, request));
  if (results.size() != 1) return unexpected_chains();
  return std::move(results.front());
}

Result<ReferenceResults> run_litert(const OnnxRuntimeRequest& request) {
  NESTRT_ASSIGN_OR_RETURN(ChainResults results,
                          run_model(kLiteRt, request.python.empty() ? "python3" : request.python, request));
  if (results.size() != 2) return unexpected_chains();
  return ReferenceResults{std::move(results[0]), std::move(results[1])};
}

Result<std::vector<std::vector<NamedArrays>>> run_onnx_runtime(const ModelChainsRequest& request) {
  json chains = json::array();
  for (const ModelChain& chain : request.chains) {
    json& files = chains.emplace_back(json::array());
    for (const std::string& model : chain) files.push_back(fs::absolute(model).string());
  }
  return run_script(kOnnxRuntime, request.python,
                    {{"chains", chains}, {"values", json::array()}, {"results", request.results}}, request.runs);
}

}  // namespace nestrt::compiler
