// SPDX-License-Identifier: Apache-2.0
// The entry points that ONNX Runtime calls in libnestrt_onnxruntime, and the factory of execution providers.
#include <memory>

#include "runtime/platform/guard.h"
#include "tools/onnxruntime/abi.h"
#include "tools/onnxruntime/errors.h"
#include "tools/onnxruntime/provider.h"

namespace nestrt::ort {
namespace {

struct Factory : FactoryTable {
  explicit Factory(const void* const* functions);
  Api api;
};

const Api& api_of(FactoryTable* table) { return static_cast<Factory*>(table)->api; }

const char* factory_name(const FactoryTable*) { return "nestrt"; }  // options are "ep.nestrt.*"
const char* factory_vendor(const FactoryTable*) { return "nestrt"; }
uint32_t factory_vendor_id(const FactoryTable*) { return 0; }  // no PCI-SIG vendor ID
const char* factory_version(const FactoryTable*) { return NESTRT_VERSION; }
bool factory_streams(const FactoryTable*) { return false; }

// ONNX Runtime calls this without a null check. A null result means that no data transfer is needed.
Error* no_data_transfer(FactoryTable*, void** result) {
  *result = nullptr;
  return nullptr;
}

// Registers the CPU for all values of the option `units`, because tensors are in the CPU's memory.
Error* find_devices(FactoryTable* table, const HardwareDevice* const* devices, size_t count, ProviderDevice** found,
                    size_t capacity, size_t* num_found) {
  const Api& api = api_of(table);
  *num_found = 0;
  for (size_t i = 0; i < count && *num_found < capacity; ++i) {
    if (api.hardware_device_type(devices[i]) != kCpuDevice) continue;
    if (Error* const error = api.create_ep_device(table, devices[i], nullptr, nullptr, &found[*num_found]))
      return error;
    ++*num_found;
  }
  return nullptr;
}

Error* make_provider(FactoryTable* table, const HardwareDevice* const*, const TextPairs* const*, size_t,
                     const Options* options, const Logger* logger, ProviderTable** result) {
  const Api& api = api_of(table);
  return error_of(api, guarded([&]() -> Status {
                    NESTRT_ASSIGN_OR_RETURN(auto provider, Provider::create(api, options, logger));
                    *result = provider.release()->table();
                    return {};
                  }));
}

void free_provider(FactoryTable*, ProviderTable* provider) { delete Provider::of(provider); }

Factory::Factory(const void* const* functions) : api(functions) {
  get_name = factory_name;
  get_vendor = factory_vendor;
  get_supported_devices = find_devices;
  create_provider = make_provider;
  release_provider = free_provider;
  get_vendor_id = factory_vendor_id;
  get_version = factory_version;
  create_data_transfer = no_data_transfer;
  is_stream_aware = factory_streams;
}

constexpr uint32_t kOldestApiVersion = 1;  // the first function in its table creates errors

Error* too_old(const ApiBase& base) {
  const void* const* const table = base.get_api(kOldestApiVersion);
  if (table == nullptr) return nullptr;
  using CreateStatus = Error* (*)(int, const char*);
  const auto create = reinterpret_cast<CreateStatus>(const_cast<void*>(table[0]));
  return create(kFail, "nestrt: this ONNX Runtime is too old; nestrt needs version 1.23 or newer");
}

}  // namespace
}  // namespace nestrt::ort

extern "C" {

__attribute__((visibility("default"))) nestrt::ort::Error* CreateEpFactories(const char* /*registered_name*/,
                                                                             const nestrt::ort::ApiBase* base,
                                                                             const nestrt::ort::Logger* /*logger*/,
                                                                             nestrt::ort::FactoryTable** factories,
                                                                             size_t capacity, size_t* count) {
  using namespace nestrt::ort;  // NOLINT: within one function
  const void* const* const table = base->get_api(kApiVersion);
  if (table == nullptr) return too_old(*base);
  const Api api(table);
  if (capacity < 1)
    return api.create_status(kInvalidArgument, "nestrt: CreateEpFactories() needs a capacity of at least 1, got 0");
  return error_of(api, nestrt::guarded([&]() -> nestrt::Status {
                    factories[0] = std::make_unique<Factory>(table).release();
                    *count = 1;
                    return {};
                  }));
}

__attribute__((visibility("default"))) nestrt::ort::Error* ReleaseEpFactory(nestrt::ort::FactoryTable* factory) {
  delete static_cast<nestrt::ort::Factory*>(factory);
  return nullptr;
}
}
