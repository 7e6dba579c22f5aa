// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/vendor/vendor_command.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "compiler-lite/codegen/vendor/blob_program.h"
#include "compiler-lite/process/ending_signals.h"
#include "compiler-lite/process/process.h"
#include "compiler-lite/process/temporary_folder.h"
#include "compiler-lite/vendor/calibration.h"
#include "compiler-lite/vendor/offload.h"
#include "compiler-lite/vendor/printed_output.h"
#include "nestrt/vendor.h"
#include "runtime/plan/format/format.h"
#include "runtime/text/parse.h"
#include "tools/support/text/files.h"
#include "tools/support/text/json.h"
#include "tools/support/text/zip_writer.h"

namespace nestrt::compiler {
namespace {

namespace fs = std::filesystem;
using tools::Json;

constexpr uintmax_t kMaxBlobBytes = uintmax_t{2} << 30;
constexpr std::string_view kInput = "{input}", kOutput = "{output}", kOutputs = "{outputs}", kFolder = "{folder}",
                           kData = "{data}", kCalibration = "{calibration}", kManifest = "{manifest}",
                           kReport = "{report}";
constexpr std::string_view kManifestFormat = "nestrt vendor part";

bool has(const std::string& command, std::string_view placeholder) {
  return command.find(placeholder) != std::string::npos;
}

std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words;
  for (const std::string_view word : split(command, " "))
    if (!word.empty()) words.emplace_back(word);
  return words;
}

// Replaces every placeholder of a word in one pass, from left to right.
std::string filled(const std::string& word, const std::map<std::string_view, std::string>& values) {
  std::string result;
  for (size_t at = 0; at < word.size();) {
    size_t taken = 0;
    for (const auto& [placeholder, value] : values) {
      if (word.compare(at, placeholder.size(), placeholder) != 0) continue;
      result += value;
      taken = placeholder.size();
    }
    if (taken == 0) result += word[at];
    at += std::max<size_t>(taken, 1);
  }
  return result;
}

std::string ending_of(const ProcessResult& result) {
  if (result.exit_code > kSignalled) return fmt::format("was killed by signal {}", result.exit_code - kSignalled);
  return fmt::format("ended with exit code {}", result.exit_code);
}

// Returns the absolute path; an empty path stays empty.
std::string absolute(const std::string& path) {
  std::error_code error;
  return path.empty() ? path : fs::absolute(path, error).string();
}

// Returns true for an existing file whose name contains a folder or an extension. Other words are more likely
// arguments.
bool names_file(const std::string& text) {
  std::error_code error;
  const fs::path path(text);
  return (path.has_parent_path() || path.has_extension()) && fs::is_regular_file(path, error);
}

// Makes the path in a word FILE or OPTION=FILE absolute, because the command does not run in nestc's working folder.
std::string with_absolute_file(const std::string& word) {
  if (names_file(word)) return absolute(word);
  const size_t equals = word.find('=');
  if (equals == std::string::npos || !names_file(word.substr(equals + 1))) return word;
  return word.substr(0, equals + 1) + absolute(word.substr(equals + 1));
}

Json port_of(const Border& border) {
  Json port = json_of(border);
  port.set("layout", "row-major");
  return port;
}

Json ports_of(const std::vector<Border>& borders) {
  Json list = Json::array();
  for (const Border& border : borders) list.push_back(port_of(border));
  return list;
}

// Returns true if a plan cannot contain the name.
bool is_too_long(const std::string& name) {
  return name.size() > plan_format::kMaxVendorText || name.find('\0') != std::string::npos;
}

// A single run of the command, and its files.
class VendorRun {
 public:
  VendorRun(const VendorOptions& options, const VendorPart& part, const std::string& folder)
      : options_(options),
        part_(part),
        base_(folder),
        words_(words_of(options.command)),
        values_({{kInput, (base_ / "part.onnx").string()},
                 {kOutput, (base_ / "part.blob").string()},
                 {kOutputs, (base_ / "outputs").string()},
                 {kFolder, (base_ / "work").string()},
                 {kCalibration, (base_ / "calibration").string()},
                 {kManifest, (base_ / "part.json").string()},
                 {kReport, (base_ / "report.json").string()},
                 {kData, absolute(options.data)}}) {}

  Result<VendorOutput> run() {
    NESTRT_RETURN_IF_ERROR(write_inputs());
    NESTRT_ASSIGN_OR_RETURN(const ProcessResult result, start());
    if (result.exit_code != 0)
      return Status(Code::kUnsupported,
                    fmt::format("its command {}; {}", ending_of(result), printed_by(result, part_.name)));
    VendorOutput output;
    NESTRT_ASSIGN_OR_RETURN(output.blob,
                            has(options_.command, kOutputs) ? archive(result, output.files) : read_blob(result));
    NESTRT_ASSIGN_OR_RETURN(output.report, report());
    return output;
  }

 private:
  const std::string& path(std::string_view placeholder) const { return values_.at(placeholder); }

  Status write_inputs() {
    for (const std::string_view folder : {kFolder, kOutputs, kCalibration})
      NESTRT_RETURN_IF_ERROR(tools::make_folder(path(folder)));
    NESTRT_RETURN_IF_ERROR(tools::write_file(path(kInput), std::as_bytes(std::span(part_.model))));
    Json manifest = {{"format", kManifestFormat}, {"version", 1}, {"unit", options_.unit}, {"part", part_.name}};
    manifest.set("model", path(kInput));
    manifest.set("inputs", ports_of(part_.inputs));
    manifest.set("outputs", ports_of(part_.outputs));
    if (has(options_.command, kCalibration)) {
      NESTRT_ASSIGN_OR_RETURN(const size_t samples, part_.calibrate(path(kCalibration)));
      manifest.set("calibration", {{"folder", path(kCalibration)},
                                   {"samples", uint64_t{samples}},
                                   {"list", (fs::path(path(kCalibration)) / kSampleList).string()},
                                   {"archive", (fs::path(path(kCalibration)) / kSampleArchive).string()}});
    }
    return tools::write_text(path(kManifest), manifest.to_string());
  }

  Result<ProcessResult> start() {
    // A program without a folder is searched for in PATH.
    if (words_[0].find('/') != std::string::npos) words_[0] = absolute(words_[0]);
    for (size_t i = 1; i < words_.size(); ++i) words_[i] = with_absolute_file(words_[i]);
    for (std::string& word : words_) word = filled(word, values_);
    Result<ProcessResult> result = run_process(words_, base_.string(), {path(kFolder), options_.time_limit});
    if (!result && result.error().code() == Code::kDeadlineExceeded)
      return Status(Code::kDeadlineExceeded, fmt::format("its command {}", result.error().message()));
    return result;
  }

  Status check_size(uintmax_t bytes, const ProcessResult& result) const {
    if (bytes <= kMaxBlobBytes) return {};
    return Status(Code::kUnsupported,
                  fmt::format("its command wrote an output of {} bytes; at most {} are supported; {}", bytes,
                              kMaxBlobBytes, printed_by(result, part_.name)));
  }

  Result<Bytes> read_blob(const ProcessResult& result) const {
    std::error_code error;
    const std::string& file = path(kOutput);
    const bool is_file = fs::is_regular_file(file, error);
    if (!is_file || fs::file_size(file, error) == 0)
      return Status(Code::kUnsupported,
                    fmt::format("its command wrote {}; {}", is_file ? "an empty output" : "no output",
                                printed_by(result, part_.name)));
    NESTRT_RETURN_IF_ERROR(check_size(fs::file_size(file, error), result));
    NESTRT_ASSIGN_OR_RETURN(const std::vector<std::byte> blob, tools::read_file(file));
    return Bytes(blob.begin(), blob.end());
  }

  // Returns the output files, sorted by name, as an uncompressed zip archive, and adds their positions in the archive
  // to the list.
  Result<Bytes> archive(const ProcessResult& result, std::vector<plan::VendorFacts::File>& places) const {
    std::error_code error;
    std::map<std::string, fs::path> files;
    uintmax_t bytes = 0;
    for (fs::recursive_directory_iterator entry(path(kOutputs), error), end; !error && entry != end;
         entry.increment(error)) {
      if (!entry->is_regular_file(error)) continue;
      files[fs::relative(entry->path(), path(kOutputs), error).generic_string()] = entry->path();
      bytes += entry->file_size(error);
    }
    if (files.empty())
      return Status(Code::kUnsupported, fmt::format("its command wrote no output; {}", printed_by(result, part_.name)));
    NESTRT_RETURN_IF_ERROR(check_size(bytes, result));
    if (files.size() > plan_format::kMaxVendorFiles ||
        std::ranges::any_of(files, [](const auto& file) { return is_too_long(file.first); }))
      return Status(Code::kUnsupported,
                    fmt::format("its command wrote {} files; at most {}, with names of at most {} bytes, are supported",
                                files.size(), plan_format::kMaxVendorFiles, plan_format::kMaxVendorText));
    const std::string packed = (base_ / "outputs.zip").string();
    NESTRT_ASSIGN_OR_RETURN(tools::ZipWriter writer, tools::ZipWriter::create(packed));
    for (const auto& [name, file] : files) {
      NESTRT_ASSIGN_OR_RETURN(const std::vector<std::byte> content, tools::read_file(file.string()));
      NESTRT_RETURN_IF_ERROR(writer.begin(name));
      places.push_back({name, writer.position(), content.size()});
      NESTRT_RETURN_IF_ERROR(writer.append(content));
    }
    NESTRT_RETURN_IF_ERROR(writer.finish());
    NESTRT_ASSIGN_OR_RETURN(const std::vector<std::byte> blob, tools::read_file(packed));
    return Bytes(blob.begin(), blob.end());
  }

  Result<std::optional<VendorReport>> report() const {
    if (!has(options_.command, kReport)) return std::optional<VendorReport>();
    const auto report = read_vendor_report(path(kReport));
    if (!report) return report.error().with_context("the {report} of its command");
    if (report->npu_share == 0 && !options_.allow_cpu)
      return Status(Code::kUnsupported,
                    fmt::format("its command compiled everything for the CPU ({}); --vendor-allow-cpu accepts that",
                                summary_of(*report)));
    if (options_.on_report) options_.on_report(part_.name, *report);
    return std::optional(*report);
  }

  const VendorOptions& options_;
  const VendorPart& part_;
  const fs::path base_;
  std::vector<std::string> words_;
  const std::map<std::string_view, std::string> values_;  // by placeholder
};

}  // namespace

UnitProgram program_of(VendorOutput output, const VendorPart& part, const std::optional<OffloadCost>& cost,
                       const RegionSize& size) {
  UnitProgram program = blob_program(std::make_shared<const Bytes>(std::move(output.blob)), cost, size);
  plan::VendorFacts& facts = program.vendor.emplace();
  for (const auto* const borders : {&part.inputs, &part.outputs})
    for (const Border& border : *borders) facts.port_names.push_back(border.name);
  if (std::ranges::any_of(facts.port_names, is_too_long)) facts.port_names.clear();
  facts.files = std::move(output.files);
  if (!output.report) return program;
  facts.npu_share = static_cast<float>(output.report->npu_share);
  facts.on_cpu = operators_on_cpu(*output.report);
  if (output.report->microseconds) {
    program.microseconds = *output.report->microseconds;
    program.cost_origin = plan::CostOrigin::kModelled;
  }
  return program;
}

Status check_vendor_command(const std::string& command) {
  const auto refuse = [&](std::string_view why) {
    return Status(Code::kInvalidArgument, fmt::format("the vendor's command '{}' has {}", command, why));
  };
  if (!has(command, kInput)) return refuse("no {input}");
  if (has(command, kOutput) && has(command, kOutputs)) return refuse("both {output} and {outputs}");
  return has(command, kOutput) || has(command, kOutputs) ? Status() : refuse("no {output}");
}

Status check_vendor_ports(size_t inputs, size_t outputs) {
  if (outputs > 0 && inputs <= NESTRT_VENDOR_MAX_PORTS && outputs <= NESTRT_VENDOR_MAX_PORTS - inputs) return {};
  return Status(
      Code::kInvalidArgument,
      fmt::format("{} inputs and {} outputs: a vendor's program has at least one output and at most {} ports in total",
                  inputs, outputs, NESTRT_VENDOR_MAX_PORTS));
}

Result<VendorOutput> run_vendor_command(const VendorOptions& options, const VendorPart& part) {
  const EndingSignals held;  // holds back signals until the folder is removed
  NESTRT_ASSIGN_OR_RETURN(const TemporaryFolder folder, TemporaryFolder::create());
  return VendorRun(options, part, folder.path()).run();
}

}  // namespace nestrt::compiler
