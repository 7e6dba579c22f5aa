// SPDX-License-Identifier: Apache-2.0
#include "test/boards/logic/outliving_logic.h"

#include <sys/mman.h>

#include <catch2/catch.hpp>
#include <utility>

#include "test/support/evta/evta_configuration.h"

namespace nestrt::boards {
namespace {

constexpr size_t kBytes = size_t{4} << 20;

std::span<std::byte> map_shared_pages() {
  void* const pages = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(pages != MAP_FAILED);
  return {static_cast<std::byte*>(pages), kBytes};
}

}  // namespace

OutlivingLogic::OutlivingLogic(std::vector<MemoryBank> banks) : pages_(map_shared_pages()), memory_(std::move(banks)) {
  memory_.use_pages(pages_);
  REQUIRE(memory_.allocate(0, kBytes));  // a program may access all of it
  stages_ = std::make_unique<Stages>(Accelerator(evta::test::stock_configuration(), memory_), faults_);
}

OutlivingLogic::~OutlivingLogic() {
  stages_.reset();
  munmap(pages_.data(), pages_.size());
}

uint32_t OutlivingLogic::answer(const BoardRequest& request) {
  if (request.kind == BoardRequest::Kind::kRead) return stages_->read(request.stage, request.offset);
  stages_->write(request.stage, request.offset, request.value);
  return 0;
}

}  // namespace nestrt::boards
