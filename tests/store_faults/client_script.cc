// SPDX-License-Identifier: Apache-2.0
#include "tests/store_faults/client_script.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "base/frozen.h"
#include "base/result.h"
#include "base/strong.h"
#include "base/world.h"
#include "store/record.h"
#include "store/snapshot.h"
#include "store/store.h"
#include "tests/history/history.h"
#include "tests/history/recorder.h"
#include "tests/store_faults/workload.h"

namespace dray::store_faults {

ClientScript::ClientScript(history::Recorder& recorder,
                           const Server& server,
                           uint32_t client,
                           const WorkloadOptions& options,
                           std::atomic<int64_t>& seconds)
    : store_(*server.store),
      client_(client),
      options_(options),
      seconds_(seconds),
      recorded_(recorder, *server.store, {.client = client, .server = server.id}),
      random_(options.seed * 1'000 + client) {}

ClientScript::~ClientScript() {
  for (int64_t left = abandoned_.load(); left > 0; left = abandoned_.load()) abandoned_.wait(left);
}

void ClientScript::Run() {
  for (size_t i = 0; i < options_.operations && errors_ < options_.errors_max; ++i) Step();
}

std::string ClientScript::AnyKey() {
  const uint64_t number = Below(options_.keys);
  return (number % 2 == 0 ? "/r/pods/n/" : "/r/leases/n/") + std::to_string(number);
}

/// All values differ, so that each identifies its writer.
store::Operation ClientScript::AnyChange(const std::string& key) {
  if (Percent(20)) return store::Delete{key};
  std::string value = std::to_string(client_) + "." + std::to_string(++values_) + ".";
  value.append(Below(options_.value_bytes_max), static_cast<char>('a' + client_ % 26));
  store::Put put{.key = key, .value = store::MakeBytes(value)};
  if (Percent(options_.expiring_percent)) {
    const int64_t due = seconds_.fetch_add(1) + static_cast<int64_t>(Below(20));
    put.expiry = WallTime(std::chrono::seconds(due));
  }
  return put;
}

Revision ClientScript::ModifiedIn(const store::Snapshot& snapshot, const std::string& key) const {
  const store::Record* record = snapshot.Find(key);
  return record == nullptr ? store::kAbsent : record->modified;
}

void ClientScript::Step() {
  const uint64_t choice = Below(100);
  if (choice < 20) return ReadSomething();
  if (choice < 30) return ReadPages();
  if (choice < 60) return Update();
  store::Txn txn;
  const Frozen<store::Snapshot> snapshot = store_.Read();
  std::map<std::string, store::Operation> operations;
  for (uint64_t i = choice < 80 ? 1 : 2 + Below(3); i > 0; --i) {
    const std::string key = AnyKey();
    operations.insert_or_assign(key, AnyChange(key));
  }
  for (auto& [key, operation] : operations) {
    if (Percent(60)) txn.compares.push_back({.key = key, .modified = ModifiedIn(*snapshot, key)});
    txn.operations.push_back(std::move(operation));
  }
  if (Percent(20)) {
    const std::string key = AnyKey();
    const bool is_named = operations.contains(key);
    if (!is_named) txn.compares.push_back({.key = key, .modified = ModifiedIn(*snapshot, key)});
  }
  Commit(std::move(txn));
}

void ClientScript::ReadSomething() {
  history::Get get{.key = AnyKey()};
  if (Percent(30)) get.freshness = history::Freshness::kLocal;
  if (Percent(20)) {
    const int64_t newest = store_.Read()->revision().value();
    get.freshness = history::Freshness::kExact;
    get.at = Revision{newest - static_cast<int64_t>(Below(30))};
    if (get.at < store::kFirstRevision) get.at = store::kFirstRevision;
  }
  const auto seen = recorded_.Read(get);
  const bool is_too_late = !seen.has_value() && seen.error().reason == StatusReason::kExpired;
  Note(!seen.has_value() && !is_too_late);
}

/// A list whose later pages are read at the revision of the first.
void ClientScript::ReadPages() {
  history::List list{.prefix = std::string(kWatchedPrefixes[Below(3)]), .start_key = {}};
  if (Percent(60)) list.limit = 1 + Below(4);
  for (size_t page = 0; page < 4; ++page) {
    const auto seen = recorded_.Read(list);
    if (!seen.has_value()) return Note(seen.error().reason != StatusReason::kExpired);
    Note(false);
    if (list.limit == 0 || seen->items.size() < list.limit) return;
    list.start_key = seen->items.back().key + std::string(1, '\0');
    list.freshness = history::Freshness::kExact;
    list.at = seen->revision;
  }
}

/// Reads a key and writes it unless another client was faster.
void ClientScript::Update() {
  history::Get get{.key = AnyKey()};
  if (Percent(50)) get.freshness = history::Freshness::kLocal;
  const auto seen = recorded_.Read(get);
  Note(!seen.has_value());
  if (!seen.has_value()) return;
  const Revision modified = seen->items.empty() ? store::kAbsent : seen->items[0].modified;
  Commit(
      {.compares = {{.key = get.key, .modified = modified}}, .operations = {AnyChange(get.key)}});
}

void ClientScript::Commit(store::Txn txn) {
  if (Percent(options_.abandoned_percent)) {
    abandoned_.fetch_add(1);
    return recorded_.Abandon(std::move(txn), [this] {
      abandoned_.fetch_sub(1);
      abandoned_.notify_all();
    });
  }
  Note(!recorded_.Commit(std::move(txn)).has_value());
}

void ClientScript::Note(bool has_failed) {
  errors_ = has_failed ? errors_ + 1 : 0;
}

}  // namespace dray::store_faults
