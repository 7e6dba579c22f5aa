// SPDX-License-Identifier: Apache-2.0
// A plugin of qemu-user that counts the instructions of a program, for script/bench/instructions. Declares the part of
// QEMU's plugin interface (version 1) that it uses, because Debian has no package with its header.
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, struct qemu_plugin_tb*));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb*, int op, void* ptr, uint64_t imm);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb*);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, void*), void*);
void qemu_plugin_outs(const char*);
__attribute__((visibility("default"))) int qemu_plugin_version = 1;
static uint64_t count;
static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb* tb) {
  qemu_plugin_register_vcpu_tb_exec_inline(tb, 0, &count, qemu_plugin_tb_n_insns(tb));
}
static void finished(qemu_plugin_id_t id, void* p) {
  char text[64];
  snprintf(text, sizeof text, "instructions %" PRIu64 "\n", count);
  qemu_plugin_outs(text);
}
__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t id, const void* info, int argc,
                                                               char** argv) {
  qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
  qemu_plugin_register_atexit_cb(id, finished, 0);
  return 0;
}
