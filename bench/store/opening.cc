// SPDX-License-Identifier: Apache-2.0
#include "bench/store/opening.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "base/check.h"
#include "base/result.h"
#include "base/simulated_world.h"
#include "base/world.h"
#include "bench/samples.h"
#include "bench/store/figures.h"
#include "store/record.h"
#include "store/snapshot.h"
#include "store/sqlite/sqlite_store.h"
#include "store/store.h"

namespace dray::bench {
namespace {

constexpr uint64_t kRevisions = 1'000'000;
constexpr int kLists = 20;

/// Commits without waiting for each, but with no more in flight than the store's queue takes.
class Writer {
 public:
  explicit Writer(store::Store& store) : store_(store) {}
  ~Writer() { AwaitFewer(1); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void Put(uint64_t key, const std::string& value) {
    AwaitFewer(2'000);
    in_flight_.fetch_add(1);
    store_.Commit(PutOf(key, value), [this](const Result<store::CommitOutcome>& outcome) {
      DRAY_CHECK(outcome.has_value());
      in_flight_.fetch_sub(1);
      in_flight_.notify_one();
    });
  }

 private:
  void AwaitFewer(int64_t than) {
    for (int64_t now = in_flight_; now >= than; now = in_flight_) in_flight_.wait(now);
  }

  store::Store& store_;
  std::atomic<int64_t> in_flight_{0};
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

void MeasureLists(const store::Store& store) {
  Samples milliseconds;
  for (int i = 0; i < kLists; ++i) {
    const MonotonicTime begin = Now();
    size_t bytes = 0;
    size_t keys = 0;
    for (const store::Record& record : store.Read()->Range({.prefix = "/registry/"})) {
      bytes += record.value->bytes().size();
      ++keys;
    }
    milliseconds.Add(MillisecondsSince(begin));
    DRAY_CHECK(keys == kKeys && bytes == kKeys * kValueBytes);
  }
  fmt::print("list of {} keys: {} {}\n",
             kKeys,
             milliseconds.Median("ms"),
             Against(milliseconds.median() <= 20, "20 ms"));
}

}  // namespace

void MeasureOpeningAndLists(const std::string& folder) {
  const std::string own = folder + "/opening";
  const MonotonicTime begin = Now();
  Fill(own);
  fmt::print(
      "{} revisions of {} B written in {:.0f} s\n", kRevisions, kValueBytes, SecondsSince(begin));
  Samples seconds;
  std::unique_ptr<store::sqlite::SqliteStore> store;
  for (int i = 0; i < 5; ++i) {
    store.reset();
    const MonotonicTime opening = Now();
    store = store::sqlite::SqliteStore::Open(own).value();
    seconds.Add(SecondsSince(opening));
    DRAY_CHECK(store->Read()->size() == kKeys);
  }
  fmt::print("open with {} live keys: {} {}\n",
             kKeys,
             seconds.Median("s", 2),
             Against(seconds.median() <= 1, "1 s"));
  MeasureLists(*store);
}

}  // namespace dray::bench
