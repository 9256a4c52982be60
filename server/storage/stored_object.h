// SPDX-License-Identifier: Apache-2.0
// An API object, decoded once and encoded at most once in each format for all its readers together,
// and its value in the store.
//
// The store holds the durable form alone: the bytes that are on disk, in a snapshot and in the
// history. The object is decoded while a request reads it; a cache keeps the last ones
// (server/storage/decoded_cache.h), and all readers of a record share the object that is there.
//
// Objects are stored in the struct of their hub (api/conversion/conversion.h). The hub also states
// the record's generation: clients of the other generation do not see it. The object in another
// version is made at the first read of that version and kept.
//
// The resource version is the revision of the commit, known only after it. The first read fills it
// in and encodes the JSON or protobuf that it needs; all lists and watches share these texts.
//
// The durable form is upstream's (api/codec/protobuf.h): the message of the hub in its envelope,
// without a resource version; fields that only hubs have get numbers of their own. A record is read
// from protobuf or JSON, in any version that has the hub, so Dray can read the data of a cluster
// that kube-apiserver wrote.
#pragma once

#include <atomic>
#include <cstddef>
#include <forward_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec/protobuf.h"
#include "api/custom_kind.h"
#include "api/kind.h"
#include "api/object.h"
#include "api/reflect.h"
#include "base/frozen.h"
#include "base/lazy.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/strong.h"
#include "server/storage/item.h"
#include "store/record.h"

namespace dray::server::storage {

/// The form in which a client sees objects: a version of a kind, with the fields of a release.
struct View {
  const api::KindInfo* kind;
  api::Release release = api::Release::kAny;

  /// The form in which the store holds objects.
  static View OfStorage(const api::KindInfo& kind) { return {.kind = &kind.storage()}; }
  /// The current rules by which a version of a custom kind shows its objects; null for other kinds.
  Frozen<api::CustomVersion> rules() const {
    const api::CustomKind* custom = api::CustomOf(*kind);
    return custom == nullptr ? nullptr : custom->now.Load();
  }
  bool is_storage() const { return &kind->storage() == kind && release == api::Release::kAny; }
};

/// Safe from any thread. Put into the store at most once.
class StoredObject final {
  struct Access {};

 public:
  /// Takes an object of a hub, or of a version of a custom kind, without a resource version. The
  /// caller keeps no reference, because the resource version is written into it later. O(1).
  static Frozen<StoredObject> Of(api::Object object);
  /// The same of an object that At() or FindItem() showed, in the form of the store.
  static Frozen<StoredObject> OfRead(api::Object object);
  StoredObject(api::Object object, bool was_read, Access /*of Of() and OfRead()*/)
      : object_(std::move(object)), was_read_(was_read) {}
  StoredObject(const StoredObject&) = delete;
  StoredObject& operator=(const StoredObject&) = delete;
  ~StoredObject() = default;

  /// Appends the durable form. O(size).
  api::Readable EncodeTo(std::string& out) const;

  /// The hub; for a custom kind, the version in which the object is stored.
  const api::KindInfo& kind() const { return object_.kind(); }

  /// Finds the object again while anyone holds it.
  api::WeakObject weak() const { return api::WeakObject(object_); }

  /// Whether it takes much more memory than a durable form of so many bytes (IsBulky).
  bool is_bulky(size_t stored_bytes) const;
  /// An estimate of the memory that it takes. O(size).
  size_t decoded_bytes() const;
  /// What a bulky object takes, of which readers may hold only so many; 0 for all others. O(1).
  size_t transient_bytes() const { return transient_bytes_.load(std::memory_order_relaxed); }
  /// Marks this as a bulky object, which takes `bytes`.
  void NoteTransient(size_t bytes) const {
    transient_bytes_.store(bytes, std::memory_order_relaxed);
  }

  /// The object at the revision that wrote it; made at the first call, and of custom kinds again
  /// when their schema has changed. Every caller names the same revision, that of the record, and
  /// views of this kind. A view that only a webhook can make is as NoteConverted() has it; if that
  /// was never called, only the apiVersion changes.
  Item At(View view, Revision modified) const;

  /// What `by` has made of the object: `converted`, of another version; the callee owns it.
  /// From now on this is how that version shows it.
  void NoteConverted(api::Object converted, Frozen<api::CustomConversion> by) const;
  /// Whether that was called for `version`; with `by` not null, whether `by` made it last.
  bool HasConverted(const api::KindInfo& version, const api::CustomConversion* by) const;
  /// Whether it is `other` but for the resource version. O(size).
  bool HasContentOf(const api::Object& other) const;

  /// The same content under the revision that ended it (its deletion, or the change by which a
  /// selector lost it): what a DELETED event carries. The first revision asked for is remembered.
  Item EndedAt(View view, Revision end) const;

  /// The object without a resource version, for the answer to a dry run.
  Item Unversioned(View view) const;

 private:
  friend struct ItemFinder;

  struct Seen {
    View view;
    Item item;
  };
  /// The object in a version of a custom kind, made by the rules that the version had then.
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
  Item Versioned(api::Object object, Revision revision) const;
  const Item& AsStored(Revision modified) const;
  const Item& AsFixed(View view, Revision modified) const;
  Frozen<Item> AsCustom(const api::CustomKind& version, Revision modified) const;
  Item SeenOf(View view, const Item& stored) const;

  mutable api::Object object_;  // gets its resource version when item_ is made
  const bool was_read_;         // it has it already
  mutable std::atomic<size_t> transient_bytes_ = 0;
  Lazy<Item> item_;
  Lazy<Ended> ended_;
  mutable Mutex mutex_;
  // One for each version that was read. Most objects have none, and an empty list takes no memory.
  mutable std::forward_list<Seen> seen_ DRAY_GUARDED_BY(mutex_);
  mutable std::forward_list<SeenByRules> seen_by_rules_ DRAY_GUARDED_BY(mutex_);
};

/// Converts `object`, the result of a verb, to the form in which it is stored (see StoredObject).
/// O(1), except for objects of custom kinds that are stored in another version.
Frozen<StoredObject> MakeStored(api::Object object);

/// The value to put into the store: the durable form of `stored`, which the cache of decoded
/// objects keeps for the first readers. Its CheckDurable decodes unless the encoder has proved that
/// the bytes can be read: objects of requests are checked when they are decoded; this finds
/// unreadable objects that the server's own parts make (docs/design/server.md). O(size).
Frozen<store::Value> ValueOf(Frozen<StoredObject> stored);

/// A value of the bytes that a durable store kept, decoded at its first use. A server passes it as
/// store::Options::read_value. O(size).
Frozen<store::Value> ReadStored(std::string_view key, std::string_view bytes);

/// A pointer to an item. Valid while its owner is held.
struct ItemRef {
  const Item* item = nullptr;  // null: there is none
  std::shared_ptr<const StoredObject> owner = {};
};

/// The object of `record` as a client sees it; null when it is of the other generation. Decodes it,
/// O(size), unless a reader or the cache of decoded objects holds it.
///
/// Errors: kInternalError  what was recovered is not an object of the kind, or a webhook must be
///                         asked first (UnconvertedOf); the message names the key.
Result<ItemRef> FindItem(View view, const store::Record& record);

/// Whether the durable form takes so much that its metadata is worth decoding alone. O(1).
bool IsLarge(const store::Record& record);

/// As FindItem(), but of a large object the metadata alone, without managedFields. Neither this nor
/// the cache of decoded objects keeps the item. O(metadata) where the durable form is protobuf of
/// the hub; as long as FindItem() else. Errors: as above.
Result<ItemRef> FindMetadata(View view, const store::Record& record);

/// An object, and what was left out of it.
struct Outline {
  api::Object object;
  std::vector<std::string> parts;  // messages
};

/// As FindItem() in the form of the store, but without structs of the type `part`, whose messages
/// are kept apart (api/codec/protobuf_outline.h). Nothing where the durable form is no message of
/// `hub`. O(size), but decodes the others alone. Errors: as above.
Result<std::optional<Outline>> FindOutline(const api::KindInfo& hub,
                                           const api::Type& part,
                                           const store::Record& record);

/// Whether it is known, without decoding it, that FindItem() returns an item. Never for custom
/// kinds. O(1).
bool IsKnownAs(const api::KindInfo& kind, const store::Record& record);

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

/// Whether the bytes that a store kept are an object of the generation of `hub`. O(size).
/// Errors: kInternalError  they cannot be decoded; the message gives the reason.
Result<bool> ReadsAs(const api::KindInfo& hub, std::string_view bytes);

/// What upstream says of a custom object in a version that its definition no longer has.
std::string VersionIsGone(std::string_view api_version);

/// The version in which the object of `record` is stored, such as "resource.k8s.io/v1alpha2".
std::string StoredVersion(const store::Record& record);
/// The same for bytes that a store kept; empty when they have no apiVersion.
std::string StoredVersion(std::string_view bytes);

}  // namespace dray::server::storage
