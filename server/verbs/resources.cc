// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/resources.h"

#include <atomic>
#include <optional>
#include <utility>
#include <vector>

#include "base/try.h"
#include "server/errors/errors.h"
#include "server/registry/strategy.h"
#include "server/storage/keys.h"
#include "server/storage/run_sequence.h"
#include "server/storage/write_session.h"
#include "server/verbs/admission/mutating_policies.h"
#include "server/verbs/admission/validating_policies.h"
#include "server/verbs/admission/webhook_lists.h"
#include "server/verbs/context/first_objects.h"
#include "server/verbs/context/rights.h"
#include "server/verbs/controllers/definitions.h"
#include "server/verbs/controllers/remote_apis.h"
#include "server/verbs/conversion/conversion.h"
#include "server/verbs/conversion/watch_conversions.h"
#include "server/verbs/read/past.h"
#include "server/verbs/read/read.h"
#include "server/verbs/reviews/review.h"
#include "server/verbs/subresources/subresources.h"
#include "server/verbs/tokens/service_accounts.h"
#include "server/verbs/tokens/tokens.h"
#include "server/verbs/write/write.h"

namespace dray::server::verbs {

struct Resources::Parts {
  explicit Parts(Core parts) : core(std::move(parts)), hub(core.store) {}
  Core core;
  WatchHub hub;
  std::atomic<unsigned> made = 0;  // bits of FirstStep
  std::string address;             // of BootstrapCluster
  uint16_t port = 0;
  // Last: they end before all that they work on.
  std::optional<Definitions> definitions;
  std::optional<RemoteApis> remote_apis;
};

namespace {

unsigned Bit(FirstStep step) {
  return 1U << static_cast<unsigned>(step);
}

std::unique_ptr<storage::AllocationGuard> GuardOf(const store::Store& store,
                                                  const Options& options) {
  return options.exclusive_devices ? std::make_unique<storage::AllocationGuard>(store) : nullptr;
}

Task<Outcome> RefuseMethod() {
  co_return Fail(
      errors::WithoutSubject(StatusReason::kMethodNotAllowed,
                             "the server does not allow this method on the requested resource"));
}

bool IsBinding(const ResourceRequest& request) {
  return (request.kind->kind == "Pod" && request.subresource == "binding") ||
         (request.kind->kind == "Binding" && request.subresource.empty());
}

// Subresources that have a verb of their own, whatever the method.
std::optional<Task<Outcome>> DispatchPart(const Call& call) {
  const std::string& part = call.request->subresource;
  if (part == "scale") return ServeScale(call);
  if (part == "token" && call.request->verb == Verb::kCreate) return IssueToken(call);
  if (part == "eviction" && call.request->verb == Verb::kCreate) return Evict(call);
  if (NeedsRunningContainers(part)) return RefuseSimulated(call);
  return std::nullopt;
}

Task<Outcome> Dispatch(Call call) {
  const ResourceRequest& request = *call.request;
  if (!request.subresource.empty()) {
    std::optional<Task<Outcome>> part = DispatchPart(call);
    if (part.has_value()) return *std::move(part);
  }
  const bool is_binding = request.kind->group.empty() && IsBinding(request);
  if (is_binding && request.verb == Verb::kCreate) return Bind(call);
  if (IsReview(*request.kind) && request.verb == Verb::kCreate) return Review(call);
  if (is_binding || request.kind->create_only) return RefuseMethod();
  const bool is_plain = request.subresource.empty();
  switch (request.verb) {
    case Verb::kGet: return Get(call);
    case Verb::kUpdate: return Update(call);
    case Verb::kPatch: return Patch(call);
    case Verb::kCreate: return is_plain ? Create(call) : RefuseMethod();
    case Verb::kList: return is_plain ? List(call) : RefuseMethod();
    case Verb::kDelete: return is_plain ? Delete(call) : RefuseMethod();
    case Verb::kDeleteCollection: return is_plain ? DeleteCollection(call) : RefuseMethod();
    case Verb::kWatch: break;  // has no single answer: Resources::Watch()
  }
  return RefuseMethod();
}

}  // namespace

Resources::Resources(
    const api::Scheme& scheme, store::Store& store, World& world, Log log, const Options& options)
    : scheme_(scheme),
      parts_(std::make_unique<Parts>(Core{
          .scheme = scheme_,
          .store = store,
          .store_id = store.status().id,
          .world = world,
          .log = log,
          .options = options,
          .allocations = GuardOf(store, options),
          .lenient = std::make_shared<storage::LenientReader>(log),
          .lists = std::make_shared<storage::ListCache>(),
          .states_begin = std::make_shared<std::atomic<int64_t>>(0),
          .watches_begin = std::make_shared<std::atomic<int64_t>>(0),
          .rights = options.rbac ? std::make_shared<Rights>(store) : nullptr,
          .idle_kinds =
              options.warns_of_idle_kinds ? std::make_shared<IdleKinds>(std::move(log)) : nullptr,
          .policies = std::make_shared<admission::Policies>(options.rules.release()),
          .mutating_policies =
              std::make_shared<admission::MutatingPolicies>(options.rules.release()),
          .policy_checks = std::make_shared<policies::CheckMetrics>(options.metrics),
          .webhooks = std::make_shared<admission::WebhookLists>(
              world.clock, options.rules.release(), options.metrics),
          .watch_conversions = std::make_shared<WatchConversions>()})) {}

Resources::~Resources() {
  EndCalls();
  parts_->core.watch_conversions->WaitUntilIdle();
}

api::Release Resources::release() const {
  return parts_->core.options.release;
}

void Resources::ForgetStatesBefore(Revision revision) {
  parts_->core.states_begin->store(revision.value());
}

void Resources::DropIdleLists(WallTime now) {
  parts_->core.lists->DropIdle(now);
}

Result<User> Resources::UserOfToken(std::string_view token) const {
  DRAY_TRY(TokenOwner owner, OwnerOfToken(parts_->core, token, {}));
  return std::move(owner.user);
}

Task<> Resources::Bootstrap() {
  DRAY_CO_TRY_VOID(co_await MakeNamespaces(&parts_->core));
  CatchUp();
  if (!parts_->definitions.has_value()) {
    parts_->definitions.emplace(parts_->core, parts_->hub, scheme_);
    DRAY_CO_TRY_VOID(parts_->definitions->Start());
    parts_->remote_apis.emplace(parts_->core, parts_->hub);
    DRAY_CO_TRY_VOID(parts_->remote_apis->Start());
  }
  Note(FirstStep::kNamespaces);
  co_return {};
}

Task<> Resources::BootstrapObjects() {
  DRAY_CO_TRY_VOID(co_await MakeFirstObjects(&parts_->core));
  DRAY_CO_TRY_VOID(co_await RepairPolicy(&parts_->core));
  Note(FirstStep::kObjects);
  co_return {};
}

Task<> Resources::BootstrapCluster(std::string address, uint16_t port) {
  parts_->address = address;
  parts_->port = port;
  DRAY_CO_TRY_VOID(co_await MakeCluster(&parts_->core, std::move(address), port));
  Note(FirstStep::kCluster);
  co_return {};
}

const RemoteApis* Resources::remote_apis() const {
  return parts_->remote_apis.has_value() ? &*parts_->remote_apis : nullptr;
}

OwnWrites& Resources::own_writes() const {
  return *parts_->core.own_writes;
}

Task<> Resources::RepeatOwnWrites() {
  DRAY_CO_TRY_VOID(co_await RepairPolicy(&parts_->core));
  DRAY_CO_TRY_VOID(co_await MakeAccounts(&parts_->core));
  co_return co_await MakeCluster(&parts_->core, parts_->address, parts_->port);
}

bool Resources::HasMade(FirstStep step) const {
  return (parts_->made.load() & Bit(step)) != 0;
}

void Resources::Note(FirstStep step) {
  parts_->made.fetch_or(Bit(step));
}

Task<> Resources::BootstrapAccounts(std::string certificates) {
  parts_->core.trusted_by_clients = std::move(certificates);
  return MakeAccounts(&parts_->core);
}

Rights* Resources::rights() const {
  return parts_->core.rights.get();
}

const std::shared_ptr<access::TokenIssuer>& Resources::tokens() const {
  return parts_->core.options.tokens;
}

void Resources::BeginWatchesAt(Revision revision) {
  parts_->core.watches_begin->store(revision.value());
}

void Resources::CatchUp() {
  if (parts_->core.allocations != nullptr) parts_->core.allocations->CatchUp();
}

Task<Answer> context::CarryOutOwn(const Core* core,
                                  storage::WriteSession* session,
                                  ResourceRequest request) {
  Answer answer;
  ConversionMemo conversions;
  const Call call{.core = core,
                  .request = &request,
                  .session = session,
                  .warnings = &answer.warnings,
                  .conversions = &conversions,
                  .is_own = true};
  Result<Outcome> outcome = co_await Dispatch(call);
  answer.outcome = std::move(outcome);
  co_return answer;
}

namespace {

// If `sequence` is not null, the request's first write is a step of it.
Task<Answer> CarryOut(const Core* core, ResourceRequest request, storage::WriteSequence* sequence) {
  Answer answer;
  ShareBudget::Claim decoded(core->decoded, request.owner);
  ConversionMemo conversions;
  storage::WriteSession session(
      core->store,
      {.workers = core->options.workers, .line = LineOf(request.owner), .sequence = sequence});
  const Call call{.core = core,
                  .request = &request,
                  .session = &session,
                  .warnings = &answer.warnings,
                  .annotations = &answer.annotations,
                  .decoded = &decoded,
                  .conversions = &conversions};
  Result<Outcome> outcome = co_await Dispatch(call);
  answer.outcome = std::move(outcome);
  co_return answer;
}

}  // namespace

Task<Answer> Resources::Handle(ResourceRequest request) {
  return CarryOut(&parts_->core, std::move(request), nullptr);
}

bool Resources::takes_steps() const {
  return parts_->core.store.takes_steps();
}

Task<std::vector<Result<Answer>>> Resources::HandleInSequence(
    std::vector<ResourceRequest> requests) {
  const Core* const core = &parts_->core;
  const size_t count = requests.size();
  auto begin = [core, requests = std::move(requests)](size_t i,
                                                      storage::WriteSequence* sequence) mutable {
    return CarryOut(core, std::move(requests[i]), sequence);
  };
  return storage::RunSequence<Answer>(&core->store, count, std::move(begin));
}

bool Resources::IsLong(const ResourceRequest& request) const {
  const bool is_read = request.verb == Verb::kGet || request.verb == Verb::kList;
  const Core& core = parts_->core;
  const bool chooses =
      core.policies->chooses_parameters() || core.mutating_policies->chooses_parameters();
  if (!is_read && chooses) return true;
  if (request.verb == Verb::kCreate && request.name.empty()) return false;
  const api::KindInfo& hub = request.kind->storage();
  const Frozen<store::Snapshot> snapshot = parts_->core.store.Read();
  if (!request.name.empty()) {
    const std::string key = storage::ObjectKey(hub, request.namespace_, request.name);
    const store::Record* record = snapshot->Find(key);
    return record != nullptr && record->value->size() > kShortBytes;
  }
  const std::string prefix = storage::CollectionPrefix(hub, request.namespace_);
  const store::RecordRange records = snapshot->Range({.prefix = prefix});
  if (records.size() > kShortRecords) return true;
  size_t bytes = 0;
  for (const store::Record& record : records) bytes += record.value->size();
  return bytes > kShortBytes;
}

Result<Revision> Resources::ReadPast(const ResourceRequest& request,
                                     Revision after,
                                     const SeePast& see) const {
  return verbs::ReadPast(parts_->core, request, after, see);
}

Revision Resources::past_begin() const {
  return parts_->core.store.status().floor;
}

std::vector<Resources::Count> Resources::CountObjects() const {
  const Frozen<store::Snapshot> snapshot = parts_->core.store.Read();
  std::vector<Count> counts;
  const Frozen<api::Scheme> scheme = parts_->core.scheme.Now();
  for (const api::KindInfo* kind : scheme->kinds()) {
    const bool is_listed = &kind->storage() == kind && !kind->plural.empty();
    if (!is_listed || !registry::StrategyOf(*kind).is_stored) continue;
    counts.push_back(
        {.kind = kind, .objects = snapshot->Count({.prefix = storage::ResourcePrefix(*kind)})});
  }
  return counts;
}

void Resources::EndCalls() {
  parts_->core.webhooks->caller().Close();
}

WorkerPool* Resources::workers() const {
  return parts_->core.options.workers;
}

bool Resources::MustPrepareWatch(const ResourceRequest& request) const {
  return MayNeedWebhook(*request.kind);
}

Task<> Resources::PrepareWatch(ResourceRequest request) {
  return verbs::PrepareWatch(&parts_->core, std::move(request));
}

Result<std::unique_ptr<WatchCursor>> Resources::Watch(const ResourceRequest& request) {
  return OpenWatch(parts_->core, parts_->hub, request);
}

}  // namespace dray::server::verbs
