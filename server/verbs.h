// SPDX-License-Identifier: Apache-2.0
// The verbs behind Resources, one source file each, and the little they share.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/kind.h"
#include "api/object.h"
#include "base/log.h"
#include "base/published.h"
#include "base/result.h"
#include "base/task.h"
#include "base/world.h"
#include "server/request.h"
#include "server/resources.h"
#include "server/stored_object.h"
#include "server/validation.h"
#include "server/watch_hub.h"
#include "store/snapshot.h"
#include "store/store.h"

namespace dray::server {

/// What all verbs work on; constant after construction.
struct Core {
  const api::Scheme& scheme;
  store::Store& store;
  std::string store_id;  // of its status
  World& world;
  Log log;
  Resources::Options options;
};

using Outcome = std::variant<ObjectAnswer, ListAnswer, StatusAnswer>;

/// One request on its way through a verb. Pointers to what outlives the verb's task.
struct Call {
  const Core* core;
  const ResourceRequest* request;
  std::vector<std::string>* warnings;

  /// The version of the kind that the client speaks.
  const api::KindInfo& kind() const { return *request->kind; }
  /// The version its objects are stored, judged and changed in.
  const api::KindInfo& hub() const { return request->kind->storage(); }
  View view() const { return {.kind = request->kind, .release = request->release}; }
  View storage() const { return View::OfStorage(*request->kind); }
  std::string key() const;
};

Task<Outcome> Get(Call call);
Task<Outcome> List(Call call);
Task<Outcome> Create(Call call);
/// Also of the subresources "status" and "finalize".
Task<Outcome> Update(Call call);
Task<Outcome> Patch(Call call);
Task<Outcome> DeleteOne(Call call);
Task<Outcome> DeleteCollection(Call call);
/// Create on "pods/binding" and on "bindings".
Task<Outcome> Bind(Call call);

/// `hub` outlives the cursor.
Result<std::unique_ptr<WatchCursor>> OpenWatch(const Core& core,
                                               WatchHub& hub,
                                               const ResourceRequest& request);

// ------------------------------------------------------------------------------------------ shared

/// A commit, awaited. A conflict is a value, as in store/store.h.
Task<store::CommitOutcome> Commit(store::Store* store, store::Txn txn);

/// The newest state, including all that was acknowledged before the call.
Task<Frozen<store::Snapshot>> ReadNewest(store::Store* store);

/// The put of `stored`, with the expiry its kind has.
store::Put PutOf(const Core& core,
                 const api::KindInfo& kind,
                 std::string key,
                 Frozen<store::Value> stored);

/// The namespace object a request's objects lie in, as it is in `snapshot`; empty for
/// cluster-scoped kinds. Errors: kNotFound  no such namespace.
Result<std::optional<Item>> NamespaceOf(const store::Snapshot& snapshot,
                                        const api::KindInfo& kind,
                                        std::string_view namespace_name);

/// Fails when a client names a revision that is no number, in the words of `verb`.
Result<std::optional<uint64_t>> ParseVersion(std::string_view text);

/// Fills in what the client of the call left out of an object in its version.
void SetDefaults(const Call& call, api::Object& object);

/// Adds the kind's warnings about what a client wants stored.
void AddWarnings(const Call& call, const api::Object& object, const api::Object* old);

}  // namespace dray::server
