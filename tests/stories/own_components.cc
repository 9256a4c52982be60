// SPDX-License-Identifier: Apache-2.0
#include "tests/stories/own_components.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "base/try.h"
#include "base/world.h"
#include "client/read_modify_write.h"

namespace dray::stories {
namespace {

constexpr std::string_view kControllerManager = "kube-controller-manager";
constexpr std::string_view kServiceAccount = "system:serviceaccount:kube-system:";

/// Each of upstream's controllers has a service account; ours ask as one user.
bool IsUser(std::string_view wanted, std::string_view user) {
  if (wanted.empty() || wanted == user) return true;
  return wanted.starts_with(kServiceAccount) && user.ends_with(kControllerManager);
}

/// The name that the server would give: upstream generates the name before admission.
client::ObjectRef NewRefOf(const api::Object& object) {
  constexpr std::string_view kGenerated = "bcdfg";
  client::ObjectRef ref = client::RefOf(object);
  const std::string& prefix = object.metadata().generate_name;
  if (ref.name.empty() && !prefix.empty()) ref.name = fmt::format("{}{}", prefix, kGenerated);
  return ref;
}

}  // namespace

void Refusals::Add(const std::string& id, Refusal refusal) {
  const MutexLock lock(mutex_);
  refusals_.insert_or_assign(id, std::move(refusal));
}

void Refusals::Remove(const std::string& id) {
  const MutexLock lock(mutex_);
  refusals_.erase(id);
}

Result<> Refusals::Allow(std::string_view user,
                         std::string_view operation,
                         const client::ObjectRef& object,
                         std::string_view subresource) const {
  const std::string_view plural = object.kind->plural;
  const std::string resource =
      subresource.empty() ? std::string(plural) : fmt::format("{}/{}", plural, subresource);
  const std::string_view group = object.kind->group;
  const MutexLock lock(mutex_);
  for (const auto& [id, refusal] : refusals_) {
    const bool applies = refusal.group == group && refusal.resource == resource &&
                         refusal.operations.contains(std::string(operation)) &&
                         IsUser(refusal.user, user);
    if (!applies) continue;
    return Fail(StatusReason::kForbidden,
                fmt::format("{}{}{} \"{}\" is forbidden: ValidatingAdmissionPolicy '{}' with "
                            "binding '{}' denied request: {}",
                            plural,
                            group.empty() ? "" : ".",
                            group,
                            object.name,
                            id,
                            id,
                            refusal.message));
  }
  return {};
}

/// A client that refuses, and that can be cut.
class OwnComponents::Connection final : public client::Client {
 public:
  Connection(std::unique_ptr<client::Client> to, std::string user, const Refusals& refusals)
      : to_(std::move(to)), user_(std::move(user)), refusals_(refusals) {}

  void Cut() { is_cut_ = true; }
  const Sightings& sightings() const { return sightings_; }

  Result<api::Object> Get(const client::ObjectRef& ref) override {
    DRAY_TRY_VOID(Alive());
    return to_->Get(ref);
  }
  Result<client::ObjectList> List(const api::KindInfo& kind,
                                  const client::ListOptions& options) override {
    DRAY_TRY_VOID(Alive());
    Result<client::ObjectList> list = to_->List(kind, options);
    if (list) sightings_.Note(kind.plural, list->resource_version);
    return list;
  }
  Result<api::Object> Create(const api::Object& object) override {
    DRAY_TRY_VOID(Allow("CREATE", NewRefOf(object), {}));
    return to_->Create(object);
  }
  Result<api::Object> Update(const api::Object& object, std::string_view subresource) override {
    DRAY_TRY_VOID(Allow("UPDATE", client::RefOf(object), subresource));
    return to_->Update(object, subresource);
  }
  Result<api::Object> Patch(const client::ObjectRef& ref,
                            client::PatchType type,
                            std::string_view json,
                            std::string_view subresource) override {
    DRAY_TRY_VOID(Allow("UPDATE", ref, subresource));
    return to_->Patch(ref, type, json, subresource);
  }
  Result<> Delete(const client::ObjectRef& ref,
                  const api::meta_v1::DeleteOptions& options) override {
    DRAY_TRY_VOID(Allow("DELETE", ref, {}));
    return to_->Delete(ref, options);
  }
  Result<> CreateSubresource(const client::ObjectRef& ref,
                             std::string_view subresource,
                             const api::Object& body) override {
    DRAY_TRY_VOID(Allow("CREATE", ref, subresource));
    return to_->CreateSubresource(ref, subresource, body);
  }
  Result<std::unique_ptr<client::Watch>> StartWatch(const api::KindInfo& kind,
                                                    const client::ListOptions& options,
                                                    const std::string& resource_version,
                                                    client::WatchHandler handler) override {
    DRAY_TRY_VOID(Alive());
    handler.events = [this, plural = kind.plural, receive = std::move(handler.events)](
                         std::vector<client::WatchEvent> events) {
      const std::vector<client::WatchEvent> received = events;
      receive(std::move(events));
      sightings_.Note(plural, received);
    };
    return to_->StartWatch(kind, options, resource_version, std::move(handler));
  }

 private:
  Result<> Alive() const {
    if (is_cut_) return Fail(StatusReason::kServiceUnavailable, "the component is dead");
    return {};
  }
  Result<> Allow(std::string_view operation,
                 const client::ObjectRef& object,
                 std::string_view subresource) const {
    DRAY_TRY_VOID(Alive());
    return refusals_.Allow(user_, operation, object, subresource);
  }

  const std::unique_ptr<client::Client> to_;
  const std::string user_;
  const Refusals& refusals_;
  std::atomic<bool> is_cut_ = false;
  Sightings sightings_;
};

struct OwnComponents::Component {
  std::unique_ptr<Connection> connection;
  std::unique_ptr<control_plane::Components> parts;  // destroyed before the objects that they use
};

OwnComponents::OwnComponents(Options options) : options_(std::move(options)) {}

OwnComponents::~OwnComponents() {
  while (!components_.empty()) Kill(std::string(components_.begin()->first));
}

Result<> OwnComponents::Start(const std::string& name) {
  DRAY_TRY(control_plane::ComponentsOptions chosen, control_plane::OptionsFor(options_.emulation));
  chosen.scheduler = name == "kube-scheduler" || name == "second-scheduler";
  chosen.controllers = name == kControllerManager;
  if (!chosen.scheduler && !chosen.controllers) {
    return Fail(StatusReason::kBadRequest, "no component " + name);
  }
  chosen.scheduling = name == "second-scheduler" ? options_.second_scheduling : options_.scheduling;
  if (components_.empty()) {
    DRAY_TRY(const auto kinds, server::registry::ServedKinds(api::Scheme(), options_.emulation));
    scheme_ = std::make_unique<api::LiveScheme>(api::Scheme(kinds));
  }
  client::ClusterAccess access;
  access.server = fmt::format("http://127.0.0.1:{}", options_.port);
  access.token = options_.token;
  DRAY_TRY(auto client, client::HttpClient::Create(RealWorld().clock, access));
  auto component = std::make_unique<Component>();
  component->connection =
      std::make_unique<Connection>(std::move(client), "system:" + name, refusals_);
  component->parts = std::make_unique<control_plane::Components>(
      *component->connection, RealWorld(), Log::Silent(), *scheme_, std::move(chosen));
  DRAY_TRY_VOID(component->parts->Start());
  components_[name] = std::move(component);
  return {};
}

void OwnComponents::Kill(const std::string& name) {
  const auto found = components_.find(name);
  if (found == components_.end()) return;
  found->second->connection->Cut();
  found->second->parts->Stop();
  components_.erase(found);
}

bool OwnComponents::AwaitSeen(const Revisions& revisions,
                              std::chrono::milliseconds patience) const {
  return std::ranges::all_of(components_, [&](const auto& component) {
    return component.second->connection->sightings().Await(revisions, patience);
  });
}

}  // namespace dray::stories
