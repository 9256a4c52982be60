// SPDX-License-Identifier: Apache-2.0
// The calls of clients to a store and its answers, as values: the input of the checker.
//
// A history does not depend on the kind of store. It can come from one in this process, from a
// cluster, from an API server or from a simulation, and it can be saved and checked again
// (history_text.h). Values missing in an answer are zero or empty, and are not checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/strong.h"

namespace dray::history {

/// A moment of the run: a number from one counter. Smaller is earlier, for all clients.
using Moment = uint64_t;

/// The value of a key. Zero revisions and versions are unknown.
struct Item {
  std::string key;
  std::string value;
  Revision created{};
  Revision modified{};
  int64_t version = 0;
  bool operator==(const Item&) const = default;
};

/// How new the answer to a read must be.
enum class Freshness : uint8_t {
  /// At least as new as every answer that any client got before the call.
  kLinearizable,
  /// At least as new as every answer that the same server gave before the call.
  kLocal,
  /// The state after one revision.
  kExact,
};

struct Get {
  std::string key;
  Freshness freshness = Freshness::kLinearizable;
  Revision at{};  // for kExact
};

/// The first `limit` keys (0: all) that begin with `prefix` and are not less than `start_key`.
struct List {
  std::string prefix;
  std::string start_key;
  uint64_t limit = 0;
  Freshness freshness = Freshness::kLinearizable;
  Revision at{};  // for kExact
};

/// The key was modified last at this revision; zero: it is absent.
struct Condition {
  std::string key;
  Revision modified{};
};

struct Change {
  std::string key;
  std::optional<std::string> value;  // none: the key is deleted
  bool may_expire = false;           // the store may delete it itself some time later
};

/// All changes at one revision if all conditions hold, none otherwise.
struct Write {
  std::vector<Condition> conditions;
  std::vector<Change> changes;
};

using Request = std::variant<Get, List, Write>;

/// The answer to a read.
struct Seen {
  Revision revision{};            // of the state that was read
  std::vector<Item> items;        // in key order; of a Get, at most one
  std::optional<uint64_t> count;  // keys of the list, were there no limit
};

/// A write that was carried out.
struct Done {
  Revision revision{};  // of the write; the newest one if it changed nothing
  /// For each change the record stored or, with `modified` = revision, deleted; none for the
  /// deletion of an absent key. Empty if unknown.
  std::vector<std::optional<Item>> items;
};

/// A write that was refused because conditions do not hold.
struct Refused {
  struct Mismatch {
    std::string key;
    std::optional<Item> current;  // none: absent
  };
  Revision revision{};               // of the state in which they do not hold
  std::vector<Mismatch> mismatches;  // all of them; empty when unknown
};

/// An error with which nothing has changed.
struct Failed {
  std::string reason;
};

/// The outcome is unknown: the write may have happened, may still happen, or never, but at most
/// once.
struct Unknown {
  std::string reason;
};

using Answer = std::variant<Unknown, Seen, Done, Refused, Failed>;

struct Operation {
  Moment called = 0;    // also its name
  Moment returned = 0;  // 0: never
  uint32_t client = 0;
  uint32_t server = 0;  // the server that it called
  Request request;
  Answer answer;
};

/// One change of one key, as a watch reported it.
struct Event {
  enum class Kind : uint8_t { kCreated, kUpdated, kDeleted };
  Kind kind = Kind::kUpdated;
  Item item;  // for a deletion: the deleted record, with `modified` = the revision of the deletion
  std::optional<Item> previous;
};

/// One message of a watch: events, then how far the watch is complete, or an error that ends it.
struct Response {
  Moment received = 0;
  std::vector<Event> events;
  Revision through{};  // a bookmark: no more events up to here will come; 0: no bookmark
  std::string error;
};

struct Watch {
  Moment opened = 0;  // also its name
  uint32_t client = 0;
  uint32_t server = 0;
  std::string prefix;
  Revision after{};             // it requested events with greater revisions
  bool shows_previous = false;  // Event::previous is present whenever the key had a value
  std::vector<Response> responses;
};

struct History {
  Revision first{1};       // the state before all operations
  std::vector<Item> held;  // its contents
  std::vector<Operation> operations;
  std::vector<Watch> watches;
};

}  // namespace dray::history
