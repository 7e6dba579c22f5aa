// SPDX-License-Identifier: Apache-2.0
#include "python/src/arrays.h"

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "python/src/errors.h"
#include "python/src/text.h"

namespace nestrt::python {
namespace {

namespace nb = nanobind;
using Kind = nb::dlpack::dtype_code;

struct ElementType {
  DataType type;
  Kind kind;
  uint8_t bits;
  const char* name;
};
constexpr ElementType kTypes[] = {
    {DataType::kF32, Kind::Float, 32, "float32"}, {DataType::kS8, Kind::Int, 8, "int8"},
    {DataType::kU8, Kind::UInt, 8, "uint8"},      {DataType::kS32, Kind::Int, 32, "int32"},
    {DataType::kS64, Kind::Int, 64, "int64"},     {DataType::kBool, Kind::Bool, 8, "bool"}};

[[noreturn]] void refuse(const std::string& text) { raise(Status(Code::kInvalidArgument, text), "arrays"); }

const ElementType& element_type(DataType type) {
  for (const ElementType& known : kTypes)
    if (known.type == type) return known;
  refuse("a tensor has a type that NumPy does not support");
}

nb::dlpack::dtype dlpack_type(DataType type) {
  const ElementType& known = element_type(type);
  return {static_cast<uint8_t>(known.kind), known.bits, 1};
}

DataType data_type(nb::dlpack::dtype type, const std::string& what) {
  for (const ElementType& known : kTypes)
    if (static_cast<uint8_t>(known.kind) == type.code && known.bits == type.bits && type.lanes == 1) return known.type;
  refuse(what +
         ": unsupported element type; expected float32, int8, uint8, int32, int64 or bool; convert it to the "
         "input's type, for example with array.astype(numpy.float32)");
}

template <typename Array>
Shape shape_of(const Array& array, const std::string& what) {
  if (array.ndim() > Shape::kMaxRank)
    refuse(what + ": expected at most " + std::to_string(Shape::kMaxRank) + " dimensions, got " +
           std::to_string(array.ndim()));
  return Shape(std::span(array.shape_ptr(), array.ndim()));
}

std::string class_of(nb::handle object) { return nb::cast<std::string>(nb::str(object.type().attr("__name__"))); }

nb::object to_numpy(void* data, DataType type, const Shape& shape, nb::handle owner) {
  size_t dims[Shape::kMaxRank];
  std::copy(shape.begin(), shape.end(), dims);
  return nb::cast(
      nb::ndarray<nb::numpy>(data, static_cast<size_t>(shape.rank()), dims, owner, nullptr, dlpack_type(type)));
}

nb::object numpy(const char* function) { return nb::module_::import_("numpy").attr(function); }

// Copies an object with __dlpack__ that is not dense and row-major. If __dlpack__ fails, reports its error.
InputArray dense_copy(nb::handle object, const std::string& what) {
  try {
    return nb::cast<InputArray>(numpy("ascontiguousarray")(numpy("from_dlpack")(object)));
  } catch (const nb::python_error& error) {
    const std::string text = error.what();
    refuse(what + ": '" + class_of(object) +
           "' does not provide an array in CPU memory: " + text.substr(text.rfind("\n", text.size() - 2) + 1));
  } catch (const nb::cast_error&) {
    refuse(what + ": '" + class_of(object) + "' does not provide an array in CPU memory");
  }
}

}  // namespace

const char* numpy_name(DataType type) { return element_type(type).name; }

ConstTensorView view_input(nb::handle object, const std::string& what, InputArray& array) {
  if (std::string_view(Py_TYPE(object.ptr())->tp_name) == "MaskedArray")
    refuse(what + ": masked arrays are not supported; convert the array with array.filled(...)");
  const bool is_numpy = nb::hasattr(object, "newbyteorder") || nb::hasattr(object, "byteswap");
  if (!nb::try_cast(object, array, true)) {
    if (is_numpy)
      refuse(what +
             ": expected an array of numbers in native byte order; convert it to the input's type, for example with "
             "array.astype(numpy.float32)");
    if (!nb::hasattr(object, "__dlpack__"))
      refuse(what + ": expected an array in CPU memory (NumPy, or any object with __dlpack__), got '" +
             class_of(object) + "'; convert it with numpy.asarray(...)");
    array = dense_copy(object, what);
  }
  const DataType type = data_type(array.dtype(), what);
  if (reinterpret_cast<uintptr_t>(array.data()) % size_bytes(type) != 0)  // such as a field of a record
    array = nb::cast<InputArray>(numpy("array")(object));
  return {type, shape_of(array, what), array.data()};
}

TensorView view_output(nb::handle object, const std::string& what, OutputArray& array) {
  if (!nb::try_cast(object, array, false))
    refuse(what + ": expected a dense, row-major and writable array in CPU memory, got '" + class_of(object) + "'");
  return {data_type(array.dtype(), what), shape_of(array, what), array.data()};
}

nb::object make_array(AlignedMemory memory, const TensorInfo& info) {
  auto* const owned = new AlignedMemory(std::move(memory));
  const nb::capsule owner(owned, [](void* pointer) noexcept { delete static_cast<AlignedMemory*>(pointer); });
  return to_numpy(owned->data(), info.type, info.shape, owner);
}

nb::object make_array(DataType type, const Shape& shape, const void* elements) {
  const TensorInfo info{"", type, shape};
  AlignedMemory memory = checked(AlignedMemory::allocate(info.size_bytes(), "an array"), "arrays");
  if (memory.size() > 0) std::memcpy(memory.data(), elements, info.size_bytes());
  return make_array(std::move(memory), info);
}

tools::Array copy_array(nb::handle object, const std::string& what) {
  InputArray array;
  const ConstTensorView view = view_input(object, what, array);
  const auto* const begin = static_cast<const std::byte*>(view.data);
  return {view.type, view.shape, std::vector<std::byte>(begin, begin + view.size_bytes())};
}

nb::tuple as_tuple(const Shape& shape) {
  nb::list dims;
  for (const int64_t dim : shape) dims.append(dim);
  return nb::tuple(dims);
}

}  // namespace nestrt::python
