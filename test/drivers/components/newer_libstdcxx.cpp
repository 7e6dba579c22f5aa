// SPDX-License-Identifier: Apache-2.0
// A library with the name of libstdc++ and a version of its symbols that no system has (newer_libstdcxx.map).
extern "C" __attribute__((visibility("default"))) int nestrt_function_of_newer_libstdcxx() { return 0; }
