// SPDX-License-Identifier: Apache-2.0
#include "drivers/cpu/cpu_unit.h"

#include "drivers/cpu/kernel_program.h"
#include "kernels/common/simd/simd.h"
#include "runtime/core/host.h"
#include "scheduler/thread_pool/thread_pool.h"

namespace nestrt::drivers {
namespace {

class CpuUnit final : public Unit, public Host {
 public:
  explicit CpuUnit(std::shared_ptr<scheduler::ThreadPool> pool) : pool_(std::move(pool)) {
    info_.kind = "cpu";
    info_.name = "cpu";
    info_.configuration = name(kernels::current_instruction_set());
    info_.num_threads = pool_->num_threads();
    info_.is_host = true;
  }

  const UnitInfo& info() const override { return info_; }

  Result<std::unique_ptr<Executable>> prepare(const BranchSpec& branch) override {
    NESTRT_ASSIGN_OR_RETURN(std::unique_ptr<Executable> program, KernelProgram::prepare(branch, pool_, kernels_));
    return program;
  }

  std::vector<KernelOption> kernel_options(const BranchSpec& branch) override {
    return KernelProgram::options(branch, pool_);
  }

  Host* host() override { return this; }
  bool run_lanes(int lanes, FunctionRef<void(int)> lane) override { return pool_->run_lanes(lanes, lane); }
  ParallelRunner& threads() override { return *pool_; }

 private:
  std::shared_ptr<scheduler::ThreadPool> pool_;
  SharedKernels kernels_;
  UnitInfo info_;
};

}  // namespace

Result<std::shared_ptr<Unit>> open_cpu_unit(const UnitOptions& options) {
  scheduler::ThreadPoolOptions pool_options;
  pool_options.num_threads = options.num_threads;
  NESTRT_ASSIGN_OR_RETURN(std::shared_ptr<scheduler::ThreadPool> pool, scheduler::ThreadPool::create(pool_options));
  return std::shared_ptr<Unit>(std::make_shared<CpuUnit>(std::move(pool)));
}

}  // namespace nestrt::drivers
