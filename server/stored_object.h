// SPDX-License-Identifier: Apache-2.0
// An API object as the store holds it: decoded and encoded once, whoever reads it later.
//
// The stored JSON has no resource version: that is the revision of the commit, known only
// afterwards. The answer's JSON is the same text with the version spliced in after the uid, so an
// object is encoded once in its life, however many lists and watches show it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "api/kind.h"
#include "api/object.h"
#include "base/lazy.h"
#include "base/published.h"
#include "base/result.h"
#include "base/strong.h"
#include "server/resources.h"
#include "store/record.h"

namespace dray::server {

/// Safe from any thread. Put into the store at most once.
class StoredObject final : public store::Value {
 public:
  /// Takes an object that nobody else holds (the resource version is written into it later),
  /// without a resource version. O(size): encodes it.
  explicit StoredObject(api::Object object);

  /// The stored JSON.
  std::string_view bytes() const override { return *json_; }

  /// The object at the revision that wrote it; made at the first call. Every caller names the same
  /// revision, that of the record.
  const Item& At(Revision modified) const;

  /// The same content under the revision that ended it (its deletion, or the change by which a
  /// selector lost it): what a DELETED event carries. The first revision asked for is remembered.
  Item EndedAt(Revision end) const;

  /// The object without a resource version, as the answer to a dry run.
  Item Unversioned() const;

 private:
  struct Ended {
    Revision end;
    Item item;
  };
  Item Versioned(api::Object object, Revision revision) const;

  mutable api::Object object_;  // gets its resource version when item_ is made
  Frozen<std::string> json_;
  size_t version_offset_ = 0;
  Lazy<Item> item_;
  Lazy<Ended> ended_;
};

/// The object of `record`, as a client sees it.
///
/// A record that was recovered holds plain bytes: they are decoded at every call.
/// Errors: kInternalError  they are not an object of `kind`; the message names the key.
Result<Item> ItemOf(const api::KindInfo& kind, const store::Record& record);

/// The object of `record` under the revision that ended it. Errors: as above.
Result<Item> EndedItemOf(const api::KindInfo& kind, const store::Record& record, Revision end);

}  // namespace dray::server
