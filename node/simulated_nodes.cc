// SPDX-License-Identifier: Apache-2.0
#include "node/simulated_nodes.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "api/claims/pod_claims.h"
#include "api/meta_v1/options.h"
#include "api/resource_v1/claim.h"
#include "base/try.h"
#include "client/read_modify_write.h"

namespace dray::node {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;

constexpr size_t kPodsPerStep = 32;
constexpr size_t kEventsPerStep = 16;
// When nodes and slices that a policy or quota refuses are tried again.
constexpr std::chrono::seconds kPublishAgainAfter{5};
// Where agents of nodes have their leases.
constexpr const char* kNodeLeases = "kube-node-lease";

/// Whether no agent has begun to run the pod.
bool IsNew(const core_v1::Pod& pod) {
  return pod.status.phase.empty() || pod.status.phase == "Pending";
}

}  // namespace

SimulatedNodes::SimulatedNodes(client::Client& client, World& world, Log log, Options options)
    : client_(client),
      world_(world),
      log_(std::move(log)),
      options_(std::move(options)),
      publisher_(client, options_.publish),
      events_(client, world, "kubelet", log_),
      queue_(options_.queue),
      claims_(client,
              api::Reflected<resource_v1::ResourceClaim>::kKind,
              world.clock,
              loop_.wakeup(),
              log_),
      pods_(client, api::Reflected<core_v1::Pod>::kKind, world.clock, loop_.wakeup(), log_),
      nodes_(client, api::Reflected<core_v1::Node>::kKind, world.clock, loop_.wakeup(), log_),
      leases_(client,
              api::Reflected<api::coordination_v1::Lease>::kKind,
              world.clock,
              loop_.wakeup(),
              log_,
              {.selection = {.namespace_ = kNodeLeases}}) {
  pods_by_claim_ = pods_.AddIndex([](const api::Object& pod, auto& values) {
    values = api::claims::KeysOf(pod.As<core_v1::Pod>());
  });
  pods_by_node_ = pods_.AddIndex([](const api::Object& pod, auto& values) {
    const std::string& node = pod.As<core_v1::Pod>().spec.node_name;
    if (!node.empty()) values.push_back(node);
  });
  nodes_.OnChange([this](auto* before, auto* after) { OnNode(before, after); });
  leases_.OnChange([this](auto* before, auto* after) { OnLease(before, after); });
  pods_.OnChange([this](auto* before, auto* after) { OnPod(before, after); });
  claims_.OnChange([this](auto* before, auto* after) { OnClaim(before, after); });
  for (const NodeGroup& group : options_.publish.groups) {
    for (size_t i = 0; i < group.count; ++i) {
      own_.emplace(fmt::format("{}-{}", group.profile, i), own_.size());
    }
  }
  numbers_ = own_;
}

SimulatedNodes::~SimulatedNodes() {
  Stop();
}

Result<> SimulatedNodes::Publish() {
  DRAY_TRY_VOID(publisher_.Publish());
  publish_again_ = world_.clock.Monotonic() + kPublishAgainAfter;
  return {};
}

void SimulatedNodes::PublishAgain(MonotonicTime now) {
  if (publisher_.done() || now < publish_again_) return;
  publisher_.PublishAgain();
  publish_again_ = now + kPublishAgainAfter;
}

void SimulatedNodes::Run() {
  loop_.Run(world_.clock, [this] { return Step(); });
}

void SimulatedNodes::Stop() {
  loop_.Stop();
}

std::optional<MonotonicTime> SimulatedNodes::Step() {
  PublishAgain(world_.clock.Monotonic());
  std::optional<MonotonicTime> next;
  if (!publisher_.done()) next = publish_again_;
  bool is_synced = true;
  for (client::Informer* informer : {&nodes_, &leases_, &claims_, &pods_}) {
    next = client::Earlier(next, informer->Step());
    is_synced = is_synced && informer->synced();
  }
  if (!is_synced) return next;
  ReportAbandonedNodes();
  if (queue_overflowed_ && queue_.size() == 0) {
    queue_overflowed_ = false;
    for (const auto& [key, pod] : pods_.objects()) OnPod(nullptr, &pod);
  }
  for (size_t i = 0; i < kPodsPerStep && !loop_.stopping(); ++i) {
    const MonotonicTime now = world_.clock.Monotonic();
    const std::optional<std::string> key = queue_.Pop(now);
    if (!key) break;
    const Result<> done = Handle(*key);
    if (done || done.error().reason == StatusReason::kNotFound) {
      queue_.Forget(*key);
    } else if (!queue_.AddRateLimited(*key, now)) {
      queue_overflowed_ = true;
    }
  }
  const MonotonicTime now = world_.clock.Monotonic();
  next = client::Earlier(next, queue_.Next(now));
  if (next && *next <= now) return next;
  return events_.Send(kEventsPerStep) ? now : next;
}

void SimulatedNodes::OnPod(const api::Object* /*before*/, const api::Object* after) {
  if (after == nullptr || after->As<core_v1::Pod>().spec.node_name.empty()) return;
  Enqueue(api::ObjectKey(after->metadata()));
}

void SimulatedNodes::OnNode(const api::Object* before, const api::Object* after) {
  if (after == nullptr) {
    const std::string& name = before->metadata().name;
    if (!own_.contains(name)) numbers_.erase(name);
    return keepers_.DropNode(name);
  }
  keepers_.SeeNode(after->As<core_v1::Node>(), api::Time::Of(world_.clock.Now()));
  if (before == nullptr) EnqueuePodsOn(after->metadata().name);
}

void SimulatedNodes::OnLease(const api::Object* before, const api::Object* after) {
  if (after != nullptr) {
    return keepers_.SeeLease(after->As<api::coordination_v1::Lease>(),
                             api::Time::Of(world_.clock.Now()));
  }
  keepers_.DropLease(before->metadata().name);
  EnqueuePodsOn(before->metadata().name);
}

void SimulatedNodes::EnqueuePodsOn(std::string_view node) {
  for (const std::string& pod : pods_.Indexed(pods_by_node_, node)) Enqueue(pod);
}

/// Once: those of an earlier run are among them.
void SimulatedNodes::ReportAbandonedNodes() {
  if (options_.simulate == Simulate::kAny || std::exchange(reported_abandoned_, true)) return;
  const bool runs_own = options_.simulate == Simulate::kOwn;
  const NodeKeepers::Abandoned abandoned =
      keepers_.AbandonedOf([&](std::string_view name) { return runs_own && own_.contains(name); },
                           api::Time::Of(world_.clock.Now()));
  if (abandoned.count == 0) return;
  log_.Warning("some nodes have no agent that runs their pods",
               "nodes",
               abandoned.count,
               "example",
               abandoned.example);
}

void SimulatedNodes::OnClaim(const api::Object* /*before*/, const api::Object* after) {
  if (after == nullptr) return;
  const std::string key = api::ObjectKey(after->metadata());
  for (const std::string& pod : pods_.Indexed(pods_by_claim_, key)) OnPod(nullptr, pods_.Find(pod));
}

void SimulatedNodes::Enqueue(const std::string& key) {
  if (!queue_.Add(key)) queue_overflowed_ = true;
}

NodeFacts SimulatedNodes::FactsFor(const core_v1::Pod& pod) {
  const size_t number = numbers_.try_emplace(pod.spec.node_name, numbers_.size()).first->second + 1;
  // Pods get 10.128.0.0/9 in turn, nodes 172.16.0.0/12.
  const uint32_t ip = next_ip_;
  return {.pod_ip = fmt::format("10.{}.{}.{}", 128 + (ip >> 16U) % 128, (ip >> 8U) % 256, ip % 256),
          .host_ip = fmt::format(
              "172.{}.{}.{}", 16 + (number >> 16U) % 16, (number >> 8U) % 256, number % 256),
          .now = api::Time::Of(world_.clock.Now())};
}

Result<> SimulatedNodes::Handle(const std::string& key) {
  const api::Object* found = pods_.Find(key);
  if (found == nullptr) return {};
  const api::Object pod = *found;
  const api::Time now = api::Time::Of(world_.clock.Now());
  const bool is_going = pod.metadata().deletion_timestamp.has_value();
  const Part part = PartOf(pod.As<core_v1::Pod>().spec.node_name, now);
  switch (part.what) {
    case Part::What::kAll: return RunPod(pod);
    case Part::What::kRemoval: return is_going ? Perform(pod, Remove{}) : Result<>();
    case Part::What::kNothing:
      // An agent may fall silent while its pods are to go.
      if (part.ask_again.has_value() && (is_going || IsNew(pod.As<core_v1::Pod>()))) {
        LookAgain(key, *part.ask_again);
      }
      return {};
  }
  return {};
}

SimulatedNodes::Part SimulatedNodes::PartOf(std::string_view node, api::Time now) const {
  using What = Part::What;
  const bool is_own = own_.contains(node);
  if (is_own && options_.simulate != Simulate::kNone) return {.what = What::kAll};
  const NodeKeepers::Answer answer = keepers_.Of(node, now);
  switch (answer.keeper) {
    case Keeper::kNobody:
      return {.what = options_.simulate == Simulate::kAny ? What::kAll : What::kRemoval};
    case Keeper::kSilentAgent: return {.what = What::kRemoval};
    case Keeper::kNoNode:
    case Keeper::kMayCome:
    case Keeper::kAgent: return {.what = What::kNothing, .ask_again = answer.ask_again};
  }
  return {};
}

Result<> SimulatedNodes::RunPod(const api::Object& pod) {
  const auto& value = pod.As<core_v1::Pod>();
  const auto find = [this](std::string_view claim) { return claims_.Find(claim); };
  const NodeFacts facts = FactsFor(value);
  PodAction action = NextAction(value, find, facts);
  if (std::holds_alternative<CannotStart>(action)) {
    // The claims' watch may be behind the pods'; the server knows.
    DRAY_TRY_VOID(RefreshClaims(value));
    action = NextAction(value, find, facts);
  }
  return Perform(pod, action);
}

/// Clients may write any year into the time. Looking earlier only costs another look.
void SimulatedNodes::LookAgain(const std::string& key, api::Time at) {
  const auto wait = std::min(
      std::chrono::seconds(at.unix_seconds() - api::Time::Of(world_.clock.Now()).unix_seconds()),
      std::chrono::seconds(kRunSecondsMax));
  if (!queue_.AddAt(key, world_.clock.Monotonic() + wait)) queue_overflowed_ = true;
}

Result<> SimulatedNodes::RefreshClaims(const core_v1::Pod& pod) {
  for (const std::string& key : api::claims::KeysOf(pod)) {
    const Result<api::Object> claim =
        client_.Get({.kind = &api::Reflected<resource_v1::ResourceClaim>::kKind,
                     .namespace_ = pod.metadata.namespace_,
                     .name = key.substr(key.find('/') + 1)});
    if (claim) {
      claims_.Assume(*claim);
    } else if (claim.error().reason != StatusReason::kNotFound) {
      return Fail(claim.error());
    }
  }
  return {};
}

Result<> SimulatedNodes::Perform(const api::Object& pod, const PodAction& action) {
  if (const auto* write = std::get_if<WriteStatus>(&action)) {
    if (write->status.phase == "Running") ++next_ip_;
    api::Object copy = pod.Clone();
    copy.Mutable<core_v1::Pod>().status = write->status;
    DRAY_TRY(const api::Object written, client_.Update(copy, "status"));
    pods_.Assume(written);
    return {};
  }
  if (std::holds_alternative<Remove>(action)) {
    api::meta_v1::DeleteOptions options;
    options.grace_period_seconds = 0;
    options.preconditions = api::meta_v1::Preconditions{.uid = pod.metadata().uid};
    return client_.Delete(client::RefOf(pod), options);
  }
  if (const auto* later = std::get_if<RequeueAt>(&action)) {
    LookAgain(api::ObjectKey(pod.metadata()), later->time);
    return {};
  }
  if (const auto* cannot = std::get_if<CannotStart>(&action)) {
    events_.Record(pod,
                   {.type = client::EventType::kWarning,
                    .reason = "FailedPrepareDynamicResources",
                    .message = cannot->why,
                    .action = {}});
  }
  return {};
}

}  // namespace dray::node
