// SPDX-License-Identifier: Apache-2.0
// An API object as the store holds it: decoded once, and encoded once in each form that somebody
// asks for, whoever reads it later.
//
// Objects are stored in the struct of their hub (api/conversion/conversion.h), which is also what a
// record says about its generation: clients of the other generation do not see it. How a client of
// another version sees the object is made at the first read and kept.
//
// Its resource version is the revision of the commit, known only afterwards: it is filled in at the
// first read, and JSON and protobuf of answers are made from then on, once, however many lists and
// watches show them. What nobody reads as JSON is never written as JSON.
//
// The durable form is upstream's (api/codec/protobuf.h): the message of the hub in its envelope,
// without a resource version, with what only hubs have under numbers of its own. It is made when a
// store asks for it. What is read back is decoded at its first use: from protobuf or JSON, in any
// version that has the hub, so a cluster that kube-apiserver wrote can be read.
//
// An object that takes much more memory decoded than its durable form does (server/storage/
// decoded_size.h) is held as its bytes alone, and decoded again when somebody asks; the last ones
// are kept a while (server/storage/decoded_cache.h).
#pragma once

#include <atomic>
#include <cstddef>
#include <forward_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/codec/protobuf.h"
#include "api/custom_kind.h"
#include "api/kind.h"
#include "api/object.h"
#include "base/lazy.h"
#include "base/mutex.h"
#include "base/published.h"
#include "base/result.h"
#include "base/strong.h"
#include "server/storage/item.h"
#include "store/record.h"

namespace dray::server::storage {

/// How a client sees objects: a version of a kind, in the shape of a release.
struct View {
  const api::KindInfo* kind;
  api::Release release = api::Release::kAny;

  /// What the store holds, as it is.
  static View OfStorage(const api::KindInfo& kind) { return {.kind = &kind.storage()}; }
  /// The rules by which a version of a custom kind shows its objects now; null for all others.
  Frozen<api::CustomVersion> rules() const {
    const api::CustomKind* custom = api::CustomOf(*kind);
    return custom == nullptr ? nullptr : custom->now.Load();
  }
  bool is_storage() const { return &kind->storage() == kind && release == api::Release::kAny; }
};

/// Safe from any thread. Put into the store at most once.
class StoredObject final : public store::Value {
 public:
  /// Takes an object of a hub, or of a version of a custom kind, that nobody else holds (the
  /// resource version is written into it later), without a resource version. O(1).
  explicit StoredObject(api::Object object);

  /// The durable form; made at the first call. O(size).
  std::string_view bytes() const override;
  /// Decodes bytes(), where it does not show otherwise that they can be read. What requests say is
  /// refused when it is decoded, if it could not be stored and read; this finds what the server's
  /// own parts make (docs/design/server.md).
  Result<> CheckDurable() const override;

  /// Of custom kinds the version in which it is stored.
  const api::KindInfo& kind() const { return object_.kind(); }

  /// Whether it takes much more memory than a durable form of so many bytes (IsBulky).
  bool is_bulky(size_t stored_bytes) const;
  /// Memory that it takes, about. O(size).
  size_t decoded_bytes() const;
  /// The same of one that nobody keeps but who reads it now; 0 of all others. O(1).
  size_t transient_bytes() const { return transient_bytes_.load(std::memory_order_relaxed); }
  /// It is such a one.
  void NoteTransient(size_t bytes) const {
    transient_bytes_.store(bytes, std::memory_order_relaxed);
  }

  /// The object at the revision that wrote it; made at the first call, and of custom kinds again
  /// when their schema has changed. Every caller names the same revision, that of the record, and
  /// views of this kind. Of a view that only a webhook can make: as NoteConverted() has it, and if
  /// that was never called, as if only the apiVersion changed.
  Item At(View view, Revision modified) const;

  /// What `by` has made of the object: `converted`, of another version, which nobody else holds.
  /// From now on this is how that version shows it.
  void NoteConverted(api::Object converted, Frozen<api::CustomConversion> by) const;
  /// Whether that was called for `version`; with `by` not null, whether `by` made it last.
  bool HasConverted(const api::KindInfo& version, const api::CustomConversion* by) const;
  /// Whether it is `other` but for the resource version. O(size).
  bool HasContentOf(const api::Object& other) const;

  /// The same content under the revision that ended it (its deletion, or the change by which a
  /// selector lost it): what a DELETED event carries. The first revision asked for is remembered.
  Item EndedAt(View view, Revision end) const;

  /// The object without a resource version, as the answer to a dry run.
  Item Unversioned(View view) const;

 private:
  friend struct ItemFinder;

  struct Seen {
    View view;
    Item item;
  };
  /// As a version of a custom kind shows it, by the rules that this had then.
  struct SeenByRules {
    const api::KindInfo* kind;
    Frozen<api::CustomVersion> rules;
    Frozen<Item> item;                           // null: none was made yet
    Frozen<api::CustomConversion> by = nullptr;  // null: only the apiVersion changed
    api::Object converted = {};                  // by that
  };
  struct Ended {
    Revision end;
    Item item;
  };
  struct Durable {
    std::string bytes;
    api::Readable readable = api::Readable::kPerhaps;
  };
  const Durable& durable() const;
  Item Versioned(api::Object object, Revision revision) const;
  const Item& AsStored(Revision modified) const;
  const Item& AsFixed(View view, Revision modified) const;
  Frozen<Item> AsCustom(const api::CustomKind& version, Revision modified) const;
  Item SeenOf(View view, const Item& stored) const;

  mutable api::Object object_;  // gets its resource version when item_ is made
  mutable std::atomic<size_t> transient_bytes_ = 0;
  Lazy<Durable> durable_;
  Lazy<Item> item_;
  Lazy<Ended> ended_;
  mutable Mutex mutex_;
  // One for each version in use, where it was made: few, and none in most objects, which then takes
  // no memory.
  mutable std::forward_list<Seen> seen_ DRAY_GUARDED_BY(mutex_);
  mutable std::forward_list<SeenByRules> seen_by_rules_ DRAY_GUARDED_BY(mutex_);
};

/// `object`, as the verbs have made it, as it is stored: see StoredObject. O(1), but for objects of
/// custom kinds that are stored in another version.
Frozen<StoredObject> MakeStored(api::Object object);

/// What the store is to hold of `stored`: itself, or, where it takes much more memory than that,
/// its bytes alone. O(1) for most, else O(size).
Frozen<store::Value> ValueOf(Frozen<StoredObject> stored);

/// A value made of what a durable store kept: store::Options::read_value of a server. Decoded at
/// the first use. O(size).
Frozen<store::Value> ReadStored(std::string_view key, std::string_view bytes);

/// An item where it lies: valid while its record is held, and the owner, if it names one.
struct ItemRef {
  const Item* item = nullptr;  // null: there is none
  std::shared_ptr<const StoredObject> owner = {};
};

/// The object of `record` as a client sees it; null when it is of the other generation. Counts no
/// references of what was written here, which is most of what a long list of records costs.
///
/// Errors: kInternalError  what was recovered is not an object of the kind, or a webhook must be
///                         asked first (UnconvertedOf); the message names the key.
Result<ItemRef> FindItem(View view, const store::Record& record);

/// What a webhook is asked before FindItem() can show a record in a view.
struct Unconverted {
  std::shared_ptr<const StoredObject> stored;  // keeps what the webhook makes of it
  Item item;                                   // as it is stored
  Frozen<api::CustomConversion> by;            // null: the webhook has been asked
};

/// Whether an answer of the webhook that is there already is enough.
enum class Freshness : uint8_t { kKept, kNow };

/// Nothing where no webhook is needed, which costs no more than O(1). Errors: as above.
Result<std::optional<Unconverted>> UnconvertedOf(View view,
                                                 const store::Record& record,
                                                 Freshness freshness);

/// As FindItem(), to keep the item longer than the record. Errors: as above.
Result<std::optional<Item>> ItemOf(View view, const store::Record& record);

/// The object of `record` under the revision that ended it. Errors: as above.
Result<std::optional<Item>> EndedItemOf(View view, const store::Record& record, Revision end);

/// Whether what a store kept is an object of the generation of `hub`. O(size).
/// Errors: kInternalError  it is one that cannot be decoded, or nothing at all; the message says
/// why.
Result<bool> ReadsAs(const api::KindInfo& hub, std::string_view bytes);

/// Whether there is anything in `object`, one of a hub, that the hub's own version does not show.
bool HasHubContent(const api::Object& object);

/// "resource.k8s.io/v1alpha2": the version that objects like the one in `record` are stored in.
std::string StoredVersion(const store::Record& record);
/// The same of what a store kept; empty when it says none.
std::string StoredVersion(std::string_view bytes);

}  // namespace dray::server::storage
