// SPDX-License-Identifier: Apache-2.0
// An API object as the store holds it: decoded and encoded once, whoever reads it later.
//
// Objects are stored in the struct of their hub (api/conversion/conversion.h), which is also what a
// record says about its generation: clients of the other generation do not see it. How a client of
// another version sees the object is made at the first read and kept.
//
// The JSON has no resource version: that is the revision of the commit, known only afterwards. The
// answer's JSON is the same text with the version spliced in after the uid, so an object is encoded
// once in its life, however many lists and watches show it.
//
// The durable form is upstream's (api/codec/protobuf.h): the message of the hub in its envelope,
// without a resource version, with what only hubs have under numbers of its own. It is made when a
// store asks for it. What is read back is decoded at its first use: from protobuf or JSON, in any
// version that has the hub, so a cluster that kube-apiserver wrote can be read.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/protobuf.h"
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
  bool is_storage() const { return &kind->storage() == kind && release == api::Release::kAny; }
};

/// Safe from any thread. Put into the store at most once.
class StoredObject final : public store::Value {
 public:
  /// Takes an object of a hub that nobody else holds (the resource version is written into it
  /// later), without a resource version. O(size): encodes it.
  explicit StoredObject(api::Object object);

  /// The durable form; made at the first call. O(size).
  std::string_view bytes() const override;
  /// That of the JSON, which is about as large and known without encoding.
  size_t size() const override { return json_->size(); }

  /// Decodes bytes(), where it does not show otherwise that they can be read. What requests say is
  /// refused when it is decoded, if it could not be stored and read; this finds what the server's
  /// own parts make (docs/design/server.md).
  Result<> CheckDurable() const override;

  const api::KindInfo& kind() const { return object_.kind(); }

  /// The object at the revision that wrote it; made at the first call. Every caller names the same
  /// revision, that of the record, and views of this kind.
  Item At(View view, Revision modified) const;

  /// The same content under the revision that ended it (its deletion, or the change by which a
  /// selector lost it): what a DELETED event carries. The first revision asked for is remembered.
  Item EndedAt(View view, Revision end) const;

  /// The object without a resource version, as the answer to a dry run.
  Item Unversioned(View view) const;

 private:
  struct Seen {
    View view;
    Item item;
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

  mutable api::Object object_;  // gets its resource version when item_ is made
  Frozen<std::string> json_;    // as its own version shows it
  Lazy<Durable> durable_;
  size_t version_offset_ = 0;
  Lazy<Item> item_;
  Lazy<Ended> ended_;
  mutable Mutex mutex_;
  mutable std::vector<Seen> seen_ DRAY_GUARDED_BY(mutex_);  // few: one for each version in use
};

/// A value made of what a durable store kept: store::Options::read_value of a server. Decoded at
/// the first use. O(size).
Frozen<store::Value> ReadStored(std::string_view key, std::string_view bytes);

/// The object of `record` as a client sees it; nothing when it is of the other generation.
///
/// Errors: kInternalError  what was recovered is not an object of the kind; the message names the
///                         key.
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
