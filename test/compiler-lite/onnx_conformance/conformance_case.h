// SPDX-License-Identifier: Apache-2.0
// One case of ONNX's operator tests: a model, inputs and expected outputs.
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
  kUnsupported,  // nestrt rejected it with a message
};

struct CaseResult {
  std::string name;                    // "node/test_relu"
  std::vector<std::string> operators;  // the model's operators, without repetitions
  std::vector<std::string> missing;    // operators that nestrt does not import
  std::vector<std::string> bound;      // inputs that had to be bound to constants
  bool other_types = false;            // tensors have types that nestrt does not support
  std::string not_exported;            // reason why it cannot be exported in the newest supported opset
  Verdict verdict = Verdict::kFailed;
  std::string message;  // reason for a failure
};

struct CaseSet {
  std::string version;  // version of ONNX
  bool newest = false;  // cases of the onnx package, not of Debian
  std::vector<std::filesystem::path> cases;
};

// Returns the sorted folders that contain a model.onnx, from the groups node, pytorch-converted, pytorch-operator and
// simple. Uses the cases that write_cases.py created from the onnx package (script/bootstrap runs it), or else those of
// Debian. Returns an empty list if neither exists.
CaseSet find_conformance_cases();

// Returns cases whose expected outputs are less accurate than 1e-5, with reasons.
const std::map<std::string, std::string>& coarse_cases();

// Returns substrings of the errors with which export rejects imported models: features that the supported opsets lack.
std::span<const std::string_view> reasons_not_to_export();

// Imports the model with the shapes of the test's inputs and runs it in three ways: node by node as imported; exported
// to the oldest and newest supported opset and imported again; compiled into a plan that a session runs on two threads.
// Compares all outputs: integers and booleans exactly, floats within 1e-5 absolute plus 1e-5 relative. The tolerance is
// 1e-3 relative for coarse_cases(), as in ONNX's test runner, and two steps of the type for models with float16 or
// bfloat16 tensors. Inputs that determine shapes (of Reshape, Slice, ...) are bound to the test's data at import: as
// few as import requires, starting with the last, or all if data determines the size of an output (NonMaxSuppression).
CaseResult run_conformance_case(const std::filesystem::path& folder);

}  // namespace nestrt::test
