// SPDX-License-Identifier: Apache-2.0
// An API object as the store holds it: decoded and encoded once, whoever reads it later.
//
// Objects are stored in the struct of their hub (api/conversion/conversion.h), which is also what a
// record says about its generation: clients of the other generation do not see it. How a client of
// another version sees the object is made at the first read and kept.
//
// The stored JSON has no resource version: that is the revision of the commit, known only
// afterwards. The answer's JSON is the same text with the version spliced in after the uid, so an
// object is encoded once in its life, however many lists and watches show it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/kind.h"
#include "api/object.h"
#include "base/lazy.h"
#include "base/mutex.h"
#include "base/published.h"
#include "base/result.h"
#include "base/strong.h"
#include "server/resources.h"
#include "store/record.h"

namespace dray::server {

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

  /// The stored JSON.
  std::string_view bytes() const override { return *stored_json_; }

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
  Item Versioned(api::Object object, Revision revision) const;
  const Item& AsStored(Revision modified) const;

  mutable api::Object object_;       // gets its resource version when item_ is made
  Frozen<std::string> json_;         // as its own version shows it
  Frozen<std::string> stored_json_;  // the same unless there is something only the hub knows
  size_t version_offset_ = 0;
  Lazy<Item> item_;
  Lazy<Ended> ended_;
  mutable Mutex mutex_;
  mutable std::vector<Seen> seen_ DRAY_GUARDED_BY(mutex_);  // few: one for each version in use
};

/// The object of `record` as a client sees it; nothing when it is of the other generation.
///
/// A record that was recovered holds plain bytes: they are decoded at every call.
/// Errors: kInternalError  they are not an object of the kind; the message names the key.
Result<std::optional<Item>> ItemOf(View view, const store::Record& record);

/// The object of `record` under the revision that ended it. Errors: as above.
Result<std::optional<Item>> EndedItemOf(View view, const store::Record& record, Revision end);

/// Whether there is anything in `object`, one of a hub, that the hub's own version does not show.
bool HasHubContent(const api::Object& object);

/// "resource.k8s.io/v1alpha2": the version that objects like the one in `record` are stored in.
std::string StoredVersion(const store::Record& record);

}  // namespace dray::server
