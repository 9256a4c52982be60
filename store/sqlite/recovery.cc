// SPDX-License-Identifier: Apache-2.0
// Two passes over parts of the log: the recent rows without their values say where history begins
// and which older records it needs; then one walk from the oldest record needed to the end makes
// all records. Rows between are stepped over, or jumped over when there are many. A row counts as
// found only under the key that needs it, so this code detects a table `live` or a link that
// disagrees with the log, and every record with a wrong checksum.
#include "store/sqlite/recovery.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/frozen.h"
#include "base/result.h"
#include "base/strong.h"
#include "base/try.h"
#include "store/event_ring.h"
#include "store/record.h"
#include "store/snapshot.h"
#include "store/sqlite/database.h"
#include "store/sqlite/log_row.h"
#include "store/sqlite/options.h"
#include "store/sqlite/schema.h"
#include "store/store.h"
#include "store/tree.h"

namespace dray::store::sqlite {
namespace {

/// Rows to step over before a seek to the next row is cheaper.
constexpr int64_t kStepsBeforeSeek = 24;

/// The last revision before the newest `events_max` events and `bytes_max` bytes of history.
Result<Revision> WindowBegin(Database& database,
                             Revision floor,
                             size_t events_max,
                             size_t bytes_max) {
  DRAY_TRY(Statement rows,
           database.Prepare("SELECT position, length(key) + ifnull(length(value), 0) FROM log "
                            "WHERE position > ?1 ORDER BY position DESC"));
  rows.Bind(1, LastPosition(floor));
  size_t events = 0;
  size_t bytes = 0;
  while (true) {
    DRAY_TRY(const bool found, rows.Step());
    if (!found) return floor;
    bytes += static_cast<size_t>(rows.Number(1)) + EventRing::kEventOverheadBytes +
             EventRing::kEndedOverheadBytes;
    if (++events <= events_max && bytes <= bytes_max) continue;
    const Revision revision{rows.Number(0) >> kOrdinalBits};
    rows.Reset();
    return revision;
  }
}

/// A record that must be found in the log, and its destination.
struct Need {
  Revision revision{};
  std::string_view key;
  size_t slot = 0;  // in the list of live records, or kPrevious

  static constexpr size_t kPrevious = std::numeric_limits<size_t>::max();
};

/// Makes the records while it walks over the log.
class Reader {
 public:
  Reader(Database& database, const Options& options, std::vector<LiveKey> live, Revision floor)
      : database_(database), options_(options), live_(std::move(live)), floor_(floor) {
    records_.resize(live_.size());
  }

  Result<> ReadAll() {
    DRAY_TRY_VOID(CollectNeeds());
    DRAY_TRY_VOID(ReadNeeded());
    DRAY_TRY_VOID(ReadEvents());
    const auto missing = std::ranges::find_if(
        records_, [](const Frozen<Record>& record) { return record == nullptr; });
    if (missing == records_.end()) return {};
    return Missing(live_[static_cast<size_t>(missing - records_.begin())]);
  }

  std::vector<Frozen<Record>> TakeRecords() { return std::move(records_); }
  std::vector<Frozen<Event>> TakeEvents() { return std::move(events_); }

 private:
  Failure Missing(const LiveKey& lost) const {
    return Fail(Corrupt(
        database_.file(),
        fmt::format(
            "the record of {} at revision {} is not in the log", lost.key, lost.revision.value())));
  }

  /// Collects live records up to the floor, and records that later events replaced.
  Result<> CollectNeeds() {
    for (size_t i = 0; i < live_.size(); ++i) {
      if (live_[i].revision > floor_) continue;
      needs_.push_back({.revision = live_[i].revision, .key = live_[i].key, .slot = i});
    }
    DRAY_TRY(Statement rows,
             database_.Prepare("SELECT key, replaced FROM log WHERE position > ?1"));
    rows.Bind(1, LastPosition(floor_));
    while (true) {
      DRAY_TRY(const bool found, rows.Step());
      if (!found) break;
      const Revision replaced{rows.Number(1)};
      if (replaced == kAbsent || replaced > floor_) continue;
      const auto key = replaced_keys_.emplace(rows.Bytes(0), replaced).first;
      needs_.push_back({.revision = replaced, .key = key->first, .slot = Need::kPrevious});
    }
    std::ranges::sort(needs_, [](const Need& a, const Need& b) {
      return std::pair(a.revision, a.key) < std::pair(b.revision, b.key);
    });
    return {};
  }

  Result<> ReadNeeded() {
    DRAY_TRY(
        Statement rows,
        database_.Prepare(fmt::format("SELECT {} FROM log WHERE position >= ?1", kRowColumns)));
    int64_t skipped = kStepsBeforeSeek;
    for (size_t next = 0; next < needs_.size();) {
      const Revision revision = needs_[next].revision;
      if (skipped >= kStepsBeforeSeek) {
        rows.Reset();
        rows.Bind(1, FirstPosition(revision));
        skipped = 0;
      }
      DRAY_TRY(const bool found, rows.Step());
      if (!found || rows.Number(0) > LastPosition(revision)) {
        return Missing({std::string(needs_[next].key), revision});
      }
      if (rows.Number(0) < FirstPosition(revision)) {
        ++skipped;
        continue;
      }
      DRAY_TRY(const bool taken, TakeIfNeeded(rows, next));
      if (taken) skipped = 0;
      while (next < needs_.size() && needs_[next].slot == kTaken) ++next;
    }
    return {};
  }

  /// Makes the record of the row if one of the needs of its revision, from `next` on, is for it.
  Result<bool> TakeIfNeeded(const Statement& rows, size_t next) {
    const std::string_view key = rows.Bytes(1);
    const Revision revision = needs_[next].revision;
    for (size_t i = next; i < needs_.size() && needs_[i].revision == revision; ++i) {
      if (needs_[i].slot == kTaken || needs_[i].key != key) continue;
      DRAY_TRY(const LogRow row, ReadRow(rows, database_.file()));
      DRAY_TRY(Frozen<Record> record, RecordOf(row));
      if (needs_[i].slot == Need::kPrevious) {
        current_.emplace(record->key(), record);
      } else {
        records_[needs_[i].slot] = std::move(record);
      }
      needs_[i].slot = kTaken;
      return true;
    }
    return false;
  }

  Result<Frozen<Record>> RecordOf(const LogRow& row) const {
    Frozen<Value> value =
        row.value.has_value() ? options_.read_value(row.key, *row.value) : nullptr;
    if (value == nullptr) {
      return Fail(Corrupt(
          database_.file(),
          fmt::format(
              "the value of {} at revision {} cannot be read", row.key, row.revision().value())));
    }
    return MakeRecord({.key = row.key,
                       .value = std::move(value),
                       .created = row.created,
                       .modified = row.revision(),
                       .version = row.version,
                       .expiry = row.expiry});
  }

  Result<> ReadEvents() {
    DRAY_TRY(Statement rows,
             database_.Prepare(fmt::format("SELECT {} FROM log WHERE position > ?1", kRowColumns)));
    rows.Bind(1, LastPosition(floor_));
    Revision last = floor_;
    while (true) {
      DRAY_TRY(const bool found, rows.Step());
      if (!found) return {};
      DRAY_TRY(const LogRow row, ReadRow(rows, database_.file()));
      if (row.revision() != last && row.revision().value() != last.value() + 1) {
        return Fail(Corrupt(database_.file(),
                            fmt::format("revision {} is not in the log", last.value() + 1)));
      }
      last = row.revision();
      DRAY_TRY_VOID(AddEvent(row));
    }
  }

  Result<> AddEvent(const LogRow& row) {
    const auto before = current_.find(row.key);
    Frozen<Record> previous = before == current_.end() ? nullptr : before->second;
    const Revision replaced = previous == nullptr ? kAbsent : previous->modified;
    if (replaced != row.replaced || (previous == nullptr && !row.value.has_value())) {
      return Fail(Corrupt(database_.file(),
                          fmt::format("the record of {} at revision {} does not continue the one "
                                      "before it",
                                      row.key,
                                      row.revision().value())));
    }
    if (before != current_.end()) current_.erase(before);
    if (!row.value.has_value()) {
      RecordFields fields = previous->fields();
      fields.modified = row.revision();
      return Add(Event::Type::kDelete, MakeRecord(std::move(fields)), std::move(previous));
    }
    DRAY_TRY(const Frozen<Record> record, RecordOf(row));
    current_.emplace(record->key(), record);
    const auto live = std::ranges::lower_bound(live_, row.key, {}, &LiveKey::key);
    if (live != live_.end() && live->key == row.key && live->revision == row.revision()) {
      records_[static_cast<size_t>(live - live_.begin())] = record;
    }
    return Add(Event::Type::kPut, record, std::move(previous));
  }

  Result<> Add(Event::Type type, Frozen<Record> record, Frozen<Record> previous) {
    events_.push_back(std::make_shared<const Event>(
        Event{.type = type, .record = std::move(record), .previous = std::move(previous)}));
    return {};
  }

  static constexpr size_t kTaken = Need::kPrevious - 1;

  Database& database_;
  const Options& options_;
  const std::vector<LiveKey> live_;
  const Revision floor_;
  std::vector<Frozen<Record>> records_;  // of live_
  std::vector<Frozen<Event>> events_;
  std::map<std::string, Revision, std::less<>> replaced_keys_;
  std::vector<Need> needs_;
  // The current record of each key of an event, at the place of the walk; the record owns the key.
  std::map<std::string_view, Frozen<Record>> current_;
};

}  // namespace

Result<Unfolded> ReadUnfolded(Database& database, Revision folded) {
  DRAY_TRY(Statement rows,
           database.Prepare("SELECT position, key, value IS NULL FROM log WHERE position > ?1"));
  rows.Bind(1, LastPosition(folded));
  Unfolded unfolded;
  while (true) {
    DRAY_TRY(const bool found, rows.Step());
    if (!found) return unfolded;
    const bool is_deletion = rows.Number(2) != 0;
    unfolded.insert_or_assign(std::string(rows.Bytes(1)),
                              is_deletion ? kAbsent : Revision{rows.Number(0) >> kOrdinalBits});
  }
}

Result<std::vector<LiveKey>> ReadLive(Database& database, const Unfolded& unfolded) {
  DRAY_TRY(Statement rows, database.Prepare("SELECT key, revision FROM live ORDER BY key"));
  std::vector<LiveKey> live;
  auto change = unfolded.begin();
  const auto add_changed = [&] {
    if (change->second != kAbsent) live.push_back({change->first, change->second});
    ++change;
  };
  while (true) {
    DRAY_TRY(const bool found, rows.Step());
    if (!found) break;
    const std::string_view key = rows.Bytes(0);
    while (change != unfolded.end() && change->first < key) add_changed();
    if (change != unfolded.end() && change->first == key) {
      add_changed();
    } else {
      live.push_back({std::string(key), Revision{rows.Number(1)}});
    }
  }
  while (change != unfolded.end()) add_changed();
  const auto unordered = std::ranges::adjacent_find(
      live, [](const LiveKey& a, const LiveKey& b) { return a.key >= b.key; });
  if (unordered == live.end()) return live;
  return Fail(
      Corrupt(database.file(),
              fmt::format("its table of live keys is out of order after {}", unordered->key)));
}

Result<Revision> ReadNewest(Database& database, const Meta& meta) {
  DRAY_TRY(const int64_t last, database.QueryNumber("SELECT max(position) FROM log"));
  return std::max(meta.floor, Revision{last >> kOrdinalBits});
}

Result<Recovered> Recover(Database& database,
                          const Options& options,
                          const SqliteOptions& sqlite_options) {
  Recovered recovered;
  DRAY_TRY(recovered.meta, ReadMeta(database));
  DRAY_TRY(const Revision newest, ReadNewest(database, recovered.meta));
  if (recovered.meta.folded > newest) {
    return Fail(Corrupt(database.file(),
                        fmt::format("its log ends at revision {}, before {}",
                                    newest.value(),
                                    recovered.meta.folded.value())));
  }
  DRAY_TRY(recovered.floor,
           WindowBegin(database,
                       recovered.meta.floor,
                       std::min(options.events_max, sqlite_options.recovered_events_max),
                       std::min(options.event_bytes_max, sqlite_options.recovered_bytes_max)));
  DRAY_TRY(recovered.unfolded, ReadUnfolded(database, recovered.meta.folded));
  DRAY_TRY(std::vector<LiveKey> live, ReadLive(database, recovered.unfolded));
  Reader reader(database, options, std::move(live), recovered.floor);
  DRAY_TRY_VOID(reader.ReadAll());
  recovered.newest =
      std::make_shared<const Snapshot>(newest, Tree::FromSorted(reader.TakeRecords()));
  recovered.events = reader.TakeEvents();
  return recovered;
}

}  // namespace dray::store::sqlite
