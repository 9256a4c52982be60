// SPDX-License-Identifier: Apache-2.0
// The tests that every implementation of Store passes. To run them on another one, compile the
// conformance*_test.cc with it and instantiate the suites below (see memory_store_test.cc).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "base/frozen.h"
#include "base/result.h"
#include "base/strong.h"
#include "store/record.h"
#include "store/store.h"

namespace dray::store::testing {

/// Makes empty stores of one kind.
struct Backend {
  std::string name;
  std::function<std::unique_ptr<Store>(const Options&)> open;
  /// Why it cannot be tested on this machine; empty if it can.
  std::function<std::string()> missing = [] { return std::string(); };
  /// Records disappear without ExpireDue, and do not show their expiry.
  bool expires_by_itself = false;
  /// The largest value that is accepted, whatever else the transaction has.
  size_t value_bytes_max = kValueBytesMax;
};

inline std::string BackendName(const ::testing::TestParamInfo<Backend>& info) {
  return info.param.name;
}

class StoreConformance : public ::testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    if (const std::string reason = GetParam().missing(); !reason.empty()) GTEST_SKIP() << reason;
  }
  static std::unique_ptr<Store> Open(const Options& options = {}) {
    return GetParam().open(options);
  }
};

class StoreCommit : public StoreConformance {};    // conformance_commit_test.cc
class StoreLimits : public StoreConformance {};    // conformance_commit_test.cc
class StoreReading : public StoreConformance {};   // conformance_history_test.cc
class StoreWatching : public StoreConformance {};  // conformance_history_test.cc
class StoreExpiry : public StoreConformance {};    // conformance_history_test.cc
class StoreProperty : public StoreConformance {};  // conformance_property_test.cc
class StoreThreads : public StoreConformance {};   // conformance_threads_test.cc

// Shorthand for the tests.

inline Frozen<Value> Bytes(std::string_view text) {
  return MakeBytes(text);
}

inline Txn PutOf(std::string_view key, std::string_view value) {
  return {.compares = {}, .operations = {Put{.key = std::string(key), .value = Bytes(value)}}};
}

inline Txn DeleteOf(std::string_view key) {
  return {.compares = {}, .operations = {Delete{.key = std::string(key)}}};
}

inline Txn If(std::string_view key, Revision modified, Txn txn) {
  txn.compares.push_back({.key = std::string(key), .modified = modified});
  return txn;
}

inline Txn Fenced(std::string_view name, Revision seen, Txn txn) {
  txn.fences.push_back({.name = std::string(name), .seen = seen});
  return txn;
}

/// Commits a transaction that must succeed.
inline Committed Do(Store& store, Txn txn) {
  Result<CommitOutcome> outcome = store.CommitAndWait(std::move(txn));
  if (!outcome.has_value()) {
    ADD_FAILURE() << outcome.error().message;
    return {};
  }
  if (!std::holds_alternative<Committed>(*outcome)) {
    ADD_FAILURE() << "conflict";
    return {};
  }
  return std::get<Committed>(*std::move(outcome));
}

/// Commits a transaction that must be refused, and returns the conflict.
inline std::optional<Conflict> Refused(Store& store, Txn txn) {
  Result<CommitOutcome> outcome = store.CommitAndWait(std::move(txn));
  if (!outcome.has_value() || !std::holds_alternative<Conflict>(*outcome)) return std::nullopt;
  return std::get<Conflict>(*std::move(outcome));
}

/// "key=value@created/modified/version".
inline std::string Text(const Record& record) {
  return std::string(record.key()) + "=" + std::string(record.value->bytes()) + "@" +
         std::to_string(record.created.value()) + "/" + std::to_string(record.modified.value()) +
         "/" + std::to_string(record.version());
}

inline std::vector<std::string> Texts(const RecordRange& range) {
  std::vector<std::string> texts;
  for (const Record& record : range) texts.push_back(Text(record));
  return texts;
}

/// "+record" for a creation, "~record" for an update, "-record" for a deletion.
inline std::string Text(const Event& event) {
  if (event.type == Event::Type::kDelete) return "-" + Text(*event.record);
  return (event.previous == nullptr ? "+" : "~") + Text(*event.record);
}

inline std::vector<std::string> Texts(const Batch& batch) {
  std::vector<std::string> texts;
  for (const Frozen<Event>& event : batch.events) texts.push_back(Text(*event));
  return texts;
}

}  // namespace dray::store::testing
