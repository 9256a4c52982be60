// SPDX-License-Identifier: Apache-2.0
#include "base/out_of_memory.h"

#include <cstdlib>
#include <exception>
#include <string_view>

#include <unistd.h>

namespace dray {
namespace {

[[noreturn]] void OnTerminate() {
  if (const std::exception_ptr uncaught = std::current_exception()) {
    try {
      std::rethrow_exception(uncaught);
    } catch (const std::bad_alloc&) {
      EndOutOfMemory();
    } catch (...) {
      __gnu_cxx::__verbose_terminate_handler();  // the usual one: names the exception
    }
  }
  std::abort();
}

}  // namespace

void EndOutOfMemory() {
  constexpr std::string_view kLine =
      "dray: out of memory: the process ends. What was answered is stored; start it again\n";
  if (write(STDERR_FILENO, kLine.data(), kLine.size()) < 0) std::abort();
  std::abort();
}

void EndOutOfMemoryWhenUncaught() {
  std::set_terminate(OnTerminate);
}

}  // namespace dray
