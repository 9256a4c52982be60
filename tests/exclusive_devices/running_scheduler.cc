// SPDX-License-Identifier: Apache-2.0
#include "tests/exclusive_devices/running_scheduler.h"

#include <chrono>

#include "base/log.h"
#include "dray/selector.h"

namespace dray::exclusive_devices {
namespace {

using std::chrono::milliseconds;

constexpr int kBinders = 2;

}  // namespace

RunningScheduler::RunningScheduler(client::Client& client, World& world)
    : scheduler_(client,
                 world,
                 Log::Silent(),
                 {.configuration = {.queue = {.backoff_initial = milliseconds(10),
                                              .backoff_max = milliseconds(50)}},
                  .selectors = allocator::SelectorCacheFor({}, 100),
                  .bindings_max = 4,
                  .ask_again = milliseconds(20)}) {
  threads_.emplace_back([this] { scheduler_.Run(); });
  for (int i = 0; i < kBinders; ++i) threads_.emplace_back([this] { scheduler_.RunBinder(); });
}

}  // namespace dray::exclusive_devices
