// SPDX-License-Identifier: Apache-2.0
// Calls functions of the C API in any order, each chosen by a few input bytes, with null pointers, wrong sizes and
// indices out of range. Calls that the API forbids (freeing twice, use after free) are excluded.
#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "nestrt/nestrt.h"
#include "test/fuzz/fuzz_input.h"
#include "test/support/plan/sample_plans.h"

namespace nestrt::test {
namespace {

const std::string& plan_path() {
  static const std::string path = [] {
    write_scratch(branches_plan().build().bytes());
    return scratch_path();
  }();
  return path;
}

// Size of the plan's input and of its output.
constexpr size_t kTensorBytes = 2 * 8 * sizeof(float);

// Objects of a caller, with a few slots for each type.
class Caller {
 public:
  explicit Caller(FuzzInput input) : input_(input) {}
  ~Caller() {
    free_all_pipelines();
    for (nestrt_session* session : sessions_) nestrt_session_free(session);
    nestrt_session_options_free(options_);
    for (nestrt_plan* plan : plans_) nestrt_plan_free(plan);
  }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  void run() {
    static constexpr void (Caller::*kCalls[])() = {
        &Caller::load,           &Caller::free_plan, &Caller::create,      &Caller::free_session,
        &Caller::ask_for_inputs, &Caller::ask,       &Caller::run_session, &Caller::set_log_level,
        &Caller::load_with,      &Caller::escape,    &Caller::set_option,  &Caller::create_with,
        &Caller::free_options,   &Caller::run_with,  &Caller::describe,    &Caller::create_pipeline,
        &Caller::free_pipeline,  &Caller::submit,    &Caller::next};
    while (!input_.empty()) (this->*kCalls[byte() % std::size(kCalls)])();
  }

 private:
  uint8_t byte() { return input_.take<uint8_t>(); }
  bool one_of(int count) { return byte() % count == 0; }
  nestrt_plan*& any_plan() { return plans_[byte() % plans_.size()]; }
  nestrt_session*& any_session() { return sessions_[byte() % sessions_.size()]; }
  nestrt_pipeline*& any_pipeline() { return pipelines_[byte() % pipelines_.size()]; }

  // Requires a message for every failure.
  static void check(nestrt_code code) {
    expect(code != NESTRT_INTERNAL, nestrt_last_error());
    expect(code == NESTRT_OK || nestrt_last_error()[0] != '\0', "a failure without a message");
  }

  void load() {
    nestrt_plan*& plan = any_plan();
    nestrt_plan_free(plan);
    plan = nullptr;
    const bool missing = one_of(8);
    const char* const path = one_of(8) ? nullptr : missing ? "/nonexistent" : plan_path().c_str();
    check(nestrt_plan_load(path, one_of(8) ? nullptr : &plan));
  }
  // Loads from a file, or from memory that lives as long as the process.
  void load_with() {
    static const PlanFile file = branches_plan().build();
    nestrt_plan*& plan = any_plan();
    nestrt_plan_free(plan);
    plan = nullptr;
    nestrt_load_options* options = nullptr;
    if (!one_of(8)) check(nestrt_load_options_create(&options));
    const uint8_t key[NESTRT_PUBLIC_KEY_BYTES] = {byte()};
    const bool trusts = one_of(4);
    if (trusts) check(nestrt_load_options_add_trusted_key(options, key));
    check(nestrt_load_options_set_verification(options, byte() % 3));
    check(nestrt_load_options_set_copy(options, byte() % 2));
    const size_t size = one_of(8) ? byte() : file.bytes().size();
    const nestrt_code code = one_of(2) ? nestrt_plan_load_memory(file.bytes().data(), size, options, &plan)
                                       : nestrt_plan_load_with(plan_path().c_str(), options, &plan);
    check(code);
    expect(code != NESTRT_OK || (options != nullptr && !trusts), "an unsigned plan was loaded");
    nestrt_load_options_free(options);
  }
  void escape() {
    const char text[] = {static_cast<char>(byte()), static_cast<char>(byte()), '\0'};
    const size_t capacity = byte() % 12;
    const auto buffer = std::make_unique<char[]>(capacity);  // exact size, so that AddressSanitizer detects overruns
    const size_t size = nestrt_text_escape(text, buffer.get(), capacity);
    expect(capacity == 0 || std::string_view(buffer.get()).size() <= size, "more was written than the text has");
  }
  void free_plan() {
    nestrt_plan*& plan = any_plan();
    nestrt_plan_free(plan);
    plan = nullptr;
  }
  void create() {
    static constexpr const char* kUnits[] = {nullptr, "cpu", "", "tpu", "cpu,cpu", ",", "cpu:x"};
    nestrt_session*& session = any_session();
    nestrt_session_free(session);
    session = nullptr;
    const nestrt_plan* const plan = any_plan();
    const char* const units = kUnits[byte() % std::size(kUnits)];
    const auto threads = static_cast<int32_t>(static_cast<int8_t>(byte()));
    check(nestrt_session_create(plan, units, threads > 2 ? 1 : threads, one_of(8) ? nullptr : &session));
  }
  void free_session() {
    nestrt_session*& session = any_session();
    nestrt_session_free(session);
    session = nullptr;
  }

  nestrt_session_options* options() {
    if (options_ == nullptr) check(nestrt_session_options_create(&options_));
    return one_of(16) ? nullptr : options_;
  }
  void free_options() {
    nestrt_session_options_free(options_);
    options_ = nullptr;
  }
  // Returns a number from a few bytes, or one near the end of a valid range.
  int64_t number() {
    static constexpr int64_t kEnds[] = {INT64_MIN, INT64_MAX, 86'400'000, 86'400'001, 86'400'000'001};
    const uint8_t drawn = byte();
    return drawn < std::size(kEnds) ? kEnds[drawn] : input_.take<int16_t>();
  }
  void set_option() {
    nestrt_session_options* const of = options();
    const int64_t value = number();
    const auto small = static_cast<int32_t>(value);
    nestrt_code code = NESTRT_OK;
    switch (byte() % 11) {
      case 0:
        code = nestrt_session_options_set_schedule_method(of, small);
        break;
      case 1:
        code = nestrt_session_options_set_split_channels(of, small);
        break;
      case 2:
        code = nestrt_session_options_set_share_cores(of, small);
        break;
      case 3:
        code = nestrt_session_options_set_schedule_budget(of, value);
        break;
      case 4:
        code = nestrt_session_options_set_measure(of, small);
        break;
      case 5:
        code = nestrt_session_options_set_drift(of, input_.take<double>());
        break;
      case 6:
        code = nestrt_session_options_set_unit_timeout(of, value);
        break;
      case 7:
        code = nestrt_session_options_set_unit_timeout_factor(of, input_.take<double>(), value);
        break;
      case 8:
        code = nestrt_session_options_set_probe_interval(of, value);
        break;
      case 9:
        code = nestrt_session_options_set_check_every(of, static_cast<uint32_t>(small));
        break;
      default:
        code = nestrt_session_options_set_urgent(of, small);
    }
    check(code);
    expect(of != nullptr || code == NESTRT_INVALID_ARGUMENT, "null was accepted as options");
  }
  // Creates a session with options. Options that the setters accepted must be valid.
  void create_with() {
    nestrt_session*& session = any_session();
    nestrt_session_free(session);
    session = nullptr;
    const nestrt_plan* const plan = any_plan();
    const nestrt_session_options* const with = options();
    const nestrt_code code = nestrt_session_create_with(plan, "cpu", 1, with, &session);
    check(code);
    expect(code == NESTRT_OK || plan == nullptr || with == nullptr, "accepted options are rejected");
  }

  void create_pipeline() {
    nestrt_pipeline*& pipeline = any_pipeline();
    free(pipeline);
    nestrt_pipeline_options* pipeline_options = nullptr;
    if (!one_of(8)) check(nestrt_pipeline_options_create(&pipeline_options));
    check(nestrt_pipeline_options_set_in_flight(pipeline_options, byte() % 4 - 1));
    check(nestrt_pipeline_options_set_waiting(pipeline_options, byte() % 4 - 1));
    check(nestrt_pipeline_create(any_plan(), "cpu", 1, options(), pipeline_options, one_of(8) ? nullptr : &pipeline));
    nestrt_pipeline_options_free(pipeline_options);
  }
  void free(nestrt_pipeline*& pipeline) {
    nestrt_pipeline_free(pipeline);
    pipeline = nullptr;
  }
  void free_pipeline() { free(any_pipeline()); }
  void free_all_pipelines() {
    for (nestrt_pipeline*& pipeline : pipelines_) free(pipeline);
  }
  // Submits one at a time, so that it never waits.
  void submit() {
    nestrt_pipeline* const pipeline = any_pipeline();
    Argument in = argument(kTensorBytes), out = argument(kTensorBytes);
    const void* const inputs[] = {in.data};
    void* const outputs[] = {out.data};
    const nestrt_code code =
        nestrt_pipeline_submit(pipeline, one_of(16) ? nullptr : inputs, &in.bytes, outputs, &out.bytes);
    check(code);
    if (code == NESTRT_OK) check(nestrt_pipeline_next(pipeline));
  }
  void next() { expect(nestrt_pipeline_next(any_pipeline()) == NESTRT_INVALID_ARGUMENT, "nothing was submitted"); }

  void describe() {
    const nestrt_plan* const plan = any_plan();
    const size_t index = byte() % 4 == 3 ? SIZE_MAX : byte() % 4;
    std::array<int64_t, 8> dims{};
    const char* const name = nestrt_plan_input_name(plan, index);
    expect((name != nullptr) == (index < nestrt_plan_num_inputs(plan)), "an input's name and existence disagree");
    expect((nestrt_plan_input_bytes(plan, index) != 0) == (name != nullptr), "an input's size and existence disagree");
    expect((nestrt_plan_input_type(plan, index) == -1) == (name == nullptr), "an input's type and existence disagree");
    static_cast<void>(nestrt_plan_output_shape(plan, index, one_of(4) ? nullptr : dims.data(), byte() % dims.size()));
    expect((nestrt_plan_output_name(plan, index) != nullptr) == (index < nestrt_plan_num_outputs(plan)), "a name");
    expect(nestrt_plan_find_output(plan, "y") < 1, "an output that does not exist was found");
  }

  void ask_for_inputs() {
    const nestrt_session* const session = any_session();
    const size_t index = byte() % 4 == 3 ? SIZE_MAX : byte() % 4;
    std::array<int64_t, 8> dims{};
    const size_t rank =
        nestrt_session_input_shape(session, index, one_of(4) ? nullptr : dims.data(), byte() % dims.size());
    const char* const name = nestrt_session_input_name(session, index);
    expect((name != nullptr) == (index < nestrt_session_num_inputs(session)), "an input's name and existence disagree");
    expect((rank != 0) == (nestrt_session_input_bytes(session, index) != 0), "an input's shape and existence disagree");
    expect((nestrt_session_input_type(session, index) == -1) == (name == nullptr),
           "an input's type and existence disagree");
    if (name != nullptr)
      expect(nestrt_session_find_input(session, name) == static_cast<int64_t>(index), "another input");
  }
  void ask() {
    const nestrt_session* const session = any_session();
    const size_t index = byte() % 4;
    int64_t dim = 0;
    static_cast<void>(nestrt_session_output_shape(session, index, &dim, 1));
    const char* const name = nestrt_session_output_name(session, index);
    expect((name != nullptr) == (index < nestrt_session_num_outputs(session)),
           "an output's name and existence disagree");
    expect((nestrt_session_output_bytes(session, index) != 0) == (name != nullptr),
           "an output's size and existence disagree");
    expect((nestrt_session_output_type(session, index) == -1) == (name == nullptr), "an output without a type");
    static constexpr const char* kNames[] = {nullptr, "", "x", "y"};
    expect(nestrt_session_find_output(session, kNames[byte() % 4]) < 1, "an output that does not exist was found");
    expect(nestrt_version()[0] != '\0' && nestrt_abi_version() == NESTRT_ABI_VERSION, "another version");
  }

  // One tensor of a run: its memory, and the size passed to the API.
  struct Argument {
    std::unique_ptr<std::byte[]> memory;  // has exactly the right size, guarded by AddressSanitizer
    void* data;
    size_t bytes;
  };
  Argument argument(size_t bytes) {
    Argument result{std::make_unique<std::byte[]>(bytes), nullptr, bytes};
    result.data = one_of(16) ? nullptr : result.memory.get();
    if (one_of(16)) result.bytes = input_.take<uint32_t>();
    return result;
  }
  void run_session() {
    nestrt_session* const session = any_session();
    const Argument in = argument(nestrt_session_input_bytes(session, 0)),
                   out = argument(nestrt_session_output_bytes(session, 0));
    const void* const inputs[] = {in.data};
    void* const outputs[] = {out.data};
    const bool no_inputs = one_of(16), no_outputs = one_of(16), no_sizes = one_of(16);
    const nestrt_code code = nestrt_session_run(session, no_inputs ? nullptr : inputs, no_sizes ? nullptr : &in.bytes,
                                                no_outputs ? nullptr : outputs, no_sizes ? nullptr : &out.bytes);
    check(code);
    if (in.data == nullptr || out.data == nullptr || no_inputs || no_outputs || no_sizes || session == nullptr)
      expect(code == NESTRT_INVALID_ARGUMENT, "null was accepted as memory");
  }

  // Runs with an expired, short or long timeout.
  void run_with() {
    nestrt_session* const session = any_session();
    const Argument in = argument(nestrt_session_input_bytes(session, 0)),
                   out = argument(nestrt_session_output_bytes(session, 0));
    const void* const inputs[] = {in.data};
    void* const outputs[] = {out.data};
    nestrt_run_options* run_options = nullptr;
    if (!one_of(8)) check(nestrt_run_options_create(&run_options));
    check(nestrt_run_options_set_timeout(run_options, number()));
    if (one_of(2)) check(nestrt_session_cancel(session));
    const nestrt_code code = nestrt_session_run_with(session, inputs, &in.bytes, outputs, &out.bytes, run_options);
    check(code);
    expect(code == NESTRT_INVALID_ARGUMENT || (session != nullptr && run_options != nullptr),
           "null was accepted as options");
    expect(code != NESTRT_CANCELLED, "a run was cancelled before it began");
    expect(nestrt_session_num_host_fallbacks(session) + nestrt_session_num_reschedules(session) == 0,
           "fallbacks without accelerators");
    nestrt_run_options_free(run_options);
  }

  void set_log_level() {
    check(nestrt_log_set_level(static_cast<nestrt_log_level>(byte() % 8)));
    const auto ignore = [](void*, nestrt_log_level, const char*) {};
    check(nestrt_log_set_hook(one_of(2) ? nullptr : +ignore, this));
    check(nestrt_log_set_hook(+ignore, nullptr));
  }

  FuzzInput input_;
  std::array<nestrt_plan*, 2> plans_{};
  std::array<nestrt_session*, 2> sessions_{};
  std::array<nestrt_pipeline*, 2> pipelines_{};
  nestrt_session_options* options_ = nullptr;
};

}  // namespace
}  // namespace nestrt::test

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace nestrt::test;
  nestrt_log_set_hook([](void*, nestrt_log_level, const char*) {}, nullptr);
  constexpr size_t kMaxBytes = 256;  // bytes for calls and their arguments
  Caller(FuzzInput(data, std::min(size, kMaxBytes))).run();
  return 0;
}
