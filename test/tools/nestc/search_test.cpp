// SPDX-License-Identifier: Apache-2.0
// Tests nestc calibrate --sensitivity and nestc compile --max-loss on the command line.
#include <catch2/catch.hpp>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "test/compiler-lite/tuning/small_classifier.h"
#include "test/support/plan/program.h"
#include "test/support/process/temporary_folder.h"
#include "tools/support/text/files.h"

namespace nestrt::test {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;

class SearchWorkshop {
 public:
  SearchWorkshop() {
    fs::create_directory(path("out"));
    fs::create_directory(path("empty"));
    write_small_classifier(folder_.path());
  }
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  std::string plan() const { return path("out/model.nest"); }
  std::vector<std::byte> bytes(const std::string& name) const {
    auto result = tools::read_file(path(name));
    REQUIRE(result);
    return *result;
  }
  ProgramResult calibrate(std::vector<std::string> options) const {
    options.insert(options.begin(), {"calibrate", path("model.onnx"), "--npy", path("samples.npy")});
    return run_program("nestc", options);
  }
  ProgramResult search(std::vector<std::string> options, const std::string& data = "samples.npy") const {
    options.insert(options.begin(),
                   {"compile", path("model.onnx"), "-o", plan(), "--quantize", "s8", "--calibrate", path(data)});
    return run_program("nestc", options);
  }
  // Checks for exit code 2, a message, and no output.
  void check_refused(const ProgramResult& result, const std::string& part) const {
    INFO(result.text);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.text, Contains(part));
    CHECK(fs::is_empty(path("out")));
  }

 private:
  TemporaryFolder folder_;
};

TEST_CASE("nestc calibrate --sensitivity ranks the layers, worst first") {
  const SearchWorkshop workshop;
  const ProgramResult result =
      workshop.calibrate({"--sensitivity", "--sensitivity-samples", "6", "--json", workshop.path("layers.json")});
  INFO(result.text);
  REQUIRE(result.exit_code == 0);
  CHECK_THAT(result.text, Contains("over 6 samples") && Contains("--keep-f32 second"));
  CHECK(result.text.find("second") < result.text.find("third"));
  const std::vector<std::byte> bytes = workshop.bytes("layers.json");
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  const auto json = nlohmann::json::parse(text, text + bytes.size());
  CHECK(json["samples"] == 6);
  CHECK(json["all"]["snr_db"].is_number());
  REQUIRE(json["layers"].size() == 3);
  CHECK(json["layers"][0]["name"] == "second");
  CHECK(json["layers"][0]["only_it"]["snr_db"] < json["layers"][1]["only_it"]["snr_db"]);
  CHECK(json["layers"][0]["all_but_it"]["snr_db"] > json["all"]["snr_db"]);
}

TEST_CASE("nestc calibrate requires an output and does not overwrite its input") {
  const SearchWorkshop workshop;
  workshop.check_refused(workshop.calibrate({}), "--sensitivity to rank layers");
  workshop.check_refused(workshop.calibrate({"-o", workshop.path("out/p.yaml"), "--json", workshop.path("out/l.json")}),
                         "--sensitivity");
  workshop.check_refused(workshop.calibrate({"--sensitivity", "--sensitivity-samples", "0"}), "0");
  workshop.check_refused(workshop.calibrate({"--sensitivity", "--json", workshop.path("samples.npy")}), "another file");
  workshop.check_refused(
      workshop.calibrate({"--sensitivity", "-o", workshop.path("out/x"), "--json", workshop.path("out/x")}),
      "the same file");
  workshop.check_refused(run_program("nestc", {"calibrate", workshop.path("model.onnx"), "--sensitivity", "--images",
                                               workshop.path("empty")}),
                         "no .jpg");
}

TEST_CASE("nestc compile --max-loss finds a quantization and stores it") {
  const SearchWorkshop workshop;
  const std::vector<std::string> options = {"--max-loss", "9",   "--corrections", "weights,bias",
                                            "--method",   "mse", "--search-file", workshop.path("search.yaml")};
  const ProgramResult first = workshop.search(options);
  INFO(first.text);
  REQUIRE(first.exit_code == 0);
  CHECK_THAT(first.text, Contains("chosen") && Contains("--keep-f32 second") &&
                             Contains("as asked; remove it from --keep-f32, or lower --min-snr"));
  const std::vector<std::byte> plan = workshop.bytes("out/model.nest"), remembered = workshop.bytes("search.yaml");
  const ProgramResult second = workshop.search(options);
  CHECK(second.exit_code == 0);
  CHECK_THAT(second.text, Contains("known"));
  CHECK(workshop.bytes("out/model.nest") == plan);
  CHECK(workshop.bytes("search.yaml") == remembered);
  // The chosen configuration gives the same plan without a search.
  const ProgramResult direct =
      workshop.search({"--method", "mse", "--corrections", "weights,bias", "--keep-f32", "second"});
  CHECK(direct.exit_code == 0);
  CHECK(workshop.bytes("out/model.nest") == plan);
}

TEST_CASE("nestc compile exits with 1, without a plan, and reports the best result if --max-loss cannot be met") {
  const SearchWorkshop workshop;
  const ProgramResult result = workshop.search({"--max-loss", "0", "--search-budget", "1"});
  INFO(result.text);
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.text, Contains("none of the 1 configurations tried loses at most 0 points") &&
                              Contains("--quantize s8 --method mse"));
  CHECK(fs::is_empty(workshop.path("out")));
}

TEST_CASE("nestc reports what is wrong with an invalid search and writes nothing") {
  const SearchWorkshop workshop;
  workshop.check_refused(workshop.search({"--max-loss", "-1"}), "-1");
  workshop.check_refused(workshop.search({"--max-loss", "1", "--search-budget", "0"}), "--search-budget");
  workshop.check_refused(workshop.search({"--max-loss", "1", "--search-limit", "0"}), "--search-limit");
  workshop.check_refused(workshop.search({"--search-budget", "3"}), "--max-loss");
  workshop.check_refused(workshop.search({"--max-loss", "1", "--offset", "1"}), "--labels");
  workshop.check_refused(
      run_program("nestc", {"compile", workshop.path("model.onnx"), "-o", workshop.plan(), "--max-loss", "1"}),
      "--quantize");
  workshop.check_refused(workshop.search({"--max-loss", "1", "--search-data", workshop.path("empty")}), "no .jpg");
  workshop.check_refused(workshop.search({"--max-loss", "1", "--search-data", workshop.path("absent.npy")}),
                         "absent.npy");
  workshop.check_refused(workshop.search({"--max-loss", "1", "--labels", workshop.path("absent.tsv")}), "absent.tsv");
  workshop.check_refused(workshop.search({"--max-loss", "1", "--search-file", workshop.path("samples.npy")}),
                         "another file");
  workshop.check_refused(workshop.search({"--max-loss", "1", "--search-file", workshop.plan()}), "another file");
  workshop.check_refused(workshop.search({"--max-loss", "1", "--search-file", workshop.path("out/x"), "--save-profile",
                                          workshop.path("out/x")}),
                         "another file");
  REQUIRE(tools::write_text(workshop.path("damaged.yaml"), "format: nestrt quantization search\nversion: 1\n").ok());
  workshop.check_refused(workshop.search({"--max-loss", "1", "--search-file", workshop.path("damaged.yaml")}),
                         "damaged.yaml': line 1: 'searches' is missing");
  REQUIRE(workshop.calibrate({"-o", workshop.path("profile.yaml")}).exit_code == 0);
  workshop.check_refused(workshop.search({"--max-loss", "1"}, "profile.yaml"), "add --search-data");
}

TEST_CASE("nestc compile --quantize s8 reports the noise and warns if it is high") {
  const SearchWorkshop workshop;
  const ProgramResult result = workshop.search({"--json", workshop.path("plan.json")});
  INFO(result.text);
  REQUIRE(result.exit_code == 0);
  CHECK_THAT(result.text, Contains("signal-to-noise against f32 over 16 samples not used for calibration: ") &&
                              Contains("nestc: warning: output 'y'") && Contains("--keep-f32 second") &&
                              Contains("or use --min-snr 20"));
  const auto bytes = workshop.bytes("plan.json");
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  const auto json = nlohmann::json::parse(text, text + bytes.size());
  CHECK(json["noise"]["samples"] == 16);
  CHECK(json["noise"]["outputs"][0]["snr_db"] < 10);
  CHECK(json["noise"]["noisy"][0]["name"] == "second");
  CHECK(json["s8_operators"] == 3);
}

TEST_CASE("nestc compile --min-snr keeps operators in f32, or writes no plan") {
  const SearchWorkshop workshop;
  const ProgramResult result = workshop.search({"--min-snr", "20"});
  INFO(result.text);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.text, Contains("kept in f32 for --min-snr 20: second") && !Contains("warning"));
  fs::remove(workshop.plan());
  const ProgramResult impossible = workshop.search({"--min-snr", "100"});
  INFO(impossible.text);
  CHECK(impossible.exit_code == 1);
  CHECK_THAT(impossible.text, Contains("no choice of operators in f32 reaches --min-snr 100"));
  CHECK(fs::is_empty(workshop.path("out")));
}

TEST_CASE("A profile has no samples to measure noise on") {
  const SearchWorkshop workshop;
  REQUIRE(workshop.calibrate({"-o", workshop.path("profile.yaml")}).exit_code == 0);
  workshop.check_refused(workshop.search({"--min-snr", "20"}, "profile.yaml"), "--snr-data");
  const ProgramResult noted = workshop.search({}, "profile.yaml");
  CHECK(noted.exit_code == 0);
  CHECK_THAT(noted.text, Contains("add --snr-data"));
  const ProgramResult bound =
      workshop.search({"--min-snr", "20", "--snr-data", workshop.path("samples.npy")}, "profile.yaml");
  INFO(bound.text);
  CHECK(bound.exit_code == 0);
  CHECK_THAT(bound.text, Contains("not used for calibration") && Contains("for --min-snr 20: second"));
}

TEST_CASE("nestc compile --reconstruct reports the gain and gives the same plan for the same seed") {
  const SearchWorkshop workshop;
  const ProgramResult result = workshop.search({"--reconstruct"});
  INFO(result.text);
  REQUIRE(result.exit_code == 0);
  CHECK_THAT(result.text, Contains("reconstruction of 3 layers: "));
  const auto plan = workshop.bytes("out/model.nest");
  REQUIRE(workshop.search({"--reconstruct", "--reconstruct-seed", "0"}).exit_code == 0);
  CHECK(workshop.bytes("out/model.nest") == plan);
  REQUIRE(workshop.calibrate({"-o", workshop.path("profile.yaml")}).exit_code == 0);
  fs::remove(workshop.plan());
  workshop.check_refused(workshop.search({"--reconstruct"}, "profile.yaml"), "--reconstruct needs samples");
}

}  // namespace
}  // namespace nestrt::test
