// SPDX-License-Identifier: Apache-2.0
#include "python/src/session.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <list>
#include <optional>
#include <semaphore>

#include "nestrt/driver/schedule.h"
#include "nestrt/open_units.h"
#include "nestrt/pipeline.h"
#include "python/src/errors.h"
#include "python/src/interruption.h"
#include "python/src/operands.h"
#include "python/src/plan.h"
#include "python/src/text.h"
#include "python/src/unit_choice.h"
#include "tools/nestrt/figures/summaries.h"

namespace nestrt::python {
namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;

struct UnitsHandle {
  UnitList units;
};

struct SessionHandle {
  PlanHandle plan;
  UnitList units;
  std::unique_ptr<Session> session;
  std::optional<std::chrono::nanoseconds> deadline;  // default of runs
  FrameInputs frames;
};

std::chrono::nanoseconds nanoseconds_of(const char* name, double seconds) {
  constexpr double kMaxSeconds = 1e9;
  if (!(seconds > 0 && seconds <= kMaxSeconds))
    raise(Status(Code::kInvalidArgument,
                 std::string(name) + ": expected seconds above 0 and up to 1e9, got " + std::to_string(seconds)),
          "Session");
  return std::chrono::nanoseconds(static_cast<int64_t>(seconds * 1e9));
}

void open_units(UnitsHandle* self, const PlanHandle* plan, const nb::dict& options) {
  const command::UnitChoice choice = unit_choice(options);
  Result<UnitList> units = [&] {
    nb::gil_scoped_release release;
    return plan != nullptr ? choice.open(*plan->plan) : nestrt::open_units(choice.units, choice.unit_options());
  }();
  new (self) UnitsHandle{checked(std::move(units), choice.units)};
}

nb::list describe(const UnitsHandle& self) {
  nb::list infos;
  for (const auto& unit : self.units) {
    const UnitInfo& info = unit->info();
    nb::dict row;
    row["name"] = info.name;
    row["kind"] = info.kind;
    row["configuration"] = info.configuration;
    row["threads"] = info.num_threads;
    row["is_host"] = info.is_host;
    infos.append(row);
  }
  return infos;
}

SessionOptions session_options(const PlanHandle& plan, const UnitList& units, const nb::dict& values) {
  SessionOptions options =
      checked(unit_choice(values).session_options(*plan.plan, units, /*observer=*/nullptr), plan.where);
  read(values, "urgent", options.urgent);
  read(values, "keep_costs", options.costs.keep);
  read(values, "reschedule_drift", options.adaptation.drift);
  bool measure = false;
  read(values, "measure", measure);
  if (measure) options.costs.measure = Measuring::kBefore;
  double timeout_s = std::chrono::duration<double>(options.fault_tolerance.unit_timeout).count();
  read(values, "unit_timeout", timeout_s);
  options.fault_tolerance.unit_timeout =
      std::chrono::duration_cast<std::chrono::milliseconds>(nanoseconds_of("unit_timeout", timeout_s));
  return options;
}

void create(SessionHandle* self, const PlanHandle& plan, const UnitsHandle& units, std::optional<double> deadline,
            const nb::dict& values) {
  const SessionOptions options = session_options(plan, units.units, values);
  const auto limit = deadline ? std::optional(nanoseconds_of("deadline", *deadline)) : std::nullopt;
  Result<std::unique_ptr<Session>> session = [&] {
    nb::gil_scoped_release release;
    return Session::create(plan.plan, units.units, options);
  }();
  new (self) SessionHandle{plan, units.units, checked(std::move(session), plan.where), limit,
                           FrameInputs(*plan.plan, units.units)};
}

// Calls run(), which must run the session and return its status. Ctrl-C ends it.
template <typename Run>
void run_interruptibly(SessionHandle& self, const Run& run) {
  Status status;
  for (bool is_interrupted = true; is_interrupted;) {
    {
      nb::gil_scoped_release release;
      const CancelOnInterrupt interrupt(*self.session);
      status = run();
      is_interrupted = status.code() == Code::kCancelled && interrupt.is_interrupted();
    }
    // If the program's handler does not raise, the run restarts.
    if (is_interrupted && PyErr_CheckSignals() != 0) throw nb::python_error();
  }
  check(status, self.plan.where);
}

void run_once(SessionHandle& self, const Inputs& inputs, const Outputs& outputs, std::optional<double> deadline) {
  RunOptions options;
  const auto limit = deadline ? std::optional(nanoseconds_of("deadline", *deadline)) : self.deadline;
  if (limit) options.deadline = SteadyClock::now() + *limit;
  run_interruptibly(self, [&] { return self.session->run(inputs.views, outputs.views, options); });
}

void warm_up(SessionHandle& self) {
  run_interruptibly(self, [&] { return self.session->warm_up(); });
}

std::vector<nb::object> results_of(SessionHandle& self, nb::handle inputs, nb::handle out,
                                   std::optional<double> deadline) {
  std::vector<nb::object> results;
  const Inputs read = gather_inputs(self.plan, inputs, self.frames);
  const Outputs written = gather_outputs(self.plan, read, out, results);
  run_once(self, read, written, deadline);
  return results;
}

nb::dict run(SessionHandle& self, nb::handle inputs, nb::handle out, std::optional<double> deadline) {
  return named(self.plan, results_of(self, inputs, out, deadline));
}

nb::object call(SessionHandle& self, const nb::args& arrays, const nb::kwargs& by_name) {
  if (!arrays.empty() && !by_name.empty()) refuse(self.plan, "inputs: pass all by position or all by name");
  const nb::handle given = !by_name.empty() ? nb::handle(by_name) : nb::handle(arrays);
  std::vector<nb::object> results = results_of(self, given, nb::none(), std::nullopt);
  if (results.size() == 1) return std::move(results.front());
  return named(self.plan, results);
}

nb::dict memory_of(const SessionHandle& self) {
  const SessionMemory memory = self.session->memory();
  nb::dict result;
  result["arena_bytes"] = memory.arena_bytes;
  result["scratch_bytes"] = memory.scratch_bytes;
  result["repacked_bytes"] = memory.repacked_bytes;
  result["copied_bytes"] = memory.copied_bytes;
  result["shared_memory_bytes"] = memory.shared_memory_bytes;
  return result;
}

nb::list operators_of(const SessionHandle& self) {
  nb::list rows;
  for (const command::OperatorRow& op : command::summarize_plan(*self.session).operators) {
    nb::dict row;
    row["name"] = op.name;
    row["kind"] = op.kind;
    row["unit"] = op.unit;
    row["kernel"] = op.kernel;
    row["shape"] = op.output_shape;
    row["type"] = op.output_type;
    row["macs"] = op.macs;
    rows.append(row);
  }
  return rows;
}

nb::list schedule_of(const SessionHandle& self) {
  const Schedule schedule = self.session->schedule();
  nb::list steps;
  for (const Step& step : schedule.steps) {
    nb::dict row;
    row["branch"] = step.branch;
    row["unit"] = self.units[schedule.lanes[step.lane].unit]->info().name;
    row["lane"] = step.lane;
    row["threads"] = step.threads;
    row["predicted_us"] = step.predicted_us;
    row["waits"] = nb::cast(step.waits);
    steps.append(row);
  }
  return steps;
}

// A pipeline and the arrays of its inferences.
struct PipelineHandle {
  struct Flight {
    Inputs inputs;
    Outputs outputs;
    std::vector<nb::object> results, arguments;  // keep the viewed arrays alive
  };

  PlanHandle plan;
  FrameInputs frames;
  std::list<Flight> flights{};         // submitted, result not returned yet
  std::counting_semaphore<> begun{0};  // flights that the pipeline has received
  std::unique_ptr<Pipeline> pipeline;  // destroyed before the arrays it writes to
  // Free places. Waiting here can be interrupted, unlike waiting in Pipeline::submit().
  std::counting_semaphore<> room{static_cast<std::ptrdiff_t>(pipeline->capacity())};
};

void create_pipeline(PipelineHandle* self, const PlanHandle& plan, const UnitsHandle& units, int in_flight, int waiting,
                     const nb::dict& values) {
  const PipelineOptions options{in_flight, waiting, session_options(plan, units.units, values)};
  Result<std::unique_ptr<Pipeline>> pipeline = [&] {
    nb::gil_scoped_release release;
    return Pipeline::create(plan.plan, units.units, options);
  }();
  new (self) PipelineHandle{.plan = plan,
                            .frames = FrameInputs(*plan.plan, units.units),
                            .pipeline = checked(std::move(pipeline), plan.where)};
}

// Calls wait_for(time) without the GIL until it returns true. An interrupt ends the wait.
template <typename WaitFor>
void wait_interruptibly(const WaitFor& wait_for) {
  constexpr auto kBetweenInterrupts = std::chrono::milliseconds(50);
  const auto is_over = [&] {
    nb::gil_scoped_release release;
    return wait_for(kBetweenInterrupts);
  };
  while (!is_over())
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

void submit(PipelineHandle& self, nb::handle inputs) {
  PipelineHandle::Flight flight{gather_inputs(self.plan, inputs, self.frames), Outputs(0), {}, {nb::borrow(inputs)}};
  flight.outputs = gather_outputs(self.plan, flight.inputs, nb::none(), flight.results);
  wait_interruptibly([&](auto time) { return self.room.try_acquire_for(time); });
  self.flights.push_back(std::move(flight));
  const PipelineHandle::Flight& begun = self.flights.back();
  nb::gil_scoped_release release;
  self.pipeline->submit(begun.inputs.views, begun.outputs.views);
  self.begun.release();
}

nb::dict next(PipelineHandle& self) {
  if (self.flights.empty()) refuse(self.plan, "next: no inference is pending; call submit() first");
  wait_interruptibly([&](auto time) { return self.begun.try_acquire_for(time); });  // another thread may be in submit()
  try {
    wait_interruptibly([&](auto time) { return self.pipeline->wait_for_next(time); });
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  } catch (...) {
    self.begun.release();  // its result is still pending
    throw;
  }
  std::list<PipelineHandle::Flight> done;
  done.splice(done.begin(), self.flights, self.flights.begin());
  const Status status = self.pipeline->next();
  self.room.release();
  check(status, self.plan.where);
  return named(self.plan, done.front().results);
}

constexpr const char* kRunTypes =
    "def run(self, inputs: typing.Any, out: typing.Any = None, deadline: typing.Optional[float] = None) -> "
    "dict[str, typing.Any]";
constexpr const char* kRun =
    "Runs one inference and returns the outputs by name.\n\n"
    "inputs: a dict of arrays by name, a list or tuple in the plan's order, or the array itself if the plan has one\n"
    "    input. Arrays are NumPy arrays or objects with __dlpack__ in CPU memory. Their dtype and shape must equal\n"
    "    those in plan.inputs. Dense row-major arrays are read in place (64-byte alignment is fastest), others are\n"
    "    copied. A nestrt.Frame is converted to an image input as the plan specifies.\n"
    "out: arrays to write to, in the same forms; they are also returned. Default: new NumPy arrays.\n"
    "deadline: time limit in seconds; default: the session's.\n\n"
    "Real-valued outputs are float32, also for quantized plans. The GIL is released. A session executes one run at\n"
    "a time; a second thread waits. To run concurrently, give each thread its own session.\n\n"
    "Raises InvalidArgument, DeadlineExceeded, Cancelled, DeviceFault. KeyboardInterrupt ends the run.";

}  // namespace

void bind_session(nb::module_& module) {
  nb::class_<UnitsHandle>(module, "Units", "Opened units; see nestrt.Units.")
      .def("__init__", &open_units, "plan"_a.none(), "options"_a)
      .def("_describe", &describe);
  nb::class_<SessionHandle>(module, "Session", "A plan loaded on units; see nestrt.Session.")
      .def("__init__", &create, "plan"_a, "units"_a, "deadline"_a.none(), "options"_a)
      .def("run", &run, "inputs"_a, "out"_a = nb::none(), "deadline"_a = nb::none(), nb::sig(kRunTypes), kRun)
      .def("__call__", &call, "args"_a, "kwargs"_a,
           nb::sig("def __call__(self, *args: typing.Any, **kwargs: typing.Any) -> typing.Any"),
           "Runs one inference with inputs by position or by name. Returns the output array, or a dict by name if\n"
           "there are several outputs.")
      .def("warm_up", &warm_up,
           "Runs one inference on internal inputs, so that the first run takes about as long as later ones. Takes as\n"
           "long as a first run.")
      .def(
          "cancel", [](SessionHandle& self) { self.session->cancel(); },
          "Cancels the run in progress, which raises Cancelled on its thread. May be called from any thread.")
      .def_prop_ro(
          "num_host_fallbacks", [](const SessionHandle& self) { return self.session->num_host_fallbacks(); },
          "The number of steps that the CPU computed because another unit failed.")
      .def_prop_ro(
          "reschedules", [](const SessionHandle& self) { return self.session->num_reschedules(); },
          "The number of times the schedule was replaced.")
      .def_prop_ro("memory", &memory_of,
                   "Bytes by purpose: arena, scratch, repacked weights, and bytes moved by the last run.")
      .def("_operators", &operators_of)
      .def("_schedule", &schedule_of);
  nb::class_<PipelineHandle>(module, "Pipeline", "Several inferences in flight; see nestrt.Pipeline.")
      .def("__init__", &create_pipeline, "plan"_a, "units"_a, "in_flight"_a, "waiting"_a, "options"_a)
      .def_prop_ro(
          "capacity", [](const PipelineHandle& self) { return self.pipeline->capacity(); },
          "The maximum number of submitted inferences whose results were not returned yet.")
      .def("submit", &submit, "inputs"_a, nb::sig("def submit(self, inputs: typing.Any) -> None"),
           "Submits an inference, with inputs as for Session.run(). Waits if the pipeline is full. Do not change the\n"
           "arrays until next() has returned the result; frames are copied.")
      .def("next", &next, nb::sig("def next(self) -> dict[str, typing.Any]"),
           "Waits for the oldest pending inference and returns its outputs by name.");
}

}  // namespace nestrt::python
