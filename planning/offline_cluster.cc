// SPDX-License-Identifier: Apache-2.0
#include "planning/offline_cluster.h"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/claims/pod_claims.h"
#include "api/resource_v1/claim_template.h"
#include "base/spelling.h"
#include "base/zoneinfo.h"
#include "controllers/claim_generation.h"
#include "controllers/claim_sync.h"
#include "dray/profile.h"
#include "dray/selector.h"
#include "planning/waiting.h"
#include "scheduler/pod_claims.h"

namespace dray::planning {
namespace {

namespace v1 = api::resource_v1;
namespace core = api::core_v1;

constexpr const char* kNoDevices = "cannot allocate all claims";  // upstream's words

std::vector<Frozen<v1::ResourceClaim>> WithoutDevices(const std::vector<api::Object>& claims) {
  std::vector<Frozen<v1::ResourceClaim>> wanted;
  for (const api::Object& claim : claims) {
    if (!claim.As<v1::ResourceClaim>().status.allocation.has_value())
      wanted.push_back(api::FrozenOf<v1::ResourceClaim>(claim));
  }
  return wanted;
}

constexpr const char* kEnded = "the search was ended before it had an answer";

constexpr size_t kSelectorsKept = 10'000;

/// What a search about one claim found out before its budget ran out.
std::string GivenUp(const allocator::Undecided& undecided, const v1::ResourceClaim& claim) {
  std::string text = fmt::format("the search was given up after {} steps", undecided.steps);
  const auto& requests = claim.spec.devices.requests;
  if (undecided.request < requests.size())
    text += fmt::format(", at request {}", requests[undecided.request].name);
  return text;
}

/// Why one node, the only one looked at, does not take the pod.
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
      snapshot_(
          {.features = options_.features,
           .selectors = options_.selectors != nullptr
                            ? options_.selectors
                            : allocator::SelectorCacheFor(
                                  options_.features, kSelectorsKept, ZoneFilesOf(world.disk))},
          objects_.slices,
          objects_.classes,
          allocator::AllocatedState()),
      taken_(options_.features) {
  for (const auto& [name, node] : objects_.nodes) {
    nodes_.try_emplace(
        name,
        scheduler::NodeState{.node = node,
                             .allocatable = scheduler::AllocatableOf(node.As<core::Node>()),
                             .requested = {},
                             .pods = 0});
  }
  for (const auto& [name, state] : nodes_) {
    if (options_.node.empty() || name == options_.node) looked_at_.push_back(&state);
  }
  for (const auto& [key, placed] : objects_.claims) {
    const auto& claim = placed.object.As<v1::ResourceClaim>();
    taken_.SetClaim(claim.metadata.uid, &claim);
    const std::string owner = controllers::OwnerPodUid(claim.metadata);
    if (!owner.empty()) generated_[owner].push_back(key);
  }
  for (const auto& device_class : objects_.classes) {
    if (!options_.extended_resources) break;
    extended_.SetClass(device_class->metadata.name, device_class.get());
  }
  BringUpToDate();
  CountBoundPods();
}

void OfflineCluster::SetUse(const scheduler::NodeState& node) {
  nodes_.at(node.value().metadata.name) = node;
}

std::vector<std::string> OfflineCluster::NodeNames() const {
  std::vector<std::string> names;
  names.reserve(nodes_.size());
  for (const auto& [name, state] : nodes_) names.push_back(name);
  return names;
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
  return {};
}

OfflineCluster::Missing OfflineCluster::MissingClaimOf(const core::Pod& pod) const {
  const std::string& in = pod.metadata.namespace_;
  const auto known = [&](const auto& objects) {
    std::vector<std::string> names;
    for (auto one = objects.lower_bound(in + "/");
         one != objects.end() && one->first.starts_with(in + "/");
         ++one) {
      names.push_back(one->first.substr(in.size() + 1));
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
      return {.text = missing("ResourceClaim", *claim, objects_.claims)};
    const auto target = api::claims::TargetOf(pod, entry);
    if (pattern != nullptr && target.state == api::claims::Target::State::kMissing)
      return {.text = missing("ResourceClaimTemplate", *pattern, objects_.templates),
              .is_template = true};
  }
  return {};
}

std::pair<std::string, std::string> OfflineCluster::RefusalOf(const core::Pod& pod,
                                                              const scheduler::Gated& gated) const {
  Missing missing = MissingClaimOf(pod);
  if (missing.is_template) return {std::move(missing.text), ""};
  return {gated.message, std::move(missing.text)};
}

bool OfflineCluster::IsMeant(const api::Object& object) const {
  if (options_.only.has_value()) {
    const std::string_view kind = object.If<core::Pod>() == nullptr ? "claim" : "pod";
    return options_.only->contains(fmt::format("{} {}", kind, api::ObjectKey(object.metadata())));
  }
  return options_.namespace_.empty() || object.metadata().namespace_ == options_.namespace_;
}

void OfflineCluster::CountBoundPods() {
  for (const PlacedObject& placed : objects_.pods) {
    const auto& pod = placed.object.As<core::Pod>();
    const auto node = nodes_.find(pod.spec.node_name);
    if (node == nodes_.end() || controllers::IsDone(pod)) continue;
    ++node->second.pods;
    for (const auto& [resource, amount] : scheduler::RequestsOf(pod)) {
      node->second.requested[resource] += amount;
    }
  }
}

std::vector<OfflineAnswer> OfflineCluster::AllocateAll() {
  std::vector<OfflineAnswer> answers;
  std::set<std::string> of_pods;
  for (const PlacedObject& placed : objects_.pods) {
    if (options_.budget.IsCancelled()) return answers;
    if (!IsMeant(placed.object) || !StateOf(placed.object.As<core::Pod>()).empty()) continue;
    api::Object pod = placed.object.Clone();
    PrepareClaims(pod.Mutable<core::Pod>());
    for (std::string& key : api::claims::KeysOf(pod.As<core::Pod>())) {
      of_pods.insert(std::move(key));
    }
    answers.push_back(AllocatePod(pod, placed.place));
    DefragmentFor(answers.back());
    NoteCancelled(answers.back());
  }
  for (const std::string& key : WaitingClaims(of_pods)) {
    if (options_.budget.IsCancelled()) return answers;
    answers.push_back(AllocateClaim(key));
    DefragmentFor(answers.back());
    NoteCancelled(answers.back());
  }
  return answers;
}

std::vector<std::string> OfflineCluster::WaitingClaims(const std::set<std::string>& of_pods) const {
  // Most claims have devices: each is looked at once, and none is looked up.
  std::set<std::string_view> waiting;
  for (const auto& [key, placed] : objects_.claims) {
    if (Waits(placed.object.As<v1::ResourceClaim>()) && IsMeant(placed.object) &&
        !of_pods.contains(key))
      waiting.insert(key);
  }
  std::vector<std::string> in_order;
  if (waiting.empty()) return in_order;
  for (const std::string& key : objects_.claim_order) {
    if (waiting.contains(key)) in_order.push_back(key);
  }
  return in_order;
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
    add(placed.object, "pod", StateOf(pod), is_settled);
  }
  for (const std::string& key : objects_.claim_order) {
    const api::Object& object = objects_.claims.at(key).object;
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
  api::Object prepared = pod.object.Clone();
  PrepareClaims(prepared.Mutable<core::Pod>());
  const std::string place = pod.place;
  objects_.pods.push_back(std::move(pod));
  OfflineAnswer answer = AllocatePod(prepared, place);
  NoteCancelled(answer);
  return answer;
}

const api::Object* OfflineCluster::FindClaim(std::string_view key) const {
  const auto found = objects_.claims.find(std::string(key));
  return found == objects_.claims.end() ? nullptr : &found->second.object;
}

/// Makes the claims that the pod's templates describe and that are not there, as the claim
/// controller would.
void OfflineCluster::PrepareClaims(core::Pod& pod) {
  std::vector<const api::Object*> owned;
  for (const std::string& key : generated_[pod.metadata.uid]) owned.push_back(FindClaim(key));
  controllers::PodPlan plan =
      controllers::PlanClaims(pod, owned, [this](std::string_view key) { return FindClaim(key); });
  pod.status.resource_claim_statuses.clear();
  for (auto& known : plan.known) pod.status.resource_claim_statuses.push_back(std::move(known));
  for (const controllers::MissingClaim& missing : plan.missing) {
    const auto found =
        objects_.templates.find(pod.metadata.namespace_ + "/" + missing.template_name);
    if (found == objects_.templates.end()) continue;  // the pod then waits, with that reason
    api::Object claim = controllers::MakeClaim(
        controllers::AsOwner(pod), missing.entry, found->second.As<v1::ResourceClaimTemplate>());
    api::meta_v1::ObjectMeta& metadata = claim.mutable_metadata();
    metadata.generate_name.clear();
    metadata.name = pod.metadata.name + "-" + missing.entry;
    while (FindClaim(api::ObjectKey(metadata)) != nullptr) metadata.name += "-0";
    pod.status.resource_claim_statuses.push_back(
        {.name = missing.entry, .resource_claim_name = metadata.name});
    generated_[pod.metadata.uid].push_back(api::ObjectKey(metadata));
    objects_.claims.insert_or_assign(
        api::ObjectKey(metadata), PlacedObject{AsStored(world_, claim, metadata.namespace_), ""});
  }
}

void OfflineCluster::BringUpToDate() {
  taken_.BringUpToDate(snapshot_);
}

api::Object OfflineCluster::Allocated(const std::string& key,
                                      const api::Object& pod,
                                      const std::optional<v1::AllocationResult>& result) const {
  api::Object changed = FindClaim(key)->Clone();
  auto& claim = changed.Mutable<v1::ResourceClaim>();
  if (result) claim.status.allocation = result;
  if (!pod.empty() && !api::claims::IsReservedFor(claim, pod.metadata().uid)) {
    claim.status.reserved_for.push_back(
        {.resource = "pods", .name = pod.metadata().name, .uid = pod.metadata().uid});
  }
  return changed;
}

void OfflineCluster::Keep(const std::string& key, api::Object claim) {
  taken_.SetClaim(claim.metadata().uid, &claim.As<v1::ResourceClaim>());
  BringUpToDate();
  objects_.claims.at(key).object = std::move(claim);
}

void OfflineCluster::Drop(const std::string& key) {
  const auto found = objects_.claims.find(key);
  taken_.SetClaim(found->second.object.metadata().uid, nullptr);
  objects_.claims.erase(found);
  BringUpToDate();
}

OfflineCluster::Decided OfflineCluster::DecideOn(std::span<const scheduler::NodeState* const> nodes,
                                                 const api::Object& pod,
                                                 const Claims& claims,
                                                 PodAttempt& attempt) const {
  bool gave_up = false;
  const scheduler::ClusterView view{
      .nodes = nodes,
      .first_node = nodes.size() == looked_at_.size() ? first_node_ : 0,
      .in_flight = [](std::string_view) { return false; },
      .has_class = [this](std::string_view name) { return snapshot_.FindClass(name) != nullptr; },
      .search =
          [&](auto wanted) {
            if (attempt == nullptr)
              attempt = std::make_unique<const allocator::Attempt>(snapshot_, wanted);
            return [&](const core::Node& node) {
              Result<allocator::Outcome> outcome = attempt->Allocate(node, options_.budget);
              gave_up =
                  gave_up || (outcome && std::holds_alternative<allocator::Undecided>(*outcome));
              return outcome;
            };
          },
      .class_of = [this](std::string_view resource) { return extended_.ClassOf(resource); }};
  scheduler::Decision decision = scheduler::Decide(pod.As<core::Pod>(), claims, view, {});
  return {.decision = std::move(decision), .gave_up = gave_up};
}

OfflineAnswer OfflineCluster::AllocatePod(const api::Object& pod, const std::string& place) {
  OfflineAnswer answer{.what = "pod " + api::ObjectKey(pod.metadata()), .place = place};
  const auto resolved = scheduler::ResolveClaims(
      pod.As<core::Pod>(), [this](std::string_view key) { return FindClaim(key); });
  if (const auto* gated = std::get_if<scheduler::Gated>(&resolved)) {
    answer.verdict = Verdict::kRefused;
    const auto [reason, fix] = RefusalOf(pod.As<core::Pod>(), *gated);
    answer.reason = reason;
    answer.fix = fix;
    return answer;
  }
  const auto& claims = std::get<Claims>(resolved);
  PodAttempt attempt;
  if (options_.answers == NodeAnswers::kEach) {
    for (const scheduler::NodeState* node : looked_at_) {
      answer.nodes.push_back(AnswerOf(*node, pod, claims, attempt));
    }
  }
  const Decided decided = DecideOn(looked_at_, pod, claims, attempt);
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
  answer.reason = scheduler::MessageOf(nowhere);
  if (nowhere.claim_reason.empty()) {
    answer.fix = UnservedResource(pod.As<core::Pod>());
    if (options_.finds_failures) answer.failures = FailuresOf(pod, claims);
  } else {
    answer.fix = FixOf(claims);
  }
  return answer;
}

void OfflineCluster::TakePlace(const scheduler::Placement& placement,
                               const api::Object& pod,
                               const Claims& claims,
                               OfflineAnswer& answer) {
  answer.node = placement.node;
  if (options_.nodes_take_turns) first_node_ = placement.next_first_node;
  for (size_t i = 0; i < claims.size(); ++i) {
    const std::string key = api::ObjectKey(claims[i].metadata());
    Keep(key, Allocated(key, pod, placement.allocations[i]));
    answer.claims.push_back(*FindClaim(key));
  }
  if (placement.extended.has_value()) {
    answer.claims.push_back(ExtendedClaim(*placement.extended, pod));
    const std::string key = api::ObjectKey(answer.claims.back().metadata());
    objects_.claims.insert_or_assign(key, PlacedObject{answer.claims.back(), answer.place});
    made_.push_back(key);
    Keep(key, answer.claims.back());
  }
  scheduler::NodeState& node = nodes_.at(placement.node);
  ++node.pods;
  for (const auto& [resource, amount] : scheduler::RequestsOf(pod.As<core::Pod>())) {
    node.requested[resource] += amount;
  }
}

NodeAnswer OfflineCluster::AnswerOf(const scheduler::NodeState& node,
                                    const api::Object& pod,
                                    const Claims& claims,
                                    PodAttempt& attempt) const {
  NodeAnswer answer{.node = node.value().metadata.name};
  const scheduler::NodeState* const only = &node;
  const Decided decided = DecideOn({&only, 1}, pod, claims, attempt);
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
    const bool is_node_ok = !scheduler::FilterNode(NeedsOf(pod.As<core::Pod>()), node).has_value();
    if (is_node_ok && nowhere.claim_reason.empty())
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
    return allocator::Attempt(snapshot_, wanted).Allocate(node, options_.budget);
  });
}

std::vector<FailureOnNodes> OfflineCluster::FailuresOf(const api::Object& pod,
                                                       const Claims& claims) const {
  FailureGroups groups;
  const scheduler::PodNeeds needs = NeedsOf(pod.As<core::Pod>());
  const std::vector<Frozen<v1::ResourceClaim>> wanted = WantedOf(pod, claims);
  for (const scheduler::NodeState* node : looked_at_) {
    if (scheduler::FilterNode(needs, *node).has_value()) continue;
    if (auto failure = FailureOn(node->value(), wanted)) {
      groups.Add(*failure, node->value().metadata.name);
    }
  }
  return groups.groups();
}

NodeAnswer OfflineCluster::AnswerOf(const core::Node& node,
                                    const std::string& key,
                                    const allocator::Attempt& attempt) const {
  NodeAnswer answer{.node = node.metadata.name, .verdict = Verdict::kDoesNotFit};
  const Result<allocator::Outcome> outcome = attempt.Allocate(node, options_.budget);
  if (!outcome) {
    answer.verdict = Verdict::kRefused;
    answer.reason = outcome.error().message;
  } else if (const auto* found = std::get_if<allocator::Allocation>(&*outcome)) {
    answer.verdict = Verdict::kFits;
    answer.claims.push_back(Allocated(key, {}, found->results[0]));
  } else if (const auto* none = std::get_if<allocator::Unsatisfiable>(&*outcome)) {
    answer.reason = none->node_error.empty() ? kNoDevices : none->node_error;
  } else {
    answer.verdict = Verdict::kUndecided;
    answer.reason = GivenUp(std::get<allocator::Undecided>(*outcome), *attempt.claims()[0]);
  }
  return answer;
}

OfflineAnswer OfflineCluster::AllocateClaim(const std::string& key) {
  OfflineAnswer answer{.what = "claim " + key,
                       .place = objects_.claims.at(key).place,
                       .verdict = Verdict::kDoesNotFit,
                       .reason = "no node has the devices it asks for"};
  const Claims claim{objects_.claims.at(key).object};
  const Frozen<v1::ResourceClaim> frozen = api::FrozenOf<v1::ResourceClaim>(claim[0]);
  const allocator::Attempt attempt(snapshot_, {&frozen, 1});
  const bool each = options_.answers == NodeAnswers::kEach;
  for (const scheduler::NodeState* state : looked_at_) {
    NodeAnswer here = AnswerOf(state->value(), key, attempt);
    if (here.verdict == Verdict::kRefused) {  // whatever the node: upstream tries no other one
      answer.verdict = here.verdict;
      answer.reason = here.reason;
      answer.fix = FixOf(claim);
      return answer;
    }
    if (here.verdict == Verdict::kFits && answer.verdict != Verdict::kFits) {
      answer.verdict = here.verdict;
      answer.reason.clear();
      answer.node = here.node;
      answer.claims = here.claims;
    } else if (answer.verdict == Verdict::kDoesNotFit && here.reason != kNoDevices) {
      answer.verdict = here.verdict;
      answer.reason = here.reason;
    }
    answer.nodes.push_back(std::move(here));
    if (answer.verdict == Verdict::kFits && !each) break;
  }
  const bool fits = answer.verdict == Verdict::kFits;
  FailureGroups failures;
  for (NodeAnswer& here : answer.nodes) {
    if (here.verdict != Verdict::kDoesNotFit || (fits && !each)) continue;
    here.failure = FailureOn(nodes_.at(here.node).value(), {&frozen, 1});
    if (!fits && here.failure.has_value()) failures.Add(*here.failure, here.node);
  }
  answer.failures = failures.groups();
  if (fits) Keep(key, answer.claims[0]);
  if (!each) answer.nodes.clear();
  return answer;
}

}  // namespace dray::planning
