// SPDX-License-Identifier: Apache-2.0
// Level triggered: keys of pods and rules go through one queue, and a key is handled by looking at
// what is there now. A pod is only deleted after a live look, by its uid.
#include "controllers/device_taint_eviction.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/claims/pod_claims.h"
#include "api/claims/pod_groups.h"
#include "api/meta_v1/options.h"
#include "base/try.h"
#include "client/loop.h"
#include "client/read_modify_write.h"
#include "controllers/claim_generation.h"
#include "controllers/key_loop.h"
#include "dray/taint_rules.h"

namespace dray::controllers {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;
using resource_v1::ResourceClaim;
using resource_v1::ResourceSlice;

// Limit of a wait for a moment, because clocks may be set meanwhile.
constexpr std::chrono::seconds kLookAgain{3600};

// Upstream's.
constexpr std::array kDeletionSecondsBounds = {
    0.005, 0.025, 0.1, 0.5, 1.0, 2.5, 10.0, 30.0, 60.0, 120.0, 180.0, 240.0};

constexpr std::string_view kEvicts = "NoExecute";
constexpr const api::KindInfo& kEvictedKind = api::Reflected<core_v1::Pod>::kKind;

std::string PoolKey(std::string_view driver, std::string_view pool) {
  return fmt::format("{}/{}", driver, pool);
}

std::string PoolKeyOf(const ResourceSlice& slice) {
  return PoolKey(slice.spec.driver, slice.spec.pool.name);
}

bool Evicts(const ResourceSlice& slice) {
  return std::ranges::any_of(slice.spec.devices, [](const resource_v1::Device& device) {
    return std::ranges::find(device.taints, kEvicts, &resource_v1::DeviceTaint::effect) !=
           device.taints.end();
  });
}

}  // namespace

DeviceTaintEviction::DeviceTaintEviction(
    client::Client& client, World& world, client::SharedInformers& informers, Log log, bool rules)
    : client_(client),
      world_(world),
      log_(std::move(log)),
      events_(client, world, "device-taint-eviction-controller", log_),
      keys_({.clock = world.clock, .log = log_, .failed = "a pod or a rule waits for now"}),
      pods_(informers.Of(kEvictedKind)),
      claims_(informers.Of(api::Reflected<ResourceClaim>::kKind)),
      slices_(informers.Of(api::Reflected<ResourceSlice>::kKind)) {
  claims_by_pool_ = claims_.AddIndex([](const api::Object& object, auto& values) {
    const auto& allocation = object.As<ResourceClaim>().status.allocation;
    if (!allocation.has_value()) return;
    for (const auto& device : allocation->devices.results) {
      values.push_back(PoolKey(device.driver, device.pool));
    }
  });
  slices_by_pool_ = slices_.AddIndex([](const api::Object& object, auto& values) {
    values.push_back(PoolKeyOf(object.As<ResourceSlice>()));
  });
  pods_by_group_ = pods_.AddIndex([](const api::Object& pod, auto& values) {
    if (std::string group = api::claims::PodGroupKeyOf(pod.As<core_v1::Pod>()); !group.empty()) {
      values.push_back(std::move(group));
    }
  });
  pods_.OnChange([this](auto* before, auto* after) { OnPod(before, after); });
  claims_.OnChange([this](auto* before, auto* after) { OnClaim(before, after); });
  slices_.OnChange([this](auto* before, auto* after) { OnSlice(before, after); });
  if (!rules) return;
  rules_ = &informers.Of(api::Reflected<Rule>::kKind);
  rules_->OnChange([this](auto* before, auto* after) { OnRule(before, after); });
}

void DeviceTaintEviction::CountIn(metrics::Registry& registry) {
  deletions_ =
      registry.CounterOf({.name = "device_taint_eviction_controller_pod_deletions_total",
                          .help = "Pods that had to go because of taints of their devices."});
  deletion_seconds_ = registry.HistogramOf(
      {.name = "device_taint_eviction_controller_pod_deletion_duration_seconds",
       .help = "From the moment that a pod had to go to its deletion, in seconds."},
      kDeletionSecondsBounds);
}

std::optional<MonotonicTime> DeviceTaintEviction::Step() {
  std::optional<MonotonicTime> next;
  bool synced = true;
  for (client::Informer* informer : {&pods_, &claims_, &slices_, rules_}) {
    if (informer == nullptr) continue;
    next = client::Earlier(next, informer->Step());
    synced = synced && informer->synced();
  }
  // With half a picture a toleration might be missed, or the newest generation of a pool.
  if (!synced) return next;
  if (keys_.MustStartOver()) EnqueueAll();
  keys_.Handle([this](const std::string& key) { return Sync(key); });
  const MonotonicTime now = world_.clock.Monotonic();
  next = client::Earlier(next, keys_.Next());
  if (next && *next <= now) return next;
  return events_.Send(kEventsPerStep) ? now : next;
}

// ------------------------------------------------------------------------------------------------
// Events to keys.

/// Without any, no pod is evicted and no claim needs a look.
bool DeviceTaintEviction::AnyTaints() const {
  return !tainted_slices_.empty() || !scheduled_.empty() ||
         (rules_ != nullptr && !rules_->objects().empty());
}

void DeviceTaintEviction::Enqueue(std::string_view type, std::string_view key) {
  keys_.Add(fmt::format("{}:{}", type, key));
}

void DeviceTaintEviction::EnqueueUsers(const ResourceClaim& claim) {
  for (const auto& consumer : claim.status.reserved_for) {
    const std::string key = fmt::format("{}/{}", claim.metadata.namespace_, consumer.name);
    switch (api::claims::KindOf(consumer)) {
      case api::claims::ConsumerKind::kPod: Enqueue("pod", key); break;
      case api::claims::ConsumerKind::kPodGroup:
        for (const std::string& pod : pods_.Indexed(pods_by_group_, key)) Enqueue("pod", pod);
        break;
      case api::claims::ConsumerKind::kOther: break;
    }
  }
}

void DeviceTaintEviction::EnqueueAll() {
  if (rules_ != nullptr) {
    for (const auto& [name, rule] : rules_->objects()) Enqueue("rule", name);
  }
  for (const auto& [key, claim] : claims_.objects()) EnqueueUsers(claim.As<ResourceClaim>());
}

void DeviceTaintEviction::OnPod(const api::Object* before, const api::Object* after) {
  if (after == nullptr) {
    scheduled_.erase(before->metadata().uid);
    return;
  }
  const auto& pod = after->As<core_v1::Pod>();
  const auto& extended = pod.status.extended_resource_claim_status;
  const bool has_claims = !pod.spec.resource_claims.empty() || extended.has_value();
  if (!has_claims || !AnyTaints()) return;
  if (before != nullptr) {
    const auto& old = before->As<core_v1::Pod>();
    const bool is_same = old.spec.node_name == pod.spec.node_name &&
                         old.status.resource_claim_statuses == pod.status.resource_claim_statuses &&
                         old.status.extended_resource_claim_status == extended;
    if (is_same) return;
  }
  Enqueue("pod", api::ObjectKey(pod.metadata));
}

void DeviceTaintEviction::OnClaim(const api::Object* before, const api::Object* after) {
  if (!AnyTaints()) return;
  if (before != nullptr) EnqueueUsers(before->As<ResourceClaim>());
  if (after != nullptr) EnqueueUsers(after->As<ResourceClaim>());
}

void DeviceTaintEviction::OnSlice(const api::Object* before, const api::Object* after) {
  const api::Object& object = after != nullptr ? *after : *before;
  const auto& slice = object.As<ResourceSlice>();
  const bool did = before != nullptr && Evicts(before->As<ResourceSlice>());
  const bool does = after != nullptr && Evicts(slice);
  if (does) {
    tainted_slices_.insert(slice.metadata.name);
  } else {
    tainted_slices_.erase(slice.metadata.name);
  }
  std::set<std::string> pools = {PoolKeyOf(slice)};
  if (before != nullptr) pools.insert(PoolKeyOf(before->As<ResourceSlice>()));
  for (const std::string& pool : pools) {
    // A slice of a newer generation takes taints back that one of an older has.
    const auto& others = slices_.Indexed(slices_by_pool_, pool);
    const bool is_tainted = std::ranges::any_of(
        others, [this](const std::string& slice) { return tainted_slices_.contains(slice); });
    if (!did && !does && !is_tainted) continue;
    for (const std::string& claim : claims_.Indexed(claims_by_pool_, pool)) {
      EnqueueUsers(claims_.Find(claim)->As<ResourceClaim>());
    }
  }
}

void DeviceTaintEviction::OnRule(const api::Object* before, const api::Object* after) {
  const bool is_same_rule =
      before != nullptr && after != nullptr && before->metadata().uid == after->metadata().uid;
  if (is_same_rule && before->As<Rule>().spec == after->As<Rule>().spec) return;
  if (before != nullptr && !is_same_rule) evicted_.erase(before->metadata().uid);
  // People see what is going to happen before it does.
  if (after != nullptr) Enqueue("rule", after->metadata().name);
  const auto evicts = [](const api::Object* rule) {
    return rule != nullptr && rule->As<Rule>().spec.taint.effect == kEvicts;
  };
  if (!evicts(before) && !evicts(after)) return;
  for (const auto& [key, claim] : claims_.objects()) EnqueueUsers(claim.As<ResourceClaim>());
}

Result<> DeviceTaintEviction::Sync(const std::string& key) {
  const MonotonicTime now = world_.clock.Monotonic();
  const std::string name = key.substr(key.find(':') + 1);
  return key.starts_with("pod:") ? SyncPod(name, now) : SyncRule(name, now);
}

// ------------------------------------------------------------------------------------------------
// Pods.

std::vector<const ResourceSlice*> DeviceTaintEviction::SlicesOf(const std::string& pool) const {
  std::vector<const ResourceSlice*> newest;
  for (const std::string& name : slices_.Indexed(slices_by_pool_, pool)) {
    const auto& slice = slices_.Find(name)->As<ResourceSlice>();
    const int64_t generation = slice.spec.pool.generation;
    if (!newest.empty() && newest.front()->spec.pool.generation > generation) continue;
    if (!newest.empty() && newest.front()->spec.pool.generation < generation) newest.clear();
    newest.push_back(&slice);
  }
  return newest;
}

void DeviceTaintEviction::VisitTaints(const resource_v1::DeviceRequestAllocationResult& device,
                                      const Rule* as_if,
                                      const VisitTaint& visit) const {
  if (!tainted_slices_.empty()) {
    for (const ResourceSlice* slice : SlicesOf(PoolKey(device.driver, device.pool))) {
      const auto found =
          std::ranges::find(slice->spec.devices, device.device, &resource_v1::Device::name);
      if (found == slice->spec.devices.end()) continue;
      for (const resource_v1::DeviceTaint& taint : found->taints) {
        if (taint.effect == kEvicts) visit(taint, {});
      }
      break;
    }
  }
  if (rules_ == nullptr) return;
  for (const auto& [name, object] : rules_->objects()) {
    const auto& rule = object.As<Rule>();
    const bool simulated = as_if != nullptr && as_if->metadata.uid == rule.metadata.uid;
    if (rule.spec.taint.effect != kEvicts && !simulated) continue;
    if (!allocator::MatchesDevice(rule, {device.driver, device.pool, device.device})) continue;
    resource_v1::DeviceTaint taint = rule.spec.taint;
    taint.effect = kEvicts;
    visit(taint, name);
  }
}

std::optional<Eviction> DeviceTaintEviction::EvictionOfPod(const core_v1::Pod& pod,
                                                           const Rule* as_if) const {
  if (pod.spec.node_name.empty()) return std::nullopt;
  const auto taints_of = [&](const auto& device, const VisitTaint& visit) {
    VisitTaints(device, as_if, visit);
  };
  std::optional<Eviction> eviction;
  const auto add = [&](std::string_view name, bool generated) {
    const api::Object* found = claims_.Find(fmt::format("{}/{}", pod.metadata.namespace_, name));
    if (found == nullptr) return;
    const auto& claim = found->As<ResourceClaim>();
    if (!claim.status.allocation.has_value()) return;
    if (generated && !api::claims::IsMadeFor(claim.metadata, pod)) return;
    if (!api::claims::IsKeptFor(claim, pod)) return;
    const std::optional<Eviction> one = EvictionOf(*claim.status.allocation, taints_of);
    if (!one.has_value()) return;
    if (eviction.has_value()) return eviction->Join(*one);
    eviction = one;
  };
  for (const auto& entry : pod.spec.resource_claims) {
    const auto target = api::claims::TargetOf(pod, entry);
    if (target.state == api::claims::Target::State::kClaim) add(target.name, target.generated);
  }
  const auto& extended = pod.status.extended_resource_claim_status;
  if (extended.has_value()) add(extended->resource_claim_name, true);
  return eviction;
}

Result<> DeviceTaintEviction::SyncPod(const std::string& key, MonotonicTime now) {
  const api::Object* found = pods_.Find(key);
  if (found == nullptr) return {};
  const api::Object pod = *found;
  const std::string& uid = pod.metadata().uid;
  if (pod.metadata().deletion_timestamp.has_value()) {
    scheduled_.erase(uid);
    return {};
  }
  const std::optional<Eviction> eviction = EvictionOfPod(pod.As<core_v1::Pod>(), nullptr);
  if (!eviction.has_value()) {
    if (scheduled_.erase(uid) == 0) return {};
    events_.Record(pod,
                   {.type = client::EventType::kNormal,
                    .reason = "DeviceTaintManagerEviction",
                    .message = "Cancelling deletion",
                    .action = {}});
    return {};
  }
  scheduled_.insert_or_assign(uid, *eviction);
  for (const std::string& rule : eviction->rules) {
    keys_.AddAt("rule:" + rule, now + kStatusPeriod);
  }
  // In seconds: what a time can hold is beyond what nanoseconds can.
  const int64_t left =
      eviction->at.unix_seconds() - api::Time::Of(world_.clock.Now()).unix_seconds();
  if (left > 0) {
    const std::chrono::seconds wait(std::min<int64_t>(left, kLookAgain.count()));
    keys_.AddAt("pod:" + key, now + wait);
    return {};
  }
  DRAY_TRY_VOID(Evict(pod, *eviction));
  scheduled_.erase(uid);
  return {};
}

Result<> DeviceTaintEviction::Evict(const api::Object& known, const Eviction& eviction) {
  const Result<api::Object> live = client_.Get(client::RefOf(known));
  if (!live && !IsMissing(live.error())) return Fail(live.error());
  const bool is_gone = !live || live->metadata().uid != known.metadata().uid ||
                       live->metadata().deletion_timestamp.has_value();
  if (is_gone) return {};
  events_.Record(*live,
                 {.type = client::EventType::kNormal,
                  .reason = "DeviceTaintManagerEviction",
                  .message = "Marking for deletion",
                  .action = {}});
  const api::Time now = api::Time::Of(world_.clock.Now());
  DRAY_TRY_VOID(client::ReadModifyWrite(
      client_, *live, "status", [&](api::Object& copy) -> Result<client::Change> {
        if (copy.metadata().uid != known.metadata().uid) return client::Change::kNothing;
        auto& conditions = copy.Mutable<core_v1::Pod>().status.conditions;
        auto condition =
            std::ranges::find(conditions, "DisruptionTarget", &core_v1::PodCondition::type);
        if (condition == conditions.end()) {
          condition = conditions.insert(conditions.end(), {.type = "DisruptionTarget"});
        }
        if (condition->status != "True") condition->last_transition_time = now;
        condition->status = "True";
        condition->reason = "DeletionByDeviceTaintManager";
        condition->message = "Device Taint manager: deleting due to NoExecute taint";
        return client::Change::kWrite;
      }));
  api::meta_v1::DeleteOptions options;
  options.preconditions = api::meta_v1::Preconditions{.uid = known.metadata().uid};
  const Result<> deleted = client_.Delete(client::RefOf(known), options);
  if (!deleted && !IsMissing(deleted.error())) return Fail(deleted.error());
  deletions_.Add();
  const double when = std::chrono::duration<double>(world_.clock.Now().time_since_epoch()).count();
  deletion_seconds_.Observe(std::max(0.0, when - static_cast<double>(eviction.at.unix_seconds())));
  log_.Info("pod evicted", "pod", api::ObjectKey(known.metadata()));
  for (const std::string& name : eviction.rules) {
    if (const api::Object* rule = rules_->Find(name)) ++evicted_[rule->metadata().uid];
  }
  return {};
}

// ------------------------------------------------------------------------------------------------
// Rules.

void DeviceTaintEviction::CountDevices(const Rule& rule, RuleProgress& progress) const {
  std::set<std::string> pools;
  for (const auto& [name, slice] : slices_.objects()) {
    pools.insert(PoolKeyOf(slice.As<ResourceSlice>()));
  }
  for (const std::string& pool : pools) {
    for (const ResourceSlice* slice : SlicesOf(pool)) {
      for (const resource_v1::Device& device : slice->spec.devices) {
        const allocator::DeviceIdView id{slice->spec.driver, slice->spec.pool.name, device.name};
        if (allocator::MatchesDevice(rule, id)) ++progress.published_devices;
      }
    }
  }
  for (const auto& [key, object] : claims_.objects()) {
    const auto& allocation = object.As<ResourceClaim>().status.allocation;
    if (!allocation.has_value()) continue;
    for (const auto& device : allocation->devices.results) {
      const allocator::DeviceIdView id{device.driver, device.pool, device.device};
      if (allocator::MatchesDevice(rule, id)) ++progress.allocated_devices;
    }
  }
}

RuleProgress DeviceTaintEviction::ProgressOf(const Rule& rule) const {
  RuleProgress progress;
  if (const auto evicted = evicted_.find(rule.metadata.uid); evicted != evicted_.end()) {
    progress.evicted_pods = evicted->second;
  }
  const bool simulates = rule.spec.taint.effect == "None";
  if (simulates) CountDevices(rule, progress);
  if (!simulates && rule.spec.taint.effect != kEvicts) return progress;
  std::set<std::string> namespaces;
  for (const auto& [key, object] : pods_.objects()) {
    const auto& pod = object.As<core_v1::Pod>();
    if (pod.metadata.deletion_timestamp.has_value()) continue;
    const std::optional<Eviction> eviction = EvictionOfPod(pod, simulates ? &rule : nullptr);
    if (!eviction.has_value() || !eviction->rules.contains(rule.metadata.name)) continue;
    ++progress.pending_pods;
    namespaces.insert(pod.metadata.namespace_);
  }
  progress.pending_namespaces = namespaces.size();
  return progress;
}

Result<> DeviceTaintEviction::SyncRule(const std::string& name, MonotonicTime now) {
  const api::Object* found = rules_->Find(name);
  if (found == nullptr) return {};
  const api::Object object = *found;
  const auto& rule = object.As<Rule>();
  const auto& conditions = rule.status.conditions;
  const auto known =
      std::ranges::find(conditions, "EvictionInProgress", &api::meta_v1::Condition::type);
  const bool is_of_spec =
      known != conditions.end() && known->observed_generation == rule.metadata.generation;
  if (is_of_spec) {
    const int64_t since = api::Time::Of(world_.clock.Now()).unix_seconds() -
                          known->last_transition_time.unix_seconds();
    if (since >= 0 && since < kStatusPeriod.count()) {
      const std::chrono::seconds wait(kStatusPeriod.count() - since);
      keys_.AddAt("rule:" + name, now + wait);
      return {};
    }
  }
  const RuleProgress progress = ProgressOf(rule);
  // What is pending may be over already, and its end not seen yet.
  const bool may_end = rule.spec.taint.effect == kEvicts && progress.pending_pods > 0;
  if (may_end) keys_.AddAt("rule:" + name, now + kStatusPeriod);
  api::meta_v1::Condition condition = EvictionInProgress(rule.spec.taint.effect, progress);
  condition.observed_generation = rule.metadata.generation;
  if (known != conditions.end()) {
    condition.last_transition_time = known->last_transition_time;
    if (*known == condition) return {};
  }
  condition.last_transition_time = api::Time::Of(world_.clock.Now());
  return WriteStatus(object, std::move(condition));
}

Result<> DeviceTaintEviction::WriteStatus(const api::Object& rule,
                                          api::meta_v1::Condition condition) {
  DRAY_TRY(const api::Object written,
           client::ReadModifyWrite(
               client_, rule, "status", [&](api::Object& copy) -> Result<client::Change> {
                 if (copy.metadata().uid != rule.metadata().uid) return client::Change::kNothing;
                 auto& conditions = copy.Mutable<Rule>().status.conditions;
                 std::erase_if(conditions,
                               [&](const auto& known) { return known.type == condition.type; });
                 conditions.push_back(condition);
                 return client::Change::kWrite;
               }));
  rules_->Assume(written);
  return {};
}

}  // namespace dray::controllers
