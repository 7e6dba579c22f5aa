// SPDX-License-Identifier: Apache-2.0
#include "nestrt/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <memory>

#include "nestrt/driver/mutex.h"
#include "runtime/platform/guard.h"
#include "runtime/text/escaped.h"

namespace nestrt {
namespace {

std::atomic<LogLevel> g_level{LogLevel::kWarning};

struct Hook {
  Mutex mutex;
  std::shared_ptr<const LogHook> hook NESTRT_GUARDED_BY(mutex);
};

Hook& installed() {
  static Hook* const hook = new Hook;  // never destroyed: threads may log during process exit
  return *hook;
}

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
    case LogLevel::kOff:
      return spdlog::level::off;
  }
  return spdlog::level::off;
}

spdlog::logger& default_logger() {
  static spdlog::logger* const logger = [] {
    auto made = std::make_unique<spdlog::logger>("nestrt", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_level(spdlog::level::trace);
    made->set_pattern("[nestrt] %l: %v");
    return made.release();
  }();
  return *logger;
}

void deliver(LogLevel level, std::string_view message) {
  std::shared_ptr<const LogHook> hook;
  {
    Hook& source = installed();
    const MutexLock lock(source.mutex);
    hook = source.hook;
  }
  if (hook) {
    (*hook)(level, message);
  } else {
    const std::string shown = escaped(message);  // names in messages may come from files
    default_logger().log(spdlog_level(level), spdlog::string_view_t(shown.data(), shown.size()));
  }
}

}  // namespace

void set_log_level(LogLevel level) { g_level.store(level, std::memory_order_relaxed); }

void set_log_hook(LogHook hook) {
  Hook& target = installed();
  const MutexLock lock(target.mutex);
  target.hook = hook ? std::make_shared<const LogHook>(std::move(hook)) : nullptr;
}

void log(LogLevel level, std::string_view message) {
  if (level < g_level.load(std::memory_order_relaxed) || level == LogLevel::kOff) return;
  attempt([&] { deliver(level, message); });
}

}  // namespace nestrt
