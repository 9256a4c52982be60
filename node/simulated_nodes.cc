// SPDX-License-Identifier: Apache-2.0
#include "node/simulated_nodes.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "api/claims/pod_claims.h"
#include "api/meta_v1/options.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/slice.h"
#include "client/read_modify_write.h"
#include "node/profile.h"

namespace dray::node {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;

constexpr size_t kPodsPerStep = 32;
constexpr size_t kEventsPerStep = 16;

}  // namespace

SimulatedNodes::SimulatedNodes(client::Client& client, World& world, Log log, Options options)
    : client_(client),
      world_(world),
      log_(std::move(log)),
      options_(std::move(options)),
      events_(client, world, "kubelet", log_),
      queue_(options_.queue),
      claims_(client,
              api::Reflected<resource_v1::ResourceClaim>::kKind,
              world.clock,
              loop_.wakeup(),
              log_),
      pods_(client, api::Reflected<core_v1::Pod>::kKind, world.clock, loop_.wakeup(), log_) {
  pods_by_claim_ = pods_.AddIndex([](const api::Object& pod, auto& values) {
    values = api::claims::KeysOf(pod.As<core_v1::Pod>());
  });
  pods_.OnChange([this](auto* before, auto* after) { OnPod(before, after); });
  claims_.OnChange([this](auto* before, auto* after) { OnClaim(before, after); });
  for (const Options::Group& group : options_.profiles) {
    for (size_t i = 0; i < group.count; ++i) {
      numbers_.emplace(fmt::format("{}-{}", group.profile, i), numbers_.size());
    }
  }
}

SimulatedNodes::~SimulatedNodes() {
  Stop();
}

Result<> SimulatedNodes::Publish() {
  for (const Options::Group& group : options_.profiles) {
    for (size_t i = 0; i < group.count; ++i) DRAY_TRY_VOID(PublishNode(group.profile, i));
  }
  return {};
}

Result<> SimulatedNodes::PublishNode(std::string_view profile, size_t number) {
  DRAY_TRY(SimulatedNode made, MakeNode(profile, number));
  std::ranges::copy(options_.declared_features,
                    std::back_inserter(made.node.status.declared_features));
  DRAY_TRY_VOID(CreateIfMissing(api::Object::Of(std::move(made.node))));
  for (resource_v1::ResourceSlice& slice : made.slices) {
    DRAY_TRY_VOID(CreateIfMissing(api::Object::Of(std::move(slice))));
  }
  return {};
}

Result<> SimulatedNodes::CreateIfMissing(const api::Object& object) {
  const Result<api::Object> created = client_.Create(object);
  if (created || created.error().reason == StatusReason::kAlreadyExists) return {};
  return Fail(created.error());
}

void SimulatedNodes::Run() {
  loop_.Run(world_.clock, [this] { return Step(); });
}

void SimulatedNodes::Stop() {
  loop_.Stop();
}

std::optional<MonotonicTime> SimulatedNodes::Step() {
  std::optional<MonotonicTime> next = client::Earlier(claims_.Step(), pods_.Step());
  if (!claims_.synced() || !pods_.synced()) return next;
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
  if (after == nullptr) return;
  if (numbers_.contains(after->As<core_v1::Pod>().spec.node_name)) {
    Enqueue(api::ObjectKey(after->metadata()));
  }
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
  const auto node = numbers_.find(pod.spec.node_name);
  const size_t number = node == numbers_.end() ? 1 : node->second + 1;
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
  const auto& value = pod.As<core_v1::Pod>();
  if (!numbers_.contains(value.spec.node_name)) return {};
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
    // Whoever wrote the start may have written any year. Looking earlier only takes another look.
    const auto wait =
        std::min(std::chrono::seconds(later->time.unix_seconds() -
                                      api::Time::Of(world_.clock.Now()).unix_seconds()),
                 std::chrono::seconds(kRunSecondsMax));
    const std::string key = api::ObjectKey(pod.metadata());
    if (!queue_.AddAt(key, world_.clock.Monotonic() + wait)) queue_overflowed_ = true;
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
