// SPDX-License-Identifier: Apache-2.0
// The state of one request while a verb carries it out, and what all verbs need of it.
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
#include "server/policies/check_metrics.h"
#include "server/policies/evaluation.h"
#include "server/registry/write.h"
#include "server/storage/allocation_guard.h"
#include "server/storage/list_cache.h"
#include "server/storage/stored_object.h"
#include "server/storage/unreadable.h"
#include "server/storage/write_session.h"
#include "server/verbs/context/answer.h"
#include "server/verbs/context/idle_kinds.h"
#include "server/verbs/context/options.h"
#include "server/verbs/context/own_writes.h"
#include "server/verbs/context/request.h"
#include "store/snapshot.h"
#include "store/store.h"

namespace dray::server::verbs {
namespace admission {
class MutatingPolicies;  // server/verbs/admission/mutating_policies.h
class Policies;          // server/verbs/admission/validating_policies.h
class WebhookLists;      // server/verbs/admission/webhook_lists.h
}  // namespace admission
inline namespace conversion {
class WatchConversions;  // server/verbs/conversion/watch_conversions.h
}  // namespace conversion
}  // namespace dray::server::verbs

namespace dray::server::verbs::inline context {

class ConversionMemo;  // server/verbs/context/conversion_memo.h
class Rights;          // server/verbs/context/rights.h

/// Bytes of decoded objects that all requests under way hold together, except shared ones.
inline constexpr size_t kDecodedBytesMax = size_t{1} << 30;

/// State that all verbs share. Constant after construction, except for the memory of the reader.
struct Core {
  const api::LiveScheme& scheme;
  store::Store& store;
  std::string store_id;  // store::Status::id
  World& world;
  Log log;
  Options options;
  /// Null when allocations may overlap.
  std::shared_ptr<storage::AllocationGuard> allocations;
  std::shared_ptr<storage::LenientReader> lenient;
  std::shared_ptr<storage::ListCache> lists;
  /// The server no longer lists states before this revision (Resources::ForgetStatesBefore).
  std::shared_ptr<std::atomic<int64_t>> states_begin;
  /// Watches from a revision before this one are refused as too old (Resources::BeginWatchesAt).
  std::shared_ptr<std::atomic<int64_t>> watches_begin;
  /// Null: every user may do everything.
  std::shared_ptr<Rights> rights;
  /// Warns about kinds without a controller. Null: no warnings.
  std::shared_ptr<IdleKinds> idle_kinds;
  std::shared_ptr<admission::Policies> policies;
  std::shared_ptr<admission::MutatingPolicies> mutating_policies;
  std::shared_ptr<policies::CheckMetrics> policy_checks;
  std::shared_ptr<admission::WebhookLists> webhooks;
  std::shared_ptr<WatchConversions> watch_conversions;
  /// Memory of decoded objects that are only there for requests under way.
  std::shared_ptr<ShareBudget> decoded =
      std::make_shared<ShareBudget>(ShareLimits::EighthsOf(kDecodedBytesMax));
  /// Writes of the server itself that were refused.
  std::shared_ptr<OwnWrites> own_writes = std::make_shared<OwnWrites>();
  /// Limits reviews of tokens. The owner of a review takes the place of a client address.
  std::shared_ptr<access::TokenGate> reviewed_tokens =
      std::make_shared<access::TokenGate>(world.random.Next());
  /// Certificates (PEM) that clients trust, from Resources::BootstrapAccounts.
  std::string trusted_by_clients = {};

  /// The time at which an Event that is written now expires.
  WallTime event_end() const { return world.clock.Now() + options.event_life; }
};

using Outcome = std::variant<ObjectAnswer, ListAnswer, StatusAnswer>;

/// One request that a verb carries out. What the pointers refer to outlives the verb's task.
struct Call {
  const Core* core;
  const ResourceRequest* request;
  /// The request's reads and writes go through it; parts of a call share that of the whole call.
  storage::WriteSession* session;
  std::vector<std::string>* warnings;
  /// Receives annotations of policies for the audit log; null: they are dropped.
  std::vector<policies::PublishedAnnotation>* annotations = nullptr;
  /// The decoded body's claim on Core::decoded; null: the body is not counted.
  ShareBudget::Claim* decoded = nullptr;
  /// Objects in other versions that a webhook made; null: only their apiVersion changes.
  ConversionMemo* conversions = nullptr;
  /// Part of another call, about which the admission chain has been asked.
  bool is_admitted = false;
  /// A write of the server itself. Admission policies do not apply to it.
  bool is_own = false;
  /// The call deletes one object of a collection that is being deleted.
  bool of_collection = false;

  /// The version of the kind in the request.
  const api::KindInfo& kind() const { return *request->kind; }
  /// The version in which objects of the kind are stored, validated and changed.
  const api::KindInfo& hub() const { return request->kind->storage(); }
  storage::View view() const { return {.kind = request->kind, .release = request->release}; }
  storage::View storage() const { return storage::View::OfStorage(*request->kind); }
  /// The form in which objects are validated and changed: the stored form; for custom kinds the
  /// version of the request.
  storage::View worked_on() const;
  std::string key() const;
  WallTime now() const { return core->world.clock.Now(); }
};

/// The Namespace object of a request's objects, as a snapshot has it.
struct SeenNamespace {
  const store::Record* record = nullptr;  // null for cluster-scoped kinds; lives with the snapshot
  std::optional<storage::Item> item = std::nullopt;  // empty for cluster-scoped kinds
};

/// Errors: kNotFound  no such namespace.
Result<SeenNamespace> NamespaceOf(const store::Snapshot& snapshot,
                                  const api::KindInfo& kind,
                                  std::string_view namespace_);

/// Adds an annotation of the server itself for the audit log.
void Annotate(const Call& call, std::string key, std::string value);

/// Most records left out of an answer that warnings name one by one.
inline constexpr size_t kLeftOutMax = 10;

/// Warns about the records that were left out of the answer: names the first kLeftOutMax with the
/// reason, and counts the others.
void WarnLeftOut(const Call& call, const std::vector<std::string>& reasons);

/// The object in `record`, which the request names. Otherwise as storage::ItemOf.
/// Errors: kInternalError  the record cannot be decoded; the message gives the cause, and the way
///         to delete the record.
Result<std::optional<storage::Item>> ItemAskedFor(const Call& call,
                                                  storage::View view,
                                                  const store::Record& record);

/// Converts objects for code of the call that cannot wait; null: a webhook is never needed for the
/// kind. After what it did not know, the code runs again (conversion_memo.h).
api::CustomConverter* ConverterOf(const Call& call);

/// The writer of the call for managedFields.
api::managed_fields::Write WriterOf(const Call& call, registry::Subresource subresource);

/// The context of a write of the call; the caller keeps `namespace_` alive. The writer owns the
/// fields that change, except for bindings, which are the server's own writes.
registry::WriteContext WriteContextOf(const Call& call,
                                      registry::Subresource subresource,
                                      const SeenNamespace& namespace_);

}  // namespace dray::server::verbs::inline context
