// SPDX-License-Identifier: Apache-2.0
// The part of ONNX Runtime's C API that an execution provider needs. It is declared here because no Debian or PyPI
// package contains the headers.
//
// ONNX Runtime only appends to its function tables, so the positions in abi.cpp are valid for every version from
// kApiVersion on. In a provider's structures, it reads only the members that exist in the API version specified by the
// structure.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nestrt::ort {

// 1.23: the first version with all functions below.
inline constexpr uint32_t kApiVersion = 23;

// Opaque objects of ONNX Runtime.
struct Error;  // null on success
struct Graph;
struct GraphNode;
struct ValueInfo;
struct Value;
struct TypeInfo;
struct TensorFacts;
struct Attribute;
struct TextPairs;
struct HardwareDevice;
struct ProviderDevice;
struct Options;
struct Logger;
struct Support;
struct ComputeContext;
struct KernelContext;

// Values of ONNX Runtime's enumerations.
inline constexpr int kFail = 1, kInvalidArgument = 2, kNotImplemented = 9;  // error codes
inline constexpr int kVerbose = 0, kInfo = 1, kWarning = 2;                 // log levels
inline constexpr int kCpuDevice = 0;                                        // device types
inline constexpr int kInt = 1, kInts = 2, kFloat = 3, kFloats = 4, kString = 5, kStrings = 6,
                     kTensor = 8;  // attributes

struct ApiBase {
  const void* const* (*get_api)(uint32_t version);  // null if the version is unknown
  const char* (*get_version)();
};

// Functions from ONNX Runtime's two tables, under similar names.
struct Api {
  explicit Api(const void* const* table);

  Error* (*create_status)(int code, const char* message);
  const char* (*get_error_message)(const Error*);
  void (*release_status)(Error*);

  Error* (*get_session_options_config_entries)(const Options*, TextPairs**);
  void (*get_key_value_pairs)(const TextPairs*, const char* const** keys, const char* const** values, size_t* count);
  void (*release_key_value_pairs)(TextPairs*);
  int (*hardware_device_type)(const HardwareDevice*);
  Error* (*logger_log_message)(const Logger*, int level, const char* text, const char* file, int line,
                               const char* function);

  Error* (*graph_get_num_operator_sets)(const Graph*, size_t*);
  Error* (*graph_get_operator_sets)(const Graph*, const char** domains, int64_t* versions, size_t);
  Error* (*graph_get_num_outputs)(const Graph*, size_t*);
  Error* (*graph_get_outputs)(const Graph*, const ValueInfo**, size_t);
  Error* (*graph_get_num_nodes)(const Graph*, size_t*);
  Error* (*graph_get_nodes)(const Graph*, const GraphNode**, size_t);
  Error* (*graph_get_parent_node)(const Graph*, const GraphNode**);

  Error* (*node_get_name)(const GraphNode*, const char**);
  Error* (*node_get_operator_type)(const GraphNode*, const char**);
  Error* (*node_get_domain)(const GraphNode*, const char**);
  Error* (*node_get_num_inputs)(const GraphNode*, size_t*);
  Error* (*node_get_inputs)(const GraphNode*, const ValueInfo**, size_t);
  Error* (*node_get_num_outputs)(const GraphNode*, size_t*);
  Error* (*node_get_outputs)(const GraphNode*, const ValueInfo**, size_t);
  Error* (*node_get_num_implicit_inputs)(const GraphNode*, size_t*);
  Error* (*node_get_implicit_inputs)(const GraphNode*, const ValueInfo**, size_t);
  Error* (*node_get_num_attributes)(const GraphNode*, size_t*);
  Error* (*node_get_attributes)(const GraphNode*, const Attribute**, size_t);
  Error* (*node_get_num_subgraphs)(const GraphNode*, size_t*);
  Error* (*node_get_ep_name)(const GraphNode*, const char**);  // empty until the node is assigned to a provider
  Error* (*op_attr_get_name)(const Attribute*, const char**);
  Error* (*op_attr_get_type)(const Attribute*, int*);
  Error* (*op_attr_get_tensor)(const Attribute*, Value**);
  Error* (*read_op_attr)(const Attribute*, int type, void* data, size_t capacity, size_t* bytes);

  Error* (*get_value_info_name)(const ValueInfo*, const char**);
  Error* (*get_value_info_type_info)(const ValueInfo*, const TypeInfo**);
  Error* (*value_info_get_initializer_value)(const ValueInfo*, const Value**);
  Error* (*value_info_is_constant_initializer)(const ValueInfo*, bool*);
  Error* (*cast_type_info_to_tensor_info)(const TypeInfo*, const TensorFacts**);  // null if it is not a tensor
  Error* (*get_tensor_element_type)(const TensorFacts*, int*);
  Error* (*get_dimensions_count)(const TensorFacts*, size_t*);
  Error* (*get_dimensions)(const TensorFacts*, int64_t*, size_t);

  Error* (*get_tensor_type_and_shape)(const Value*, TensorFacts**);
  void (*release_tensor_type_and_shape)(TensorFacts*);
  Error* (*get_tensor_mutable_data)(Value*, void**);
  Error* (*get_tensor_data)(const Value*, const void**);
  Error* (*get_tensor_size_in_bytes)(const Value*, size_t*);
  void (*release_value)(Value*);
  Error* (*kernel_context_get_input)(const KernelContext*, size_t, const Value**);
  Error* (*kernel_context_get_output)(KernelContext*, size_t, const int64_t* dims, size_t rank, Value**);

  Error* (*create_ep_device)(struct FactoryTable*, const HardwareDevice*, const TextPairs* metadata,
                             const TextPairs* options, ProviderDevice**);
  Error* (*add_nodes_to_fuse)(Support*, const GraphNode* const* nodes, size_t count, const struct FusionOptions*);
};

struct FusionOptions {
  uint32_t version = kApiVersion;
  bool drop_constant_initializers = true;  // the plan contains them
};

// The following tables are implemented by a provider. Members of type void* are optional and stay null. Reserved
// members are for later versions.
struct ComputeTable {
  uint32_t version = kApiVersion;
  Error* (*create_state)(ComputeTable*, ComputeContext*, void** state) = nullptr;
  Error* (*compute)(ComputeTable*, void* state, KernelContext*) = nullptr;
  void (*release_state)(ComputeTable*, void* state) = nullptr;
};

struct ProviderTable {
  uint32_t version = kApiVersion;
  const char* (*get_name)(const ProviderTable*) = nullptr;
  Error* (*get_capability)(ProviderTable*, const Graph*, Support*) = nullptr;
  Error* (*compile)(ProviderTable*, const Graph** graphs, const GraphNode** fused_nodes, size_t count,
                    ComputeTable** compute, GraphNode** context_nodes) = nullptr;
  void (*release_compute)(ProviderTable*, ComputeTable**, size_t count) = nullptr;
  void* optional[8] = {};  // data layouts, dynamic options, start and end of runs, allocators, compatibility
  void* reserved[24] = {};
};

struct FactoryTable {
  uint32_t version = kApiVersion;
  const char* (*get_name)(const FactoryTable*) = nullptr;
  const char* (*get_vendor)(const FactoryTable*) = nullptr;
  Error* (*get_supported_devices)(FactoryTable*, const HardwareDevice* const* devices, size_t count,
                                  ProviderDevice** found, size_t capacity, size_t* num_found) = nullptr;
  Error* (*create_provider)(FactoryTable*, const HardwareDevice* const* devices, const TextPairs* const* metadata,
                            size_t count, const Options*, const Logger*, ProviderTable**) = nullptr;
  void (*release_provider)(FactoryTable*, ProviderTable*) = nullptr;
  uint32_t (*get_vendor_id)(const FactoryTable*) = nullptr;
  const char* (*get_version)(const FactoryTable*) = nullptr;
  void* validate_compatibility = nullptr;
  void* create_allocator = nullptr;
  void* release_allocator = nullptr;
  Error* (*create_data_transfer)(FactoryTable*, void** result) = nullptr;
  bool (*is_stream_aware)(const FactoryTable*) = nullptr;
  void* create_stream = nullptr;
  void* reserved[24] = {};
};

}  // namespace nestrt::ort
