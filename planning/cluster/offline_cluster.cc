// SPDX-License-Identifier: Apache-2.0
#include "planning/cluster/offline_cluster.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/claims/pod_claims.h"
#include "api/resource_v1/claim_template.h"
#include "base/text/spelling.h"
#include "base/zoneinfo.h"
#include "controllers/claim_generation.h"
#include "controllers/claim_sync.h"
#include "dray/profile.h"
#include "dray/selector.h"
#include "planning/cluster/claim_users.h"
#include "planning/cluster/pod_likeness.h"
#include "planning/cluster/switched_off.h"
#include "planning/objects/waiting.h"
#include "scheduler/cycle/pod_claims.h"
#include "scheduler/plugins/volumes.h"

namespace dray::planning::inline cluster {
namespace {

namespace v1 = api::resource_v1;
namespace core = api::core_v1;

std::vector<Frozen<v1::ResourceClaim>> WithoutDevices(const std::vector<api::Object>& claims) {
  std::vector<Frozen<v1::ResourceClaim>> wanted;
  for (const api::Object& claim : claims) {
    if (!claim.As<v1::ResourceClaim>().status.allocation.has_value())
      wanted.push_back(api::FrozenOf<v1::ResourceClaim>(claim));
  }
  return wanted;
}

/// In the order of a list request, because the first of equal devices is allocated. The last slice
/// of a name wins.
std::map<std::string, Frozen<v1::ResourceSlice>> ByName(
    const std::vector<Frozen<v1::ResourceSlice>>& slices) {
  std::map<std::string, Frozen<v1::ResourceSlice>> by_name;
  for (const auto& slice : slices) by_name.insert_or_assign(slice->metadata.name, slice);
  return by_name;
}

constexpr const char* kEnded = "the search was ended before it had an answer";

constexpr size_t kSelectorsKept = 10'000;

/// Why the node, the only candidate, rejects the pod.
std::string ReasonOf(const scheduler::Unschedulable& nowhere) {
  if (!nowhere.claim_reason.empty()) return nowhere.claim_reason;
  return fmt::format("{}", fmt::join(nowhere.node_reasons, ", "));
}

}  // namespace

std::string_view VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kFits: return "fits";
    case Verdict::kDoesNotFit: return "doesNotFit";
    case Verdict::kRefused: return "refused";
    case Verdict::kUndecided: return "undecided";
  }
  return {};
}

OfflineCluster::OfflineCluster(World& world, OfflineObjects objects, OfflineOptions options)
    : world_(world),
      objects_(std::move(objects)),
      options_(std::move(options)),
      cluster_({.features = options_.features,
                .selectors = options_.selectors != nullptr
                                 ? options_.selectors
                                 : allocator::SelectorCacheFor(
                                       options_.features, kSelectorsKept, ZoneFilesOf(world.disk)),
                .extended_resources = options_.extended_resources,
                .node_allocatable = options_.node_allocatable,
                .pod_groups = options_.pod_groups}) {
  FollowChanges();
  scheduler::ClusterObjects& known = cluster_.objects();
  for (const auto& [name, node] : objects_.nodes) known.nodes.Put(node);
  for (const auto& [name, one] : objects_.namespaces) known.namespaces.Put(one);
  for (const auto& one : objects_.classes) known.classes.Put(api::Object::Sharing(one));
  for (const auto& [name, one] : ByName(objects_.slices))
    known.slices.Put(api::Object::Sharing(one));
  for (const auto& [key, placed] : objects_.claims) {
    known.claims.Put(placed.object);
    const std::string owner = controllers::OwnerPodUid(placed.object.metadata());
    if (!owner.empty()) generated_[owner].push_back(key);
  }
  for (const PlacedObject& placed : objects_.pods) {
    if (IsStored(placed.object)) known.pods.Put(placed.object);
  }
  admission_.emplace(std::move(objects_.quotas),
                     std::move(objects_.limit_ranges),
                     std::move(objects_.priority_classes),
                     cluster_,
                     world_.clock.Now());
  for (const api::Object& one : objects_.looked_at) {
    api::Object stored = one.Clone();
    if (!IsStored(one)) admission_->FillIn(stored);  // the priority of a group of pods
    scheduler::MirrorOf(one, known).Put(stored);
  }
  for (PlacedObject& placed : objects_.pods) {
    if (!IsStored(placed.object)) placed.object = AsCreated(placed.object);
  }
  if (!options_.node.empty()) only_ = DomainOf(options_.node);
}

/// The new pod as the server would store it.
api::Object OfflineCluster::AsCreated(const api::Object& pod) {
  api::Object created = pod.Clone();
  admission_->FillIn(created);
  cluster_.objects().pods.Put(created);
  return created;
}

void OfflineCluster::SetUse(const scheduler::NodeState& node) {
  cluster_.use().SetState(node);
}

std::vector<std::string> OfflineCluster::NodeNames() const {
  std::vector<std::string> names;
  for (const auto& [name, node] : cluster_.objects().nodes.objects()) names.push_back(name);
  return names;
}

const std::vector<const scheduler::NodeState*>& OfflineCluster::LookedAt() const {
  return only_.has_value() ? only_->nodes : cluster_.use().nodes();
}

/// An empty domain if there is no node of that name.
scheduler::Domain OfflineCluster::DomainOf(const std::string& node) const {
  scheduler::Domain domain{.value = node, .nodes = {}};
  for (const scheduler::NodeState* state : cluster_.use().nodes()) {
    if (state->value().metadata.name == node) domain.nodes.push_back(state);
  }
  return domain;
}

std::string OfflineCluster::FixOf(const Claims& claims) const {
  std::set<std::string> classes;
  for (const auto& device_class : objects_.classes) classes.insert(device_class->metadata.name);
  for (const api::Object& claim : claims) {
    const auto& requests = claim.As<v1::ResourceClaim>().spec.devices.requests;
    for (size_t i = 0; i < requests.size(); ++i) {
      std::vector<std::pair<std::string, std::string>> named;  // field and class
      if (requests[i].exactly.has_value())
        named.emplace_back("exactly", requests[i].exactly->device_class_name);
      for (size_t j = 0; j < requests[i].first_available.size(); ++j) {
        named.emplace_back(fmt::format("firstAvailable[{}]", j),
                           requests[i].first_available[j].device_class_name);
      }
      for (const auto& [field, name] : named) {
        if (classes.contains(name)) continue;
        const std::vector<std::string> known(classes.begin(), classes.end());
        return fmt::format(
            "claim {}: spec.devices.requests[{}].{}.deviceClassName: no DeviceClass {} in the "
            "input; {}",
            api::ObjectKey(claim.metadata()),
            i,
            field,
            name,
            KnownNames(name, known));
      }
    }
  }
  const auto& lists = list_attributes_.Get([this] { return ListAttributes(objects_.slices); });
  return SwitchedOff(claims, lists, options_.features);
}

OfflineCluster::Missing OfflineCluster::MissingClaimOf(const core::Pod& pod) const {
  const std::string& in = pod.metadata.namespace_;
  const auto known = [&](const auto& objects) {
    std::vector<std::string> names;
    for (auto one = objects.lower_bound(in + "/"); one != objects.end(); ++one) {
      const auto& [key, object] = *one;
      if (!key.starts_with(in + "/")) break;
      names.push_back(key.substr(in.size() + 1));
    }
    return names;
  };
  for (size_t i = 0; i < pod.spec.resource_claims.size(); ++i) {
    const core::PodResourceClaim& entry = pod.spec.resource_claims[i];
    const std::string* const claim = api::claims::ClaimNamedBy(entry);
    const std::string* const pattern = api::claims::TemplateNamedBy(entry);
    const auto missing = [&](std::string_view kind, const std::string& name, const auto& objects) {
      return fmt::format("spec.resourceClaims[{}]: no {} {} in namespace {} of the input; {}",
                         i,
                         kind,
                         name,
                         in,
                         KnownNames(name, known(objects)));
    };
    if (claim != nullptr && FindClaim(in + "/" + *claim) == nullptr)
      return {.text = missing("ResourceClaim", *claim, cluster_.objects().claims.objects())};
    const auto target = api::claims::TargetOf(pod, entry);
    if (pattern != nullptr && target.state == api::claims::Target::State::kMissing)
      return {.text = missing("ResourceClaimTemplate", *pattern, objects_.templates),
              .is_template = true};
  }
  return {};
}

OfflineCluster::Refusal OfflineCluster::RefusalOf(const core::Pod& pod,
                                                  const scheduler::Gated& gated) const {
  Missing missing = MissingClaimOf(pod);
  if (missing.is_template) return {.reason = std::move(missing.text)};
  return {.reason = gated.message, .fix = std::move(missing.text)};
}

OfflineCluster::Refusal OfflineCluster::RefusalOf(const core::Pod& pod,
                                                  const scheduler::Unschedulable& nowhere) const {
  if (nowhere.claim_reason.empty()) return {};
  const bool is_volume =
      scheduler::VolumeNeedsOf(pod, cluster_).why_nowhere == nowhere.claim_reason;
  return {.hindrance = is_volume ? Hindrance::kVolumes : Hindrance::kDevices,
          .reason = nowhere.claim_reason};
}

bool OfflineCluster::IsMeant(const api::Object& object) const {
  if (options_.only.has_value()) {
    const std::string_view kind = object.If<core::Pod>() == nullptr ? "claim" : "pod";
    return options_.only->contains(fmt::format("{} {}", kind, api::ObjectKey(object.metadata())));
  }
  return options_.namespace_.empty() || object.metadata().namespace_ == options_.namespace_;
}

std::string OfflineCluster::StateOfPod(const core::Pod& pod) const {
  std::string state = StateOf(pod);
  if (state.empty() && options_.devices_only && !UsesDevices(pod))
    return "uses no claim and no extended resource";
  return state;
}

std::vector<OfflineAnswer> OfflineCluster::AllocateAll() {
  std::vector<OfflineAnswer> answers;
  std::set<std::string> of_pods;
  for (const PlacedObject& placed : objects_.pods) {
    if (options_.budget.IsCancelled()) return answers;
    const std::string what = "pod " + api::ObjectKey(placed.object.metadata());
    const bool is_meant = IsMeant(placed.object);
    if (!is_meant && !options_.queued.contains(what)) continue;
    if (!StateOfPod(placed.object.As<core::Pod>()).empty()) continue;
    Begin(what);
    api::Object pod = placed.object.Clone();
    PrepareClaims(pod);
    for (std::string& key : api::claims::KeysOf(pod.As<core::Pod>())) {
      of_pods.insert(std::move(key));
    }
    answers.push_back(AllocatePod(pod, placed.place));
    if (is_meant) DefragmentFor(answers.back());
    NoteCancelled(answers.back());
  }
  for (const std::string& key : WaitingClaims(of_pods)) {
    if (options_.budget.IsCancelled()) return answers;
    Begin("claim " + key);
    answers.push_back(AllocateClaim(key));
    DefragmentFor(answers.back());
    NoteCancelled(answers.back());
  }
  return answers;
}

void OfflineCluster::Begin(const std::string& what) const {
  if (options_.begins) options_.begins(what);
}

void OfflineCluster::NoteCancelled(OfflineAnswer& answer) const {
  if (!options_.budget.IsCancelled() || answer.verdict == Verdict::kFits) return;
  answer = {.what = std::move(answer.what),
            .place = std::move(answer.place),
            .verdict = Verdict::kUndecided,
            .reason = kEnded};
}

std::vector<LeftOut> OfflineCluster::NotDecided() const {
  std::vector<LeftOut> left_out;
  const auto add =
      [&](const api::Object& object, std::string_view kind, std::string state, bool is_settled) {
        if (state.empty() || !IsMeant(object)) return;
        left_out.push_back({.what = fmt::format("{} {}", kind, api::ObjectKey(object.metadata())),
                            .why = std::move(state),
                            .is_settled = is_settled});
      };
  for (const PlacedObject& placed : objects_.pods) {
    const auto& pod = placed.object.As<core::Pod>();
    const bool is_settled = !pod.spec.node_name.empty() || controllers::IsDone(pod);
    add(placed.object, "pod", StateOfPod(pod), is_settled);
  }
  for (const std::string& key : objects_.claim_order) {
    const api::Object& object = *FindClaim(key);
    const auto& claim = object.As<v1::ResourceClaim>();
    add(object, "claim", StateOf(claim), claim.status.allocation.has_value());
  }
  std::ranges::sort(left_out, {}, &LeftOut::what);
  return left_out;
}

void OfflineCluster::DefragmentFor(OfflineAnswer& answer) {
  if (!options_.defragments || answer.verdict != Verdict::kDoesNotFit) return;
  if (auto moved = Defragment(answer.what)) {
    moved->place = answer.place;
    answer = *std::move(moved);
  }
}

OfflineAnswer OfflineCluster::AddPod(PlacedObject pod) {
  pod.object = AsCreated(pod.object);
  api::Object prepared = pod.object.Clone();
  PrepareClaims(prepared);
  const std::string place = pod.place;
  objects_.pods.push_back(std::move(pod));
  OfflineAnswer answer = AllocatePod(prepared, place);
  NoteCancelled(answer);
  return answer;
}

/// Creates the missing claims of the pod's templates, as the claim controller would. A pod that is
/// not created gets none.
void OfflineCluster::PrepareClaims(api::Object& object) {
  if (!IsStored(object) && !admission_->Admit(object, cluster_).empty()) return;
  auto& pod = object.Mutable<core::Pod>();
  std::vector<const api::Object*> owned;
  for (const std::string& key : generated_[pod.metadata.uid]) owned.push_back(FindClaim(key));
  controllers::PodPlan plan =
      controllers::PlanClaims(pod, owned, [this](std::string_view key) { return FindClaim(key); });
  pod.status.resource_claim_statuses.clear();
  for (auto& known : plan.known) pod.status.resource_claim_statuses.push_back(std::move(known));
  for (const controllers::MissingClaim& missing : plan.missing) {
    const auto found =
        objects_.templates.find(pod.metadata.namespace_ + "/" + missing.template_name);
    if (found == objects_.templates.end()) continue;  // the pod then waits for this reason
    api::Object claim = controllers::MakeClaim(
        controllers::AsOwner(pod), missing.entry, found->second.As<v1::ResourceClaimTemplate>());
    api::meta_v1::ObjectMeta& metadata = claim.mutable_metadata();
    metadata.generate_name.clear();
    metadata.name = pod.metadata.name + "-" + missing.entry;
    while (FindClaim(api::ObjectKey(metadata)) != nullptr) metadata.name += "-0";
    const api::Object stored = AsStored(world_, claim, metadata.namespace_);
    if (std::string why = admission_->Admit(stored, cluster_); !why.empty()) {
      refused_claims_.try_emplace(pod.metadata.uid,
                                  fmt::format("failed to create ResourceClaim: {}", why));
      continue;
    }
    pod.status.resource_claim_statuses.push_back(
        {.name = missing.entry, .resource_claim_name = metadata.name});
    generated_[pod.metadata.uid].push_back(api::ObjectKey(metadata));
    cluster_.objects().claims.Put(stored);
  }
}

api::Object OfflineCluster::Allocated(const std::string& key,
                                      const api::Object& pod,
                                      const api::Maybe<v1::AllocationResult>& result) const {
  api::Object changed = FindClaim(key)->Clone();
  auto& claim = changed.Mutable<v1::ResourceClaim>();
  if (result) claim.status.allocation = result;
  if (!pod.empty() && !api::claims::IsReservedFor(claim, pod.metadata().uid)) {
    claim.status.reserved_for.push_back(
        {.resource = "pods", .name = pod.metadata().name, .uid = pod.metadata().uid});
  }
  return changed;
}

scheduler::AttemptOptions OfflineCluster::OptionsFor(const scheduler::Domain* only) const {
  static const scheduler::Profile kProfile;
  return {.profile = kProfile,
          .budget = options_.budget,
          .now = world_.clock.Now(),
          .first_node = only == nullptr ? first_node_ : 0,
          .member = {.domain = only}};
}

OfflineCluster::Decided OfflineCluster::Decide(const api::Object& pod,
                                               const Claims& claims,
                                               const scheduler::Domain* only,
                                               PodSearches& searches) const {
  bool gave_up = false;
  scheduler::AttemptOptions options = OptionsFor(only);
  options.member.search = [&](auto wanted) {
    const allocator::Attempt& search = searches.For(cluster_.Devices(), wanted);
    return [&](const core::Node& node) {
      Result<allocator::Outcome> outcome = search.Allocate(node, options_.budget);
      gave_up = gave_up || (outcome && std::holds_alternative<allocator::Undecided>(*outcome));
      return outcome;
    };
  };
  scheduler::Decision decision = scheduler::TryPod(cluster_, pod.As<core::Pod>(), claims, options);
  return {.decision = std::move(decision), .gave_up = gave_up};
}

std::vector<std::string> OfflineCluster::ObjectionsTo(const api::Object& pod,
                                                      const Claims& claims) const {
  return scheduler::NodeObjections(cluster_, pod.As<core::Pod>(), claims, OptionsFor(only()));
}

OfflineCluster::Refusal OfflineCluster::WhyNotLetIn(const api::Object& pod) {
  if (!IsStored(pod)) {
    if (std::string why = admission_->Admit(pod, cluster_); !why.empty())
      return {.hindrance = Hindrance::kCreation, .reason = std::move(why)};
  }
  if (std::string why = WhyNotTried(pod.As<core::Pod>()); !why.empty())
    return {.hindrance = Hindrance::kGates, .reason = std::move(why)};
  const auto refused = refused_claims_.find(pod.metadata().uid);
  if (refused == refused_claims_.end()) return {};
  return {.hindrance = Hindrance::kClaims, .reason = refused->second};
}

OfflineAnswer OfflineCluster::AllocatePod(const api::Object& pod, const std::string& place) {
  OfflineAnswer answer{.what = "pod " + api::ObjectKey(pod.metadata()),
                       .place = place,
                       .note = NoteAbout(pod.As<core::Pod>())};
  const auto refuse = [&answer](Refusal refusal) {
    answer.verdict = Verdict::kRefused;
    answer.hindrance = refusal.hindrance;
    answer.reason = std::move(refusal.reason);
    answer.fix = std::move(refusal.fix);
    return answer;
  };
  if (Refusal refusal = WhyNotLetIn(pod); !refusal.reason.empty())
    return refuse(std::move(refusal));
  if (IsOfGroup(pod.As<core::Pod>())) return AllocateMember(pod, place);
  const auto resolved = scheduler::ResolveClaims(
      pod.As<core::Pod>(), [this](std::string_view key) { return FindClaim(key); });
  if (const auto* gated = std::get_if<scheduler::Gated>(&resolved))
    return refuse(RefusalOf(pod.As<core::Pod>(), *gated));
  auto claims = std::get<Claims>(resolved);
  if (std::string why = WhyNoMoreUsers(claims, pod.As<core::Pod>()); !why.empty())
    return refuse({.reason = std::move(why)});
  const bool is_brief = options_.answers != NodeAnswers::kEach && !options_.finds_failures;
  if (is_brief && !failed_.empty()) {
    const auto known = failed_.find(LikenessOf(pod.As<core::Pod>(), claims));
    if (known != failed_.end()) {
      answer.verdict = Verdict::kDoesNotFit;
      answer.reason = known->second;
      answer.fix = FixOfUnfit(pod.As<core::Pod>(), claims);
      return answer;
    }
  }
  PodSearches searches;
  if (options_.answers == NodeAnswers::kEach) {
    const std::vector<std::string> objections = ObjectionsTo(pod, claims);
    for (size_t i = 0; i < objections.size(); ++i)
      answer.nodes.push_back(AnswerOf(*LookedAt()[i], objections[i], pod, claims, searches));
  }
  const Decided decided = DecideWithRoom(pod, claims, searches, answer.evicts);
  if (const auto* placement = std::get_if<scheduler::Placement>(&decided.decision)) {
    TakePlace(*placement, pod, claims, answer);
    return answer;
  }
  if (const auto* failed = std::get_if<scheduler::AttemptFailed>(&decided.decision)) {
    answer.verdict = decided.gave_up ? Verdict::kUndecided : Verdict::kRefused;
    answer.reason = failed->message;
    answer.fix = FixOf(claims);
    return answer;
  }
  const auto& nowhere = std::get<scheduler::Unschedulable>(decided.decision);
  answer.verdict = nowhere.claim_reason.empty() ? Verdict::kDoesNotFit : Verdict::kRefused;
  answer.hindrance = RefusalOf(pod.As<core::Pod>(), nowhere).hindrance;
  answer.reason = scheduler::MessageOf(nowhere);
  if (!nowhere.claim_reason.empty()) {
    answer.fix = FixOf(claims);
    return answer;
  }
  answer.fix = FixOfUnfit(pod.As<core::Pod>(), claims);
  if (options_.finds_failures) answer.failures = FailuresOf(pod, claims);
  if (is_brief) KeepFailed(pod.As<core::Pod>(), claims, answer.reason);
  return answer;
}

void OfflineCluster::KeepFailed(const core::Pod& pod,
                                const Claims& claims,
                                const std::string& reason) {
  if (failed_.size() >= kLikenessesMax || !IsOfAllAlike(reason, claims)) return;
  std::string likeness = LikenessOf(pod, claims);
  if (!likeness.empty()) failed_.emplace(std::move(likeness), reason);
}

std::string OfflineCluster::FixOfUnfit(const core::Pod& pod, const Claims& claims) const {
  std::string fix = UnservedResource(pod);
  if (fix.empty()) fix = FixOf(claims);
  return fix;
}

void OfflineCluster::TakePlace(const scheduler::Placement& placement,
                               const api::Object& pod,
                               const Claims& claims,
                               OfflineAnswer& answer) {
  answer.node = placement.node;
  if (options_.nodes_take_turns) first_node_ = placement.next_first_node;
  client::Mirror& known = cluster_.objects().claims;
  for (size_t i = 0; i < claims.size(); ++i) {
    known.Put(Allocated(api::ObjectKey(claims[i].metadata()), pod, placement.allocations[i]));
    answer.claims.push_back(*FindClaim(api::ObjectKey(claims[i].metadata())));
  }
  if (placement.extended.has_value()) {
    answer.claims.push_back(ExtendedClaim(*placement.extended, pod));
    known.Put(answer.claims.back());
  }
  api::Object bound = pod.Clone();
  auto& value = bound.Mutable<core::Pod>();
  value.spec.node_name = placement.node;
  value.status.node_allocatable_resource_claim_statuses = placement.taken;
  cluster_.objects().pods.Put(bound);
}

NodeAnswer OfflineCluster::AnswerOf(const scheduler::NodeState& node,
                                    const std::string& objection,
                                    const api::Object& pod,
                                    const Claims& claims,
                                    PodSearches& searches) const {
  NodeAnswer answer{.node = node.value().metadata.name};
  if (!objection.empty()) {
    answer.verdict = Verdict::kDoesNotFit;
    answer.reason = objection;
    return answer;
  }
  const scheduler::Domain only{.value = {}, .nodes = {&node}};
  const Decided decided = Decide(pod, claims, &only, searches);
  if (const auto* placement = std::get_if<scheduler::Placement>(&decided.decision)) {
    for (size_t i = 0; i < claims.size(); ++i) {
      answer.claims.push_back(
          Allocated(api::ObjectKey(claims[i].metadata()), pod, placement->allocations[i]));
    }
    if (placement->extended.has_value())
      answer.claims.push_back(ExtendedClaim(*placement->extended, pod));
  } else if (const auto* failed = std::get_if<scheduler::AttemptFailed>(&decided.decision)) {
    answer.verdict = decided.gave_up ? Verdict::kUndecided : Verdict::kRefused;
    answer.reason = failed->message;
  } else {
    const auto& nowhere = std::get<scheduler::Unschedulable>(decided.decision);
    answer.verdict = Verdict::kDoesNotFit;
    answer.reason = ReasonOf(nowhere);
    if (nowhere.claim_reason.empty())
      answer.failure = FailureOn(node.value(), WantedOf(pod, claims));
  }
  return answer;
}

std::vector<Frozen<v1::ResourceClaim>> OfflineCluster::WantedOf(const api::Object& pod,
                                                                const Claims& claims) const {
  std::vector<Frozen<v1::ResourceClaim>> wanted = WithoutDevices(claims);
  if (auto claim = ClaimForResources(pod.As<core::Pod>())) wanted.push_back(std::move(claim));
  return wanted;
}

api::Object OfflineCluster::ExtendedClaim(const scheduler::ExtendedPlacement& extended,
                                          const api::Object& pod) const {
  v1::ResourceClaim claim = extended.claim;
  api::meta_v1::ObjectMeta& metadata = claim.metadata;
  metadata.name = metadata.generate_name.empty() ? pod.metadata().name : metadata.generate_name;
  metadata.generate_name.clear();
  while (metadata.name.ends_with('-')) metadata.name.pop_back();
  while (FindClaim(api::ObjectKey(metadata)) != nullptr) metadata.name += "-0";
  claim.status.allocation = extended.allocation;
  claim.status.reserved_for.push_back(
      {.resource = "pods", .name = pod.metadata().name, .uid = pod.metadata().uid});
  return AsStored(world_, api::Object::Of(std::move(claim)), pod.metadata().namespace_);
}

std::optional<FirstFailure> OfflineCluster::FailureOn(
    const core::Node& node, std::span<const Frozen<v1::ResourceClaim>> claims) const {
  return FindFirstFailure(claims, [&](auto wanted) {
    return allocator::Attempt(cluster_.Devices(), wanted).Allocate(node, options_.budget);
  });
}

std::vector<FailureOnNodes> OfflineCluster::FailuresOf(const api::Object& pod,
                                                       const Claims& claims) const {
  FailureGroups groups;
  const std::vector<Frozen<v1::ResourceClaim>> wanted = WantedOf(pod, claims);
  const std::vector<std::string> objections = ObjectionsTo(pod, claims);
  for (size_t i = 0; i < objections.size(); ++i) {
    if (!objections[i].empty()) continue;
    const core::Node& node = LookedAt()[i]->value();
    if (auto failure = FailureOn(node, wanted)) groups.Add(*failure, node.metadata.name);
  }
  return groups.groups();
}

}  // namespace dray::planning::inline cluster
