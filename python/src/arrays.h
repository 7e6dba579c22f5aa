// SPDX-License-Identifier: Apache-2.0
// Arrays of Python as tensors, and the other way round: by DLPack and the buffer protocol, in place wherever they are
// dense and row-major.
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

// Reads an array in place; one that is not dense and row-major is copied, and `array` keeps the copy. Errors raise
// InvalidArgument, which names `what`.
ConstTensorView view_input(nanobind::handle object, const std::string& what, InputArray& array);
// Of an array to write to, which is never copied.
TensorView view_output(nanobind::handle object, const std::string& what, OutputArray& array);

// "float32", as NumPy has it.
const char* numpy_name(DataType type);

// A NumPy array over memory that it takes over.
nanobind::object make_array(AlignedMemory memory, const TensorInfo& info);
nanobind::object make_array(DataType type, const Shape& shape, const void* elements);  // a copy
tools::Array copy_array(nanobind::handle object, const std::string& what);

nanobind::tuple as_tuple(const Shape& shape);

}  // namespace nestrt::python
