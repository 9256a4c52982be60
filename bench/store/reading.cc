// SPDX-License-Identifier: Apache-2.0
#include "bench/store/reading.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <malloc.h>

#include "base/bounded_queue.h"
#include "base/check.h"
#include "base/simulated_world.h"
#include "base/strong.h"
#include "base/world.h"
#include "bench/store/figures.h"
#include "server/verbs/watch_hub.h"
#include "store/memory_store.h"
#include "store/record.h"
#include "store/snapshot.h"
#include "store/sqlite/sqlite_store.h"
#include "store/store.h"

namespace dray::bench {
namespace {

constexpr uint64_t kKeys = 100'000;
constexpr uint64_t kRevisions = 1'000'000;
constexpr size_t kValueBytes = 1'024;
constexpr size_t kWatchers = 10'000;
constexpr int kRepetitions = 20;

store::Txn PutOf(uint64_t key, const std::string& value) {
  store::Txn txn;
  txn.operations.emplace_back(store::Put{.key = KeyOf(key), .value = store::MakeBytes(value)});
  return txn;
}

/// Commits without waiting for each, but for never more than the store's queue takes.
class Writer {
 public:
  explicit Writer(store::Store& store) : store_(store) {}
  ~Writer() { AwaitFewer(1); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void Put(uint64_t key, const std::string& value) {
    AwaitFewer(2'000);
    under_way_.fetch_add(1);
    store_.Commit(PutOf(key, value), [this](const Result<store::CommitOutcome>& outcome) {
      DRAY_CHECK(outcome.has_value());
      under_way_.fetch_sub(1);
      under_way_.notify_one();
    });
  }

 private:
  void AwaitFewer(int64_t than) {
    for (int64_t now = under_way_; now >= than; now = under_way_) under_way_.wait(now);
  }

  store::Store& store_;
  std::atomic<int64_t> under_way_{0};
};

void Fill(const std::string& folder) {
  const auto store = store::sqlite::SqliteStore::Open(folder).value();
  Writer writer(*store);
  SeededRandom random(1);
  std::string value(kValueBytes, 'v');
  for (uint64_t i = 0; i < kRevisions; ++i) {
    value.replace(0, 8, fmt::format("{:08}", i));
    writer.Put(i < kKeys ? i : random.Next() % kKeys, value);
  }
}

double MillisecondsSince(MonotonicTime begin) {
  return SecondsSince(begin) * 1'000;
}

void MeasureLists(const store::Store& store) {
  std::vector<double> milliseconds;
  for (int i = 0; i < kRepetitions; ++i) {
    const MonotonicTime begin = Now();
    size_t bytes = 0;
    size_t keys = 0;
    for (const store::Record& record : store.Read()->Range({.prefix = "/registry/"})) {
      bytes += record.value->bytes().size();
      ++keys;
    }
    milliseconds.push_back(MillisecondsSince(begin));
    DRAY_CHECK(keys == kKeys && bytes == kKeys * kValueBytes);
  }
  const double median = MedianOf(milliseconds);
  fmt::print("list of {} keys: {:.1f} ms {}\n", kKeys, median, Against(median <= 20, "20 ms"));
}

/// A watch: where it is, and whether it has what it waits for.
struct Cursor {
  Revision at{};
  bool Catch(const store::Store& store) {
    const auto batch = store.EventsAfter(at, "/registry/resourceclaims/", 64);
    DRAY_CHECK(batch.has_value());
    at = batch->through;
    return !batch->events.empty();
  }
};

std::vector<Cursor> CursorsOn(const store::Store& store) {
  return std::vector<Cursor>(kWatchers, Cursor{.at = store.Read()->revision()});
}

/// One thread that asks for all.
double ToCursors(store::MemoryStore& store, std::vector<Cursor>& cursors, uint64_t number) {
  const MonotonicTime begin = Now();
  DRAY_CHECK(store.CommitAndWait(PutOf(number, "value")).has_value());
  size_t caught = 0;
  for (Cursor& cursor : cursors) caught += cursor.Catch(store) ? 1 : 0;
  DRAY_CHECK(caught == kWatchers);
  return MillisecondsSince(begin);
}

double MedianToHub(store::MemoryStore& store) {
  std::vector<Cursor> cursors = CursorsOn(store);
  server::verbs::WatchHub hub(store);
  BoundedQueue<size_t> woken(kWatchers);
  std::vector<server::verbs::WatchHub::Registration> registrations;
  for (size_t i = 0; i < kWatchers; ++i) {
    registrations.push_back(
        hub.Add("/registry/resourceclaims/", [&woken, i] { DRAY_CHECK(woken.TryPush(i)); })
            .value());
  }
  std::atomic<size_t> caught{0};
  std::jthread reactor([&] {
    while (const auto i = woken.Pop()) {
      if (cursors[*i].Catch(store) && caught.fetch_add(1) + 1 == kWatchers) caught.notify_one();
    }
  });
  std::vector<double> milliseconds;
  for (int i = 0; i < kRepetitions; ++i) {
    caught = 0;
    const MonotonicTime begin = Now();
    DRAY_CHECK(store.CommitAndWait(PutOf(static_cast<uint64_t>(i), "value")).has_value());
    for (size_t now = caught; now < kWatchers; now = caught) caught.wait(now);
    milliseconds.push_back(MillisecondsSince(begin));
  }
  woken.Close();
  return MedianOf(milliseconds);
}

/// Bytes in use, those of big blocks included.
size_t BytesInUse() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

}  // namespace

void MeasureOpeningAndLists(const std::string& folder) {
  const std::string own = folder + "/opening";
  const MonotonicTime begin = Now();
  Fill(own);
  fmt::print(
      "{} revisions of {} B written in {:.0f} s\n", kRevisions, kValueBytes, SecondsSince(begin));
  std::vector<double> seconds;
  std::unique_ptr<store::sqlite::SqliteStore> store;
  for (int i = 0; i < 5; ++i) {
    store.reset();
    const MonotonicTime opening = Now();
    store = store::sqlite::SqliteStore::Open(own).value();
    seconds.push_back(SecondsSince(opening));
    DRAY_CHECK(store->Read()->size() == kKeys);
  }
  const double median = MedianOf(seconds);
  fmt::print("open with {} live keys: {:.2f} s {}\n", kKeys, median, Against(median <= 1, "1 s"));
  MeasureLists(*store);
}

void MeasureWatchers() {
  store::MemoryStore store;
  std::vector<Cursor> cursors = CursorsOn(store);
  std::vector<double> milliseconds;
  for (int i = 0; i < kRepetitions; ++i)
    milliseconds.push_back(ToCursors(store, cursors, static_cast<uint64_t>(i)));
  const double direct = MedianOf(milliseconds);
  const double hub = MedianToHub(store);
  fmt::print("one event to {} watchers: {:.1f} ms as cursors {}, {:.1f} ms through the hub {}\n",
             kWatchers,
             direct,
             Against(direct <= 20, "20 ms"),
             hub,
             Against(hub <= 20, "20 ms"));
}

void MeasureMemory() {
  const size_t before = BytesInUse();
  store::Options limits;
  limits.events_max = 1;
  store::MemoryStore store(limits);
  std::vector<uint64_t> order;
  for (uint64_t i = 0; i < kKeys; ++i) order.push_back(i);
  SeededRandom random(1);
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.Next() % i]);
  const size_t orders = order.capacity() * sizeof(uint64_t);
  const std::string value(kValueBytes, 'v');
  for (const uint64_t key : order) DRAY_CHECK(store.CommitAndWait(PutOf(key, value)).has_value());
  const double each = static_cast<double>(BytesInUse() - before - orders) / kKeys;
  const double more = each - static_cast<double>(kValueBytes);
  fmt::print("memory of a live key: its value and {:.0f} B, of which {} are the key {}\n",
             more,
             KeyOf(1).size(),
             Against(more <= 200, "200 B"));
}

}  // namespace dray::bench
