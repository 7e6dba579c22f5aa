// SPDX-License-Identifier: Apache-2.0
// Tests what a child made by fork() can do with its parent's objects.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <functional>

#include "drivers/evta/isa/configuration.h"
#include "nestrt/nestrt.h"
#include "nestrt/pipeline.h"
#include "test/faults/sample_run.h"
#include "test/support/plan/copy_plan.h"
#include "test/support/plan/sample_plans.h"
#include "test/support/process/temporary_folder.h"
#include "test/support/process/thread_states.h"

namespace nestrt::test {
namespace {

// Returns the exit code, or 128 plus the signal that ended the child.
int in_child(const std::function<int()>& work) {
  const pid_t child = fork_when_others_sleep();
  if (child == 0) ::_exit(work());
  int state = 0;
  REQUIRE(::waitpid(child, &state, 0) == child);
  return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

// A session with all kinds of threads: of the pool, of an accelerator and its lane, and the adapting thread.
struct Parent {
  Parent() { REQUIRE(arguments.run(*session).ok()); }

  const PlanFile file = evta::test::copy_plan(evta::kConfigurations[0]).build();
  const std::shared_ptr<const Plan> plan = *Plan::from_memory(file.bytes());
  const SampleArguments arguments{*plan};
  UnitList units = *open_units("cpu,evta:sim", {.num_threads = 2});
  std::unique_ptr<Session> session = *Session::create(plan, units);
};

TEST_CASE("A child cannot run its parent's session and the parent continues") {
  const Parent parent;
  CHECK(in_child([&] { return static_cast<int>(parent.arguments.run(*parent.session).code()); }) ==
        static_cast<int>(Code::kUnavailable));
  CHECK(parent.arguments.run(*parent.session).ok());
}

TEST_CASE("A child may destroy its parent's session and units") {
  Parent parent;
  CHECK(in_child([&] {
          parent.session.reset();
          parent.units.clear();
          return 0;
        }) == 0);
  CHECK(parent.arguments.run(*parent.session).ok());
}

TEST_CASE("A child runs new sessions with its parent's plan") {
  const Parent parent;
  CHECK(in_child([&] {
          return static_cast<int>(open_and_run(parent.plan, "cpu,evta:sim", 2, parent.arguments).code());
        }) == 0);
}

TEST_CASE("A child's session runs single-threaded on the CPU that its parent opened") {
  const Parent parent;
  CHECK(in_child([&] {
          const auto session = Session::create(parent.plan, {parent.units[0]});
          return session ? static_cast<int>(parent.arguments.run(**session).code()) : 1;
        }) == 0);
}

TEST_CASE("A child gets no results of its parent's pipeline and may destroy it") {
  const Parent parent;
  auto pipeline = Pipeline::create(parent.plan, {parent.units[0]});
  REQUIRE(pipeline);
  CHECK(in_child([&] {
          (*pipeline)->submit({}, {});
          const Status status = (*pipeline)->next();
          pipeline->reset();
          return static_cast<int>(status.code());
        }) == static_cast<int>(Code::kUnavailable));
}

TEST_CASE("A child of a C program cannot use its parent's pipeline and may free it") {
  const TemporaryFolder folder;
  const std::string path = folder.write("relu.nest", relu_plan().build().bytes());
  float x[6] = {}, y[6] = {};
  const void* const inputs[] = {x};
  void* const outputs[] = {y};
  const size_t bytes[] = {sizeof x};
  nestrt_plan* plan = nullptr;
  nestrt_session_options* session_options = nullptr;
  nestrt_pipeline_options* options = nullptr;
  nestrt_pipeline* pipeline = nullptr;
  REQUIRE(nestrt_plan_load(path.c_str(), &plan) == NESTRT_OK);
  REQUIRE(nestrt_session_options_create(&session_options) == NESTRT_OK);
  REQUIRE(nestrt_pipeline_options_create(&options) == NESTRT_OK);
  REQUIRE(nestrt_pipeline_create(plan, "cpu", 1, session_options, options, &pipeline) == NESTRT_OK);
  const auto work = [&] {
    if (nestrt_pipeline_submit(pipeline, inputs, bytes, outputs, bytes) != NESTRT_UNAVAILABLE) return 1;
    if (nestrt_pipeline_next(pipeline) != NESTRT_UNAVAILABLE) return 2;
    nestrt_pipeline_free(pipeline);
    return 0;
  };
  CHECK(in_child(work) == 0);
  CHECK(nestrt_pipeline_submit(pipeline, inputs, bytes, outputs, bytes) == NESTRT_OK);
  CHECK(nestrt_pipeline_next(pipeline) == NESTRT_OK);
  nestrt_pipeline_free(pipeline);
  nestrt_pipeline_options_free(options);
  nestrt_session_options_free(session_options);
  nestrt_plan_free(plan);
}

TEST_CASE("A child of a C program creates sessions with new units") {
  const TemporaryFolder folder;
  const std::string path = folder.write("relu.nest", relu_plan().build().bytes());
  const float x[6] = {};
  float y[6] = {};
  const void* const inputs[] = {x};
  void* const outputs[] = {y};
  const size_t bytes[] = {sizeof x};
  nestrt_plan* plan = nullptr;
  nestrt_session* session = nullptr;
  REQUIRE(nestrt_plan_load(path.c_str(), &plan) == NESTRT_OK);
  REQUIRE(nestrt_session_create(plan, "cpu", 2, &session) == NESTRT_OK);
  const auto work = [&] {
    nestrt_session* own = nullptr;
    if (nestrt_session_run(session, inputs, bytes, outputs, bytes) != NESTRT_UNAVAILABLE) return 1;
    if (nestrt_session_create(plan, "cpu", 2, &own) != NESTRT_OK) return 2;
    if (nestrt_session_run(own, inputs, bytes, outputs, bytes) != NESTRT_OK) return 3;
    nestrt_session_free(own);
    nestrt_session_free(session);
    return 0;
  };
  CHECK(in_child(work) == 0);
  CHECK(nestrt_session_run(session, inputs, bytes, outputs, bytes) == NESTRT_OK);
  nestrt_session_free(session);
  nestrt_plan_free(plan);
}

}  // namespace
}  // namespace nestrt::test
