// SPDX-License-Identifier: Apache-2.0
// One request on its way through a verb, and what all verbs ask about it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/kind.h"
#include "api/live_scheme.h"
#include "api/managed_fields/update.h"
#include "api/object.h"
#include "base/log.h"
#include "base/result.h"
#include "base/share_budget.h"
#include "base/world.h"
#include "server/access/token_gate.h"
#include "server/policies/evaluation.h"
#include "server/registry/write.h"
#include "server/storage/allocation_guard.h"
#include "server/storage/list_cache.h"
#include "server/storage/stored_object.h"
#include "server/storage/unreadable.h"
#include "server/storage/write_session.h"
#include "server/verbs/answer.h"
#include "server/verbs/idle_kinds.h"
#include "server/verbs/options.h"
#include "server/verbs/own_writes.h"
#include "server/verbs/request.h"
#include "store/snapshot.h"
#include "store/store.h"

namespace dray::server::verbs {

class ConversionMemo;    // server/verbs/conversion.h
class Rights;            // server/verbs/rights.h
class WatchConversions;  // server/verbs/watch_conversions.h
namespace admission {
class Policies;      // server/verbs/admission/validating_policies.h
class WebhookLists;  // server/verbs/admission/webhook_lists.h
}  // namespace admission

/// Bytes of decoded objects that requests under way hold together, where nobody else keeps them.
inline constexpr size_t kDecodedBytesMax = size_t{1} << 30;

/// What all verbs work on; constant after construction, but for what the reader remembers.
struct Core {
  const api::LiveScheme& scheme;
  store::Store& store;
  std::string store_id;  // of its status
  World& world;
  Log log;
  Options options;
  /// Null when allocations may overlap.
  std::shared_ptr<storage::AllocationGuard> allocations;
  std::shared_ptr<storage::LenientReader> lenient;
  std::shared_ptr<storage::ListCache> lists;
  /// States before this revision are not listed any more (Resources::ForgetStatesBefore).
  std::shared_ptr<std::atomic<int64_t>> states_begin;
  /// Watches of what came after an earlier revision are too late (Resources::BeginWatchesAt).
  std::shared_ptr<std::atomic<int64_t>> watches_begin;
  /// Null when everybody may do everything.
  std::shared_ptr<Rights> rights;
  /// Null: nobody is told.
  std::shared_ptr<IdleKinds> idle_kinds;
  std::shared_ptr<admission::Policies> policies;
  std::shared_ptr<admission::WebhookLists> webhooks;
  std::shared_ptr<WatchConversions> watch_conversions;
  /// Memory of decoded objects that are only there for requests under way.
  std::shared_ptr<ShareBudget> decoded =
      std::make_shared<ShareBudget>(ShareLimits::EighthsOf(kDecodedBytesMax));
  /// Of the server itself, those that are refused.
  std::shared_ptr<OwnWrites> own_writes = std::make_shared<OwnWrites>();
  /// Of tokens that are reviewed; the owner of a review stands for an address.
  std::shared_ptr<access::TokenGate> reviewed_tokens =
      std::make_shared<access::TokenGate>(world.random.Next());
  /// Certificates (PEM), of Resources::BootstrapAccounts.
  std::string trusted_by_clients = {};

  /// When an Event that is written now ends.
  WallTime event_end() const { return world.clock.Now() + options.event_life; }
};

using Outcome = std::variant<ObjectAnswer, ListAnswer, StatusAnswer>;

/// One request on its way through a verb. Pointers to what outlives the verb's task.
struct Call {
  const Core* core;
  const ResourceRequest* request;
  /// Where it reads and writes; parts of a call have that of the whole.
  storage::WriteSession* session;
  std::vector<std::string>* warnings;
  /// What policies add to the audit log; null: nobody wants it.
  std::vector<policies::PublishedAnnotation>* annotations = nullptr;
  /// What its decoded body holds of Core::decoded; null: nobody counts.
  ShareBudget::Claim* decoded = nullptr;
  /// Objects in other versions that a webhook made; null: only their apiVersion changes.
  ConversionMemo* conversions = nullptr;
  /// Part of another call, about which the admission chain has been asked.
  bool is_admitted = false;
  /// A write of the server itself, which starts whatever admission policies say.
  bool is_own = false;
  /// Of a collection that is deleted.
  bool of_collection = false;

  /// The version of the kind that the client speaks.
  const api::KindInfo& kind() const { return *request->kind; }
  /// The version its objects are stored, judged and changed in.
  const api::KindInfo& hub() const { return request->kind->storage(); }
  storage::View view() const { return {.kind = request->kind, .release = request->release}; }
  storage::View storage() const { return storage::View::OfStorage(*request->kind); }
  /// In which objects are judged and changed: as they are stored; those of custom kinds in the
  /// version that the client speaks.
  storage::View worked_on() const;
  std::string key() const;
  WallTime now() const { return core->world.clock.Now(); }
};

/// The namespace object a request's objects lie in, as it is in a snapshot.
struct SeenNamespace {
  const store::Record* record = nullptr;  // null for cluster-scoped kinds; as long as the snapshot
  std::optional<storage::Item> item = std::nullopt;  // empty for them
};

/// Errors: kNotFound  no such namespace.
Result<SeenNamespace> NamespaceOf(const store::Snapshot& snapshot,
                                  const api::KindInfo& kind,
                                  std::string_view namespace_);

/// Records that the request was answered without are named in at most so many warnings.
inline constexpr size_t kLeftOutMax = 10;

/// Warns about the records that `reasons` are about: the first of them, and how many there are.
void WarnLeftOut(const Call& call, const std::vector<std::string>& reasons);

/// The object in `record`, which the request is about, as ItemOf.
/// Errors: kInternalError  it cannot be decoded; the message says why, and how it is deleted.
Result<std::optional<storage::Item>> ItemAskedFor(const Call& call,
                                                  storage::View view,
                                                  const store::Record& record);

/// Who writes with the call, as far as managedFields go.
api::managed_fields::Write WriterOf(const Call& call, registry::Subresource subresource);

/// What is known about a write of the call; `namespace_` is held by the caller.
/// The writer owns what changes, but for bindings, which are the server's own writes.
registry::WriteContext WriteContextOf(const Call& call,
                                      registry::Subresource subresource,
                                      const SeenNamespace& namespace_);

}  // namespace dray::server::verbs
