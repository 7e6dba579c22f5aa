// SPDX-License-Identifier: Apache-2.0
// Converts between Python arrays and tensors through DLPack and the buffer protocol. Dense row-major arrays are used in
// place.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <string>

#include "nestrt/tensor.h"
#include "runtime/platform/aligned_memory.h"
#include "tools/support/text/npy.h"

namespace nestrt::python {

using InputArray = nanobind::ndarray<nanobind::ro, nanobind::c_contig, nanobind::device::cpu>;
using OutputArray = nanobind::ndarray<nanobind::c_contig, nanobind::device::cpu>;

// Returns a view of an array. If the array is not dense and row-major, `array` holds a copy. Raises InvalidArgument
// with the name `what`.
ConstTensorView view_input(nanobind::handle object, const std::string& what, InputArray& array);
// Returns a view of an array to write to, which is never copied.
TensorView view_output(nanobind::handle object, const std::string& what, OutputArray& array);

// Returns the NumPy name of a type, such as "float32".
const char* numpy_name(DataType type);

// Returns a NumPy array that owns the memory.
nanobind::object make_array(AlignedMemory memory, const TensorInfo& info);
nanobind::object make_array(DataType type, const Shape& shape, const void* elements);  // copies the elements
tools::Array copy_array(nanobind::handle object, const std::string& what);

nanobind::tuple as_tuple(const Shape& shape);

}  // namespace nestrt::python
