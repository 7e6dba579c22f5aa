// One case of ONNX's own operator tests: a model, inputs, and the outputs it must give.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nestrt::test {

enum class Verdict {
  kPassed,
  kFailed,
  kUnsupported,  // nestrt refused it, with a message
};

struct CaseResult {
  std::string name;                    // "node/test_relu"
  std::vector<std::string> operators;  // the model's, each once
  std::vector<std::string> missing;    // those that nestrt does not import
  std::vector<std::string> bound;      // inputs that had to be constants
  bool other_types = false;            // tensors of types that nestrt does not have
  std::string not_exported;            // why it cannot be written as ONNX again, of the newest opset that can
  Verdict verdict = Verdict::kFailed;
  std::string message;  // why it did not pass
};

struct CaseSet {
  std::string version;  // of ONNX
  bool newest = false;  // those of the onnx package, not Debian's
  std::vector<std::filesystem::path> cases;
};

// Folders with a model.onnx, sorted, of the groups node, pytorch-converted, pytorch-operator and simple: those that
// write_cases.py has made of the onnx package (script/bootstrap runs it), else Debian's. Empty where neither is there.
CaseSet find_conformance_cases();

// Cases whose expected outputs are less exact than 1e-5, and why.
const std::map<std::string, std::string>& coarse_cases();

// What the opsets that are written cannot say: a part of each reason for which export refuses what import accepts.
std::span<const std::string_view> reasons_not_to_export();

// Imports the model for the shapes of the test's inputs and runs it: node by node as imported, the same exported to
// ONNX of the oldest and of the newest opset that can be and imported again, and compiled into a plan that a session
// runs on two threads. Compares every output of all: integers and booleans exactly, floats within 1e-5 absolutely plus
// 1e-5 relatively; within 1e-3 relatively, as ONNX's own runner does, for the coarse_cases(), and within two steps of
// the type where a model has tensors of float16 or bfloat16. Inputs that decide shapes (of Reshape, Slice, ...) are
// bound to the test's data at import: as few as importing takes, from the last, but all where an output's size is what
// the data make it (NonMaxSuppression).
CaseResult run_conformance_case(const std::filesystem::path& folder);

}  // namespace nestrt::test
