// SPDX-License-Identifier: Apache-2.0
#include "python/src/errors.h"

#include "python/src/text.h"

namespace nestrt::python {

namespace nb = nanobind;

void raise(const Status& status, std::string_view where) {
  const nb::object error = nb::module_::import_("nestrt._errors")
                               .attr("from_status")(static_cast<int>(status.code()), status.message(), where);
  PyErr_SetObject(error.type().ptr(), error.ptr());
  throw nb::python_error();
}

void Interruptible::poll(const std::function<void()>& call) {
  {
    nb::gil_scoped_acquire acquire;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (call) call();
    } catch (nb::python_error& error) {
      raised_.emplace(std::move(error));
    }
  }
  if (raised_) throw Left();
}

}  // namespace nestrt::python
