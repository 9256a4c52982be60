// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/controllers/remote_apis.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "api/codec/json_writer.h"
#include "api/core_v1/service.h"
#include "api/discovery_v1.h"
#include "api/text/go_quote.h"
#include "base/check.h"
#include "base/task.h"
#include "base/try.h"
#include "server/registry/api_service_rules.h"
#include "server/storage/keys.h"
#include "server/storage/stored_object.h"
#include "server/verbs/admission/in_snapshot.h"
#include "server/verbs/admission/webhook_lists.h"
#include "server/verbs/controllers/own_request.h"
#include "server/verbs/controllers/remote_discovery.h"
#include "server/webhooks/address.h"

namespace dray::server::verbs::inline controllers {
namespace {

using api::apiregistration_v1::APIService;
using api::apiregistration_v1::APIServiceCondition;
using api::apiregistration_v1::APIServiceSpec;
namespace core_v1 = api::core_v1;
namespace discovery_v1 = api::discovery_v1;

constexpr std::string_view kAvailable = "Available";
constexpr std::chrono::seconds kAskTimeMax{5};
// Between two rounds that nothing has begun: while a server does not answer, and otherwise.
constexpr std::chrono::seconds kRetryAfter{2};
constexpr std::chrono::seconds kLookAfter{30};
constexpr size_t kAnswerBytesMax = size_t{64} << 20;
constexpr int32_t kHttpsPort = 443;

const api::KindInfo& ApiServiceKind() {
  return api::Reflected<APIService>::kKind;
}

APIServiceCondition Saying(std::string_view status, std::string_view reason, std::string message) {
  APIServiceCondition condition;
  condition.type = kAvailable;
  condition.status = status;
  condition.reason = reason;
  condition.message = std::move(message);
  return condition;
}

// Null: it has none.
const APIServiceCondition* AvailableOf(const APIService& service) {
  const auto& all = service.status.conditions;
  const auto found = std::ranges::find(all, kAvailable, &APIServiceCondition::type);
  return found == all.end() ? nullptr : &*found;
}

int32_t PortOf(const APIServiceSpec& spec) {
  return spec.service->port.value_or(kHttpsPort);
}

// Whether an endpoint of the service takes traffic on its port of that name.
bool IsReady(const discovery_v1::EndpointSlice& slice, std::string_view port) {
  const bool has_port = std::ranges::any_of(
      slice.ports, [&](const auto& one) { return one.name.value_or("") == port; });
  return has_port && std::ranges::any_of(slice.endpoints, [](const auto& endpoint) {
           return endpoint.conditions.ready.value_or(true) && !endpoint.addresses.empty();
         });
}

struct Slices {
  bool are_any = false;
  bool are_ready = false;
};

Slices SlicesOf(const APIServiceSpec& spec,
                std::string_view port,
                const admission::InSnapshot& surroundings) {
  constexpr std::string_view kServiceLabel = "kubernetes.io/service-name";
  Slices found;
  surroundings.Each(api::Reflected<discovery_v1::EndpointSlice>::kKind,
                    spec.service->namespace_,
                    [&](const api::Object& object) {
                      const auto& slice = object.As<discovery_v1::EndpointSlice>();
                      const auto label = slice.metadata.labels.find(kServiceLabel);
                      const bool is_its = label != slice.metadata.labels.end() &&
                                          label->second == spec.service->name;
                      if (!is_its) return true;
                      found.are_any = true;
                      found.are_ready = found.are_ready || IsReady(slice, port);
                      return !found.are_ready;
                    });
  return found;
}

// What is wrong with the service that `spec` names; nothing: it can be asked.
std::optional<APIServiceCondition> ProblemOf(const APIServiceSpec& spec,
                                             const admission::InSnapshot& surroundings) {
  const std::string name =
      fmt::format("service/{} in {}", spec.service->name, api::GoQuote(spec.service->namespace_));
  const std::optional<api::Object> object = surroundings.Find(
      api::Reflected<core_v1::Service>::kKind, spec.service->namespace_, spec.service->name);
  if (!object.has_value()) {
    return Saying("False", "ServiceNotFound", fmt::format("{} is not present", name));
  }
  const auto& service = object->As<core_v1::Service>().spec;
  if (service.type != "ClusterIP") return std::nullopt;
  const int32_t number = PortOf(spec);
  const auto port = std::ranges::find(service.ports, number, &core_v1::ServicePort::port);
  if (port == service.ports.end()) {
    return Saying(
        "False", "ServicePortError", fmt::format("{} is not listening on port {}", name, number));
  }
  const Slices slices = SlicesOf(spec, port->name, surroundings);
  if (!slices.are_any) {
    return Saying(
        "False", "EndpointsNotFound", fmt::format("cannot find endpointslices for {}", name));
  }
  if (slices.are_ready) return std::nullopt;
  return Saying(
      "False",
      "MissingEndpoints",
      fmt::format(
          "endpoints for {} have no addresses with port name {}", name, api::GoQuote(port->name)));
}

std::expected<webhooks::HookAddress, webhooks::NoAddress> AddressOf(
    const APIServiceSpec& spec, const admission::InSnapshot& surroundings, uint64_t choice) {
  api::admissionregistration_v1::WebhookClientConfig client;
  auto& service = client.service.emplace();
  service.namespace_ = spec.service->namespace_;
  service.name = spec.service->name;
  service.port = PortOf(spec);
  return webhooks::AddressOf(client, surroundings, choice);
}

// What every server answers.
std::string DiscoveryPath(const APIServiceSpec& spec) {
  return spec.group.empty() ? fmt::format("/api/{}", spec.version)
                            : fmt::format("/apis/{}/{}", spec.group, spec.version);
}

Error NoAnswer(const std::string& url, std::string_view why) {
  return {.reason = StatusReason::kServiceUnavailable,
          .message = fmt::format("failing or missing response from {}: {}", url, why)};
}

// What the server behind `api` answers to the question that every server answers; else why not.
Task<std::string> AskForDiscovery(const RemoteApis* apis,
                                  const Core* core,
                                  RemoteApi api,
                                  std::string url) {
  RemoteRequest request{.deadline = core->world.clock.Monotonic() + kAskTimeMax};
  request.request.target = DiscoveryPath(api.spec);
  request.request.headers.Add("Accept", "application/json");
  request.request.headers.Add("X-Remote-User", "system:kube-aggregator");
  request.request.headers.Add("X-Remote-Group", "system:masters");
  auto start = [&](auto done) { apis->Forward(api, std::move(request), std::move(done)); };
  webhooks::HookOutcome outcome = co_await FromCallback<webhooks::HookOutcome>(std::move(start));
  if (!outcome.has_value()) {
    co_return Fail(
        NoAnswer(url, fmt::format("Get {}: {}", api::GoQuote(url), outcome.error().why)));
  }
  constexpr int kOk = 200;
  constexpr int kTooHigh = 300;
  if (outcome->status >= kOk && outcome->status < kTooHigh) co_return std::move(outcome->body);
  co_return Fail(NoAnswer(url, fmt::format("bad status from {}: {}", url, outcome->status)));
}

using Versions = std::vector<const RemoteApi*>;  // of one group, the preferred one first

void WriteGroupVersion(const APIServiceSpec& spec, api::JsonWriter& json) {
  const std::string name = fmt::format("{}/{}", spec.group, spec.version);
  json.Object({{"groupVersion", name}, {"version", spec.version}});
}

// The common members of APIGroup and of an entry of APIGroupList.
void WriteGroupMembers(const Versions& versions, api::JsonWriter& json) {
  json.Member("name", versions.front()->spec.group);
  json.Member("versions").Array([&] {
    for (const RemoteApi* version : versions) WriteGroupVersion(version->spec, json);
  });
  WriteGroupVersion(versions.front()->spec, json.Member("preferredVersion"));
}

// A version whose server does not say what it has is stale, as upstream calls it.
void WriteAggregatedVersion(const RemoteApi& version, api::JsonWriter& json) {
  const bool is_current = version.is_available && !version.resources.empty();
  json.Object([&] {
    json.Member("version", version.spec.version);
    if (is_current) json.Member("resources").Raw(version.resources);
    json.Member("freshness", is_current ? "Current" : "Stale");
  });
}

void WriteAggregatedGroup(const Versions& versions, api::JsonWriter& json) {
  json.Object([&] {
    json.Member("metadata").Object([&] { json.Member("name", versions.front()->spec.group); });
    json.Member("versions").Array([&] {
      for (const RemoteApi* version : versions) WriteAggregatedVersion(*version, json);
    });
  });
}

// `document` is an object whose last member is a list.
void AppendToList(std::string& document, std::string_view element) {
  constexpr std::string_view kEnd = "]}";
  DRAY_CHECK(document.ends_with(kEnd));
  document.resize(document.size() - kEnd.size());
  if (!document.ends_with('[')) document += ',';
  document.append(element).append(kEnd);
}

}  // namespace

RemoteApi& RemoteApiList::Add(RemoteApi api) {
  Key key(api.spec.group, api.spec.version);
  return apis_.insert_or_assign(std::move(key), std::move(api)).first->second;
}

const RemoteApi* RemoteApiList::Find(std::string_view group, std::string_view version) const {
  if (apis_.empty()) return nullptr;
  const auto found = apis_.find(Key(group, version));
  return found == apis_.end() ? nullptr : &found->second;
}

std::vector<const RemoteApi*> RemoteApiList::VersionsOf(std::string_view group) const {
  std::vector<const RemoteApi*> versions;
  for (auto at = apis_.lower_bound(Key(group, "")); at != apis_.end() && at->first.first == group;
       ++at) {
    versions.push_back(&at->second);
  }
  std::ranges::sort(versions, {}, [](const RemoteApi* api) {
    return std::pair(-api->spec.version_priority, std::string_view(api->spec.version));
  });
  return versions;
}

// A group has the highest priority of its versions.
std::vector<std::string_view> RemoteApiList::GroupsByPriority() const {
  std::map<std::string_view, int32_t> priorities;
  for (const auto& [key, api] : apis_) {
    int32_t& priority = priorities[key.first];
    priority = std::max(priority, api.spec.group_priority_minimum);
  }
  priorities.erase("");  // the group without a name is no entry of /apis
  std::vector<std::string_view> groups;
  for (const auto& [group, priority] : priorities) groups.push_back(group);
  std::ranges::sort(
      groups, {}, [&](std::string_view group) { return std::pair(-priorities[group], group); });
  return groups;
}

std::string RemoteApiList::GroupJson(std::string_view group) const {
  const std::vector<const RemoteApi*> versions = VersionsOf(group);
  if (versions.empty()) return {};
  return api::JsonText([&](api::JsonWriter& json) {
    json.Object([&] {
      json.Member("kind", "APIGroup");
      json.Member("apiVersion", "v1");
      WriteGroupMembers(versions, json);
    });
  });
}

std::string RemoteApiList::WithGroups(std::string document, const IsHere& is_here) const {
  for (const std::string_view group : GroupsByPriority()) {
    if (is_here(group)) continue;
    AppendToList(document, api::JsonText([&](api::JsonWriter& json) {
                   json.Object([&] { WriteGroupMembers(VersionsOf(group), json); });
                 }));
  }
  return document;
}

std::string RemoteApiList::WithAggregatedGroups(std::string document, const IsHere& is_here) const {
  for (const std::string_view group : GroupsByPriority()) {
    if (is_here(group)) continue;
    AppendToList(document, api::JsonText([&](api::JsonWriter& json) {
                   WriteAggregatedGroup(VersionsOf(group), json);
                 }));
  }
  return document;
}

// What the hub wakes; it may outlive the controller for a moment.
class RemoteApis::Doorbell final : public Wakeable {
 public:
  explicit Doorbell(RemoteApis& owner) : owner_(owner) {}
  void Wake() override { owner_.Ring(); }

 private:
  RemoteApis& owner_;
};

RemoteApis::RemoteApis(const Core& core, WatchHub& hub) : core_(core), hub_(hub) {
  doorbell_ = std::make_shared<Doorbell>(*this);
}

RemoteApis::~RemoteApis() {
  std::thread thread;
  {
    const MutexLock lock(mutex_);
    is_ending_ = true;
    thread = std::move(thread_);
    changed_.NotifyAll();
  }
  if (thread.joinable()) thread.join();
  registrations_.clear();
}

Result<> RemoteApis::Start() {
  DRAY_TRY(WatchHub::Registration registration,
           hub_.Add(storage::ResourcePrefix(ApiServiceKind()), doorbell_));
  registrations_.push_back(std::move(registration));
  Ring();
  return {};
}

// From the committing thread.
void RemoteApis::Ring() {
  const MutexLock lock(mutex_);
  if (is_ending_) return;
  if (!thread_.joinable() && !FindsRemote()) return;
  is_rung_ = true;
  if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
  changed_.NotifyAll();
}

// Whether one of the APIServices written since the last look names a service.
bool RemoteApis::FindsRemote() {
  const Frozen<store::Snapshot> snapshot = core_.store.Read();
  const Revision seen = std::exchange(seen_, snapshot->revision());
  for (const store::Record& record :
       snapshot->Range({.prefix = storage::ResourcePrefix(ApiServiceKind())})) {
    if (record.modified <= seen) continue;
    const auto item = storage::ItemOf(storage::View::OfStorage(ApiServiceKind()), record);
    const bool is_read = item.has_value() && item->has_value();
    if (is_read && (*item)->object.As<APIService>().spec.service.has_value()) return true;
  }
  return false;
}

void RemoteApis::Run() {
  while (true) {
    {
      const MutexLock lock(mutex_);
      const bool is_failing = std::ranges::any_of(looks_, [](const auto& entry) {
        return entry.second.judgement.reason == "FailedDiscoveryCheck";
      });
      while (!is_rung_ && !is_ending_) {
        if (looks_.empty()) {
          changed_.Wait(mutex_);
        } else if (!changed_.WaitFor(mutex_, is_failing ? kRetryAfter : kLookAfter)) {
          break;
        }
      }
      if (is_ending_) return;
      is_rung_ = false;
    }
    Round();
  }
}

// Services and their endpoints decide, too, once a service is asked.
void RemoteApis::FollowServices() {
  if (follows_services_) return;
  follows_services_ = true;
  for (const api::KindInfo* kind : {&api::Reflected<core_v1::Service>::kKind,
                                    &api::Reflected<discovery_v1::EndpointSlice>::kKind}) {
    Result<WatchHub::Registration> registration =
        hub_.Add(storage::ResourcePrefix(*kind), doorbell_);
    // Otherwise only the clock begins rounds.
    if (registration.has_value()) registrations_.push_back(*std::move(registration));
  }
}

void RemoteApis::Publish() {
  auto list = std::make_shared<RemoteApiList>();
  for (const auto& [name, service] : services_) {
    const auto look = looks_.find(name);
    RemoteApi& api = list->Add({.spec = service.spec});
    if (look == looks_.end()) continue;
    api.is_available = look->second.judgement.status == "True";
    api.resources = look->second.resources;
  }
  list_.Store(std::move(list));
}

// Finds those that this server does not answer for. One that it answers for again is available.
void RemoteApis::Learn(const store::Snapshot& snapshot) {
  std::map<std::string, Service> services;
  for (const store::Record& record :
       snapshot.Range({.prefix = storage::ResourcePrefix(ApiServiceKind())})) {
    const auto item = storage::ItemOf(storage::View::OfStorage(ApiServiceKind()), record);
    if (!item.has_value() || !item->has_value()) continue;
    const auto& service = (*item)->object.As<APIService>();
    if (service.spec.service.has_value()) {
      services.emplace(service.metadata.name, service);
    } else if (services_.contains(service.metadata.name)) {
      Write(service, Saying("True", registry::kLocalApi, std::string(registry::kLocalApiMessage)));
    }
  }
  services_ = std::move(services);
  std::erase_if(looks_, [&](const auto& entry) { return !services_.contains(entry.first); });
}

void RemoteApis::Round() {
  const Frozen<store::Snapshot> snapshot = core_.store.Read();
  Learn(*snapshot);
  Publish();
  if (!services_.empty()) FollowServices();
  for (const auto& [name, service] : services_) {
    looks_.insert_or_assign(name, LookAt(*snapshot, service.spec));
  }
  // First: who reads that a service is available may use it.
  Publish();
  for (const auto& [name, service] : services_) Write(service, looks_.at(name).judgement);
}

RemoteApis::Look RemoteApis::LookAt(const store::Snapshot& snapshot,
                                    const APIServiceSpec& spec) const {
  const admission::InSnapshot surroundings(core_, snapshot);
  if (std::optional<Judgement> problem = ProblemOf(spec, surroundings)) {
    return {.judgement = *std::move(problem)};
  }
  constexpr std::string_view kFailed = "FailedDiscoveryCheck";
  const auto address = AddressOf(spec, surroundings, core_.world.random.Next());
  if (!address.has_value()) return {.judgement = Saying("False", kFailed, address.error().why)};
  const net::Endpoint& at = address->address.host.empty() ? address->server : address->address;
  const std::string url = fmt::format("https://{}{}", net::HostPort(at), DiscoveryPath(spec));
  const Result<std::string> answer = Wait(AskForDiscovery(this, &core_, {.spec = spec}, url));
  if (!answer.has_value()) {
    return {.judgement = Saying("False", kFailed, answer.error().message)};
  }
  // What cannot be read makes discovery stale; upstream calls such a service available, too.
  return {.judgement = Saying("True", "Passed", "all checks passed"),
          .resources = AggregatedResources(*answer).value_or(std::string())};
}

// Writes the condition unless it is there. Its time is that of the last change of its status.
void RemoteApis::Write(const Service& service, Judgement judgement) {
  const APIServiceCondition* before = AvailableOf(service);
  const bool is_same = before != nullptr && before->status == judgement.status;
  if (is_same && before->reason == judgement.reason && before->message == judgement.message) {
    return;
  }
  judgement.last_transition_time =
      is_same ? before->last_transition_time : api::Time::Of(core_.world.clock.Now());
  Service next = service;
  auto& conditions = next.status.conditions;
  std::erase_if(conditions, [](const auto& one) { return one.type == kAvailable; });
  conditions.push_back(std::move(judgement));
  ResourceRequest request = OwnRequest(Verb::kUpdate, ApiServiceKind(), service.metadata.name);
  request.subresource = "status";
  request.body = api::Object::Of(std::move(next));
  const Result<> written = CarryOutOwnRequest(core_, std::move(request));
  if (written.has_value()) return;
  core_.log.Info("the condition of an APIService is not written",
                 "name",
                 service.metadata.name,
                 "reason",
                 written.error().message);
}

void RemoteApis::Forward(const RemoteApi& api,
                         RemoteRequest request,
                         webhooks::Caller::Done done) const {
  const Frozen<store::Snapshot> snapshot = core_.store.Read();
  const admission::InSnapshot surroundings(core_, *snapshot);
  auto address = AddressOf(api.spec, surroundings, core_.world.random.Next());
  if (!address.has_value()) {
    return done(std::unexpected(webhooks::HookProblem{.why = address.error().why}));
  }
  core_.webhooks->caller().Forward({.address = *std::move(address),
                                    .ca_bundle = api.spec.ca_bundle.bytes,
                                    .trusts_anything = api.spec.insecure_skip_tls_verify,
                                    .request = std::move(request.request),
                                    .deadline = request.deadline,
                                    .answer_bytes_max = kAnswerBytesMax,
                                    .owner = std::move(request.owner)},
                                   std::move(done));
}

}  // namespace dray::server::verbs::inline controllers
