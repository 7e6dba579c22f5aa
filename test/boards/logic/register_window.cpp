// SPDX-License-Identifier: Apache-2.0
#include "test/boards/logic/register_window.h"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <cstring>
#include <list>
#include <mutex>
#include <optional>

namespace nestrt::boards {
namespace {

struct Window {
  uintptr_t begin, end;
  RegisterAccess access;
};

std::mutex g_mutex;
std::list<Window> g_windows;  // newest first: unmapped pages may be reused
struct sigaction g_before;

// A load or store of a 32-bit word between memory and a processor register, or a store of a constant.
struct Instruction {
  bool is_store;
  int number;  // number of the register
  size_t size;
  std::optional<uint32_t> constant = {};
};

#if defined(__x86_64__)

// Registers in the order of the processor's numbering.
constexpr int kRegisters[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                              REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

uintptr_t place_of(const ucontext_t& context) { return static_cast<uintptr_t>(context.uc_mcontext.gregs[REG_RIP]); }

// Decodes mov r32, [...], mov [...], r32 and mov [...], imm32 (opcodes 8b, 89 and c7).
std::optional<Instruction> decode(const uint8_t* code) {
  const uint8_t* at = code;
  const uint8_t prefix = (*at & 0xf0) == 0x40 ? *at++ : 0;
  const uint8_t opcode = *at++;
  if (opcode != 0x8b && opcode != 0x89 && opcode != 0xc7) return std::nullopt;
  const uint8_t mode = *at++;
  const bool has_index = (mode & 7) == 4;
  const bool has_long_base = mode >> 6 == 0 && (has_index ? (*at & 7) == 5 : (mode & 7) == 5);
  at += has_index ? 1 : 0;
  at += mode >> 6 == 1 ? 1 : (mode >> 6 == 2 || has_long_base ? 4 : 0);
  if (opcode == 0xc7) {
    uint32_t constant = 0;
    std::memcpy(&constant, at, sizeof(constant));
    return Instruction{true, 0, static_cast<size_t>(at - code) + sizeof(constant), constant};
  }
  return Instruction{opcode == 0x89, (mode >> 3 & 7) | (prefix & 4) << 1, static_cast<size_t>(at - code)};
}

uint32_t value_of(const ucontext_t& context, int number) {
  return static_cast<uint32_t>(context.uc_mcontext.gregs[kRegisters[number]]);
}
void set_value(ucontext_t& context, int number, uint32_t value) {
  context.uc_mcontext.gregs[kRegisters[number]] = value;
}
void skip(ucontext_t& context, size_t size) { context.uc_mcontext.gregs[REG_RIP] += static_cast<greg_t>(size); }

#else

constexpr int kZeroRegister = 31;

uintptr_t place_of(const ucontext_t& context) { return context.uc_mcontext.pc; }

// Decodes ldr and str of a w register, with an offset or an index.
std::optional<Instruction> decode(const uint8_t* code) {
  uint32_t word = 0;
  std::memcpy(&word, code, sizeof(word));
  const bool is_offset = (word & 0xff800000) == 0xb9000000;
  const bool is_index = (word & 0xffa00c00) == 0xb8200800;
  if (!is_offset && !is_index) return std::nullopt;
  return Instruction{(word & 0x00400000) == 0, static_cast<int>(word & 31), sizeof(word)};
}

uint32_t value_of(const ucontext_t& context, int number) {
  return number == kZeroRegister ? 0 : static_cast<uint32_t>(context.uc_mcontext.regs[number]);
}
void set_value(ucontext_t& context, int number, uint32_t value) {
  if (number != kZeroRegister) context.uc_mcontext.regs[number] = value;
}
void skip(ucontext_t& context, size_t size) { context.uc_mcontext.pc += size; }

#endif

const Window* find_window(uintptr_t address) {
  const std::lock_guard lock(g_mutex);
  for (const Window& window : g_windows)
    if (address >= window.begin && address < window.end) return &window;
  return nullptr;
}

bool answer(uintptr_t address, ucontext_t& context) {
  const Window* const window = find_window(address);
  if (window == nullptr) return false;
  const std::optional<Instruction> instruction = decode(reinterpret_cast<const uint8_t*>(place_of(context)));
  if (!instruction) return false;
  const auto offset = static_cast<uint32_t>(address - window->begin);
  if (instruction->is_store)
    window->access.write(offset, instruction->constant.value_or(value_of(context, instruction->number)));
  else
    set_value(context, instruction->number, window->access.read(offset));
  skip(context, instruction->size);
  return true;
}

void handle(int, siginfo_t* info, void* context) {
  if (answer(reinterpret_cast<uintptr_t>(info->si_addr), *static_cast<ucontext_t*>(context))) return;
  sigaction(SIGSEGV, &g_before, nullptr);  // restores the previous handler for other faults
}

// Reinstalls for each window, because Catch2 installs its own handler for each test.
void install_handler() {
  struct sigaction action {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  struct sigaction before;
  sigaction(SIGSEGV, &action, &before);
  if (before.sa_sigaction != handle) g_before = before;
}

}  // namespace

void* map_register_window(size_t size, RegisterAccess access) {
  void* const pages = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  const std::lock_guard lock(g_mutex);
  install_handler();
  const auto begin = reinterpret_cast<uintptr_t>(pages);
  g_windows.push_front({begin, begin + size, std::move(access)});
  return pages;
}

}  // namespace nestrt::boards
