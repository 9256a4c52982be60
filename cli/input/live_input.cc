// SPDX-License-Identifier: Apache-2.0
#include "cli/input/live_input.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <ranges>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/codec/json_reader.h"
#include "api/kind.h"
#include "base/text/ascii.h"
#include "base/try.h"
#include "client/http_client.h"
#include "manifests/json_members.h"

namespace dray::cli::inline input {
namespace {

constexpr std::array<std::string_view, 1> kCoreVersions = {"v1"};
constexpr std::array<std::string_view, 4> kResourceVersions = {"resource.k8s.io/v1",
                                                               "resource.k8s.io/v1beta2",
                                                               "resource.k8s.io/v1beta1",
                                                               "resource.k8s.io/v1alpha3"};

constexpr std::array<std::string_view, 1> kAppsVersions = {"apps/v1"};
constexpr std::array<std::string_view, 1> kPolicyVersions = {"policy/v1"};
constexpr std::array<std::string_view, 1> kStorageVersions = {"storage.k8s.io/v1"};
constexpr std::array<std::string_view, 1> kGroupVersions = {"scheduling.k8s.io/v1beta1"};
constexpr std::array<std::string_view, 1> kPriorityVersions = {"scheduling.k8s.io/v1"};

struct ListedKind {
  std::string_view kind;
  std::span<const std::string_view> versions;  // newest first
  bool is_optional = false;                    // some servers lack it
};
constexpr ListedKind kKinds[] = {{"Node", kCoreVersions},
                                 {"Namespace", kCoreVersions},
                                 {"Pod", kCoreVersions},
                                 {"DeviceClass", kResourceVersions},
                                 {"ResourceSlice", kResourceVersions},
                                 {"ResourceClaim", kResourceVersions},
                                 {"ResourceClaimTemplate", kResourceVersions},
                                 {"DeviceTaintRule", kResourceVersions, true},
                                 {"PersistentVolume", kCoreVersions, true},
                                 {"PersistentVolumeClaim", kCoreVersions, true},
                                 {"StorageClass", kStorageVersions, true},
                                 {"Service", kCoreVersions, true},
                                 {"ReplicationController", kCoreVersions, true},
                                 {"ReplicaSet", kAppsVersions, true},
                                 {"StatefulSet", kAppsVersions, true},
                                 {"DaemonSet", kAppsVersions, true},
                                 {"PodDisruptionBudget", kPolicyVersions, true},
                                 {"PodGroup", kGroupVersions, true},
                                 {"PriorityClass", kPriorityVersions, true},
                                 {"ResourceQuota", kCoreVersions, true},
                                 {"LimitRange", kCoreVersions, true}};

/// Kinds that could not be read.
struct Unread {
  std::vector<std::string> of_others;  // kinds that were read in one namespace only
  std::vector<std::string> all;
};

/// Lists the objects of a kind; of one namespace if the user may not list all.
Result<client::ObjectList> ListWherePossible(const ListObjects& list_objects,
                                             const api::KindInfo& kind,
                                             const std::string& namespace_,
                                             ListedVersion& version) {
  version.kind = &kind;
  Result<client::ObjectList> list = list_objects(kind, {});
  const bool is_forbidden = !list && list.error().reason == StatusReason::kForbidden;
  if (is_forbidden && kind.namespaced) {
    version.namespace_ = namespace_;
    list = list_objects(kind, namespace_);
  }
  if (list) version.resource_version = list->resource_version;
  return list;
}

/// Adds the objects of one kind. Errors: the server cannot be reached.
Result<> AddKind(const ListObjects& list_objects,
                 const ListedKind& listed,
                 const std::string& server,
                 LiveInput& live,
                 Unread& unread) {
  manifests::Manifests& read = live.read;
  const api::Scheme scheme;
  for (const std::string_view version : listed.versions) {
    const api::KindInfo* const kind = scheme.FindKind(version, listed.kind);
    if (kind == nullptr) continue;
    ListedVersion found;
    const Result<client::ObjectList> list =
        ListWherePossible(list_objects, *kind, live.namespace_, found);
    if (!list && list.error().reason == StatusReason::kNotFound) continue;
    if (!list && list.error().reason == StatusReason::kForbidden) {
      unread.all.emplace_back(kind->plural);
      return {};
    }
    if (!list) return Fail(list.error());
    if (!found.namespace_.empty()) unread.of_others.emplace_back(kind->plural);
    for (const api::Object& object : list->items)
      read.objects.push_back({.object = object, .file = server, .line = 0});
    live.listed.push_back(std::move(found));
    return {};
  }
  if (!listed.is_optional)
    read.notes.push_back(fmt::format("the server has no kind {}", listed.kind));
  return {};
}

void NoteUnread(Unread unread, LiveInput& live) {
  if (!unread.of_others.empty()) {
    live.read.notes.push_back(fmt::format("you may list these in namespace {} only: {}",
                                          live.namespace_,
                                          fmt::join(unread.of_others, ", ")));
  }
  if (!unread.all.empty()) {
    live.read.notes.push_back(
        fmt::format("you may not list these: {}", fmt::join(unread.all, ", ")));
  }
  live.unread = std::move(unread.of_others);
  std::ranges::move(unread.all, std::back_inserter(live.unread));
}

/// Stores the response of /version in `live`. Kubernetes' own servers are compiled by gc.
void ReadVersion(std::string_view json, LiveInput& live) {
  api::JsonReader reader(json);
  std::string key;
  std::string compiler;
  if (reader.Peek() != api::JsonKind::kObject) return;
  reader.EnterObject();
  while (reader.NextKey(key)) {
    const bool is_text = reader.Peek() == api::JsonKind::kString;
    if (key == "gitVersion" && is_text) {
      reader.String(live.version);
    } else if (key == "compiler" && is_text) {
      reader.String(compiler);
    } else {
      reader.Skip();
    }
  }
  live.is_upstream = compiler == "gc";
}

/// Stores the server's feature gates, from its metrics, in `live`; or why they are unknown.
void ReadGates(client::HttpClient& client, LiveInput& live) {
  const Result<std::string> metrics = client.GetPath("/metrics");
  if (metrics) live.gates = ServedGatesIn(*metrics);
  if (!live.gates.empty()) return;
  live.why_no_gates = metrics ? "its metrics name none" : metrics.error().message;
}

/// Whether a text is a group and a version, so that it can be a part of a path.
bool IsGroupVersion(std::string_view text) {
  return std::ranges::count(text, '/') == 1 && std::ranges::all_of(text, [](char c) {
           return (c >= 'a' && c <= 'z') || IsDigitAscii(c) || c == '.' || c == '-' || c == '/';
         });
}

/// Adds the kinds of an APIResourceList, which `api_version` names.
void AddResources(std::string_view json,
                  const std::string& api_version,
                  std::vector<api::TypeMeta>& served) {
  for (const manifests::JsonMember& member : manifests::MembersOf(json)) {
    if (member.key != "resources") continue;
    for (const std::string& resource : manifests::ElementsOf(member.value)) {
      const auto type = api::ReadTypeMeta(resource);
      if (type) served.push_back({.api_version = api_version, .kind = type->kind});
    }
  }
}

}  // namespace

Result<std::vector<api::TypeMeta>> ServedIn(World& world,
                                            const std::string& kubeconfig,
                                            const std::string& context,
                                            const std::set<std::string>& api_versions) {
  std::vector<api::TypeMeta> served;
  DRAY_TRY(const client::ClusterAccess access, AccessTo(world, kubeconfig, context));
  DRAY_TRY(const std::unique_ptr<client::HttpClient> client,
           client::HttpClient::Create(world.clock, access));
  for (const std::string& version : api_versions | std::views::take(kAskedVersionsMax)) {
    if (!IsGroupVersion(version)) continue;
    const Result<std::string> resources = client->GetPath("/apis/" + version);
    if (resources) AddResources(*resources, version, served);
  }
  return served;
}

Result<LiveDefinitions> ReadDefinitions(World& world,
                                        const std::string& kubeconfig,
                                        const std::string& context) {
  DRAY_TRY(const client::ClusterAccess access, AccessTo(world, kubeconfig, context));
  DRAY_TRY(const std::unique_ptr<client::HttpClient> client,
           client::HttpClient::Create(world.clock, access));
  LiveDefinitions read{.server = access.server, .list = {}};
  DRAY_TRY(read.list, client->GetPath("/apis/apiextensions.k8s.io/v1/customresourcedefinitions"));
  return read;
}

std::string UsualKubeconfig() {
  // NOLINTBEGIN(concurrency-mt-unsafe): no thread has started
  const char* const named = std::getenv("KUBECONFIG");
  const char* const home = std::getenv("HOME");
  // NOLINTEND(concurrency-mt-unsafe)
  const std::string files = named == nullptr ? "" : named;
  if (!files.empty()) return files.substr(0, files.find(':'));
  return std::string(home == nullptr ? "" : home) + "/.kube/config";
}

Result<client::ClusterAccess> AccessTo(World& world,
                                       const std::string& kubeconfig,
                                       const std::string& context) {
  DRAY_TRY(const std::string text, world.disk.Read(kubeconfig));
  const size_t slash = kubeconfig.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : kubeconfig.substr(0, slash);
  Result<client::ClusterAccess> access = client::ParseKubeconfig(text, context, folder, world.disk);
  if (access) return access;
  return Fail(access.error().reason, fmt::format("{}: {}", kubeconfig, access.error().message));
}

Result<> AddObjects(const ListObjects& list, const std::string& source, LiveInput& live) {
  if (live.namespace_.empty()) live.namespace_ = kDefaultNamespace;
  Unread unread;
  for (const ListedKind& kind : kKinds) DRAY_TRY_VOID(AddKind(list, kind, source, live, unread));
  NoteUnread(std::move(unread), live);
  return {};
}

LiveInput FactsOf(client::HttpClient& client) {
  LiveInput live{.read = {}, .namespace_ = {}, .listed = {}};
  if (const auto version = client.GetPath("/version")) ReadVersion(*version, live);
  ReadGates(client, live);
  return live;
}

Result<LiveInput> ReadLive(World& world,
                           const std::string& kubeconfig,
                           const std::string& context,
                           const std::string& namespace_) {
  DRAY_TRY(const client::ClusterAccess access, AccessTo(world, kubeconfig, context));
  DRAY_TRY(const std::unique_ptr<client::HttpClient> client,
           client::HttpClient::Create(world.clock, access));
  LiveInput live = FactsOf(*client);
  live.namespace_ = access.namespace_;
  if (!namespace_.empty()) live.namespace_ = namespace_;
  const auto list = [&](const api::KindInfo& kind, const std::string& where) {
    return client->List(kind, {.namespace_ = where});
  };
  DRAY_TRY_VOID(AddObjects(list, access.server, live));
  return live;
}

}  // namespace dray::cli::inline input
