// SPDX-License-Identifier: Apache-2.0
#include "bench/store/watchers.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/bounded_queue.h"
#include "base/check.h"
#include "base/strong.h"
#include "base/world.h"
#include "bench/samples.h"
#include "bench/store/figures.h"
#include "server/verbs/watches/watch_cursor.h"
#include "server/verbs/watches/watch_hub.h"
#include "store/memory_store.h"
#include "store/snapshot.h"
#include "store/store.h"

namespace dray::bench {
namespace {

constexpr size_t kWatchers = 10'000;
constexpr int kEvents = 20;

/// A watch and its position. Advance continues to read and returns whether there was an event.
struct Cursor {
  Revision at{};
  bool Advance(const store::Store& store) {
    const auto batch = store.EventsAfter(at, "/registry/resourceclaims/", 64);
    DRAY_CHECK(batch.has_value());
    at = batch->through;
    return !batch->events.empty();
  }
};

std::vector<Cursor> CursorsOn(const store::Store& store) {
  return std::vector<Cursor>(kWatchers, Cursor{.at = store.Read()->revision()});
}

/// One thread polls all cursors.
double ToCursors(store::MemoryStore& store, std::vector<Cursor>& cursors, uint64_t number) {
  const MonotonicTime begin = Now();
  DRAY_CHECK(store.CommitAndWait(PutOf(number, "value")).has_value());
  size_t caught = 0;
  for (Cursor& cursor : cursors) caught += cursor.Advance(store) ? 1 : 0;
  DRAY_CHECK(caught == kWatchers);
  return MillisecondsSince(begin);
}

Samples ToHub(store::MemoryStore& store) {
  std::vector<Cursor> cursors = CursorsOn(store);
  server::verbs::WatchHub hub(store);
  BoundedQueue<size_t> woken(kWatchers);
  std::vector<server::verbs::WatchHub::Registration> registrations;
  registrations.reserve(kWatchers);
  for (size_t i = 0; i < kWatchers; ++i) {
    // Each cursor has a watcher of its own, the most work for a hub.
    auto watcher = server::verbs::WakeableOf([&woken, i] { DRAY_CHECK(woken.TryPush(i)); });
    registrations.push_back(hub.Add("/registry/resourceclaims/", std::move(watcher)).value());
  }
  std::atomic<size_t> caught{0};
  const std::jthread reactor([&] {
    while (const auto i = woken.Pop()) {
      if (cursors[*i].Advance(store) && caught.fetch_add(1) + 1 == kWatchers) caught.notify_one();
    }
  });
  Samples milliseconds;
  for (int i = 0; i < kEvents; ++i) {
    caught = 0;
    const MonotonicTime begin = Now();
    DRAY_CHECK(store.CommitAndWait(PutOf(static_cast<uint64_t>(i), "value")).has_value());
    for (size_t now = caught; now < kWatchers; now = caught) caught.wait(now);
    milliseconds.Add(MillisecondsSince(begin));
  }
  woken.Close();
  return milliseconds;
}

}  // namespace

void MeasureWatchers() {
  store::MemoryStore store;
  std::vector<Cursor> cursors = CursorsOn(store);
  Samples direct;
  for (int i = 0; i < kEvents; ++i) direct.Add(ToCursors(store, cursors, static_cast<uint64_t>(i)));
  const Samples hub = ToHub(store);
  fmt::print("one event to {} watchers: {} as cursors {}, {} through the hub {}\n",
             kWatchers,
             direct.Median("ms"),
             Against(direct.median() <= 20, "20 ms"),
             hub.Median("ms"),
             Against(hub.median() <= 20, "20 ms"));
}

}  // namespace dray::bench
