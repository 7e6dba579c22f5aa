// SPDX-License-Identifier: Apache-2.0
#include "tools/onnxruntime/abi.h"

namespace nestrt::ort {
namespace {

// An entry of a function table, which converts to the type of the member that it initialises.
struct Entry {
  const void* function;
  template <typename Function>
  operator Function*() const {  // NOLINT: implicit by design
    return reinterpret_cast<Function*>(const_cast<void*>(function));
  }
};

const void* const* provider_table(const void* const* table) {
  const void* const* (*const get)() = Entry{table[317]};
  return get();
}

}  // namespace

Api::Api(const void* const* table)
    : create_status(Entry{table[0]}),
      get_error_message(Entry{table[2]}),
      release_status(Entry{table[93]}),
      get_session_options_config_entries(Entry{table[379]}),
      get_key_value_pairs(Entry{table[298]}),
      release_key_value_pairs(Entry{table[300]}),
      hardware_device_type(Entry{table[307]}),
      logger_log_message(Entry{table[247]}),
      graph_get_num_operator_sets(Entry{table[336]}),
      graph_get_operator_sets(Entry{table[337]}),
      graph_get_num_outputs(Entry{table[340]}),
      graph_get_outputs(Entry{table[341]}),
      graph_get_num_nodes(Entry{table[344]}),
      graph_get_nodes(Entry{table[345]}),
      graph_get_parent_node(Entry{table[346]}),
      node_get_name(Entry{table[349]}),
      node_get_operator_type(Entry{table[350]}),
      node_get_domain(Entry{table[351]}),
      node_get_num_inputs(Entry{table[353]}),
      node_get_inputs(Entry{table[354]}),
      node_get_num_outputs(Entry{table[355]}),
      node_get_outputs(Entry{table[356]}),
      node_get_num_implicit_inputs(Entry{table[357]}),
      node_get_implicit_inputs(Entry{table[358]}),
      node_get_num_attributes(Entry{table[359]}),
      node_get_attributes(Entry{table[360]}),
      node_get_num_subgraphs(Entry{table[365]}),
      node_get_ep_name(Entry{table[368]}),
      op_attr_get_name(Entry{table[364]}),
      op_attr_get_type(Entry{table[363]}),
      op_attr_get_tensor(Entry{table[362]}),
      read_op_attr(Entry{table[272]}),
      get_value_info_name(Entry{table[289]}),
      get_value_info_type_info(Entry{table[290]}),
      value_info_get_initializer_value(Entry{table[326]}),
      value_info_is_constant_initializer(Entry{table[331]}),
      cast_type_info_to_tensor_info(Entry{table[55]}),
      get_tensor_element_type(Entry{table[60]}),
      get_dimensions_count(Entry{table[61]}),
      get_dimensions(Entry{table[62]}),
      get_tensor_type_and_shape(Entry{table[65]}),
      release_tensor_type_and_shape(Entry{table[99]}),
      get_tensor_mutable_data(Entry{table[51]}),
      get_tensor_data(Entry{table[378]}),
      get_tensor_size_in_bytes(Entry{table[318]}),
      release_value(Entry{table[96]}),
      kernel_context_get_input(Entry{table[90]}),
      kernel_context_get_output(Entry{table[91]}),
      create_ep_device(Entry{provider_table(table)[0]}),
      add_nodes_to_fuse(Entry{provider_table(table)[2]}) {}

}  // namespace nestrt::ort
