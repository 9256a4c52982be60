// SPDX-License-Identifier: Apache-2.0
#include "server/documents/discovery.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <openssl/sha.h>

#include "api/codec/json.h"
#include "api/codec/json_writer.h"
#include "api/custom_kind.h"
#include "base/text/base64.h"
#include "server/documents/subresources.h"
#include "server/registry/custom_kinds.h"
#include "server/registry/served_kinds.h"
#include "server/registry/strategy.h"

namespace dray::server::documents {
namespace {

using api::JsonText;
using api::JsonWriter;
using api::KindInfo;

// Groups in the order in which kubectl searches for a name without a group; others follow by name.
constexpr std::array<std::string_view, 22> kGroupOrder = {"apiregistration.k8s.io",
                                                          "apps",
                                                          "events.k8s.io",
                                                          "authentication.k8s.io",
                                                          "authorization.k8s.io",
                                                          "autoscaling",
                                                          "batch",
                                                          "certificates.k8s.io",
                                                          "networking.k8s.io",
                                                          "policy",
                                                          "rbac.authorization.k8s.io",
                                                          "storage.k8s.io",
                                                          "admissionregistration.k8s.io",
                                                          "apiextensions.k8s.io",
                                                          "scheduling.k8s.io",
                                                          "coordination.k8s.io",
                                                          "node.k8s.io",
                                                          "discovery.k8s.io",
                                                          "resource.k8s.io",
                                                          "flowcontrol.apiserver.k8s.io",
                                                          "internal.apiserver.k8s.io",
                                                          "storagemigration.k8s.io"};
// Before 1.34 resource.k8s.io came after those of the server itself.
constexpr api::Releases kDevicesLast = {.first = 0, .last = 33};

struct Version {
  std::string_view name;
  std::vector<const KindInfo*> kinds;  // by plural
};

struct ServedGroup {
  std::string_view name;
  std::vector<Version> versions;  // the preferred one first
};

std::vector<ServedGroup> GroupsOf(const api::Scheme& scheme, api::Release release) {
  std::map<std::string_view, std::map<std::string_view, std::vector<const KindInfo*>>> by_name;
  for (const KindInfo* kind : scheme.kinds()) {
    if (kind->served) by_name[kind->group][kind->version].push_back(kind);
  }
  std::vector<ServedGroup> groups;
  for (auto& [name, versions] : by_name) {
    ServedGroup& group = groups.emplace_back(ServedGroup{.name = name, .versions = {}});
    for (auto& [version, kinds] : versions) {
      group.versions.push_back({.name = version, .kinds = std::move(kinds)});
    }
  }
  const auto rank = [release](const ServedGroup& group) {
    const bool is_last = group.name == "resource.k8s.io" && kDevicesLast.Rules(release);
    const auto at = std::ranges::find(kGroupOrder, group.name) - kGroupOrder.begin();
    return std::tuple(!group.name.empty(), is_last, at, group.name);
  };
  std::ranges::sort(groups, {}, rank);
  for (ServedGroup& group : groups) {
    std::ranges::sort(group.versions, registry::IsVersionBefore, &Version::name);
    for (Version& version : group.versions) {
      std::ranges::sort(version.kinds, {}, [](const KindInfo* kind) { return kind->plural; });
    }
  }
  return groups;
}

std::string GroupVersion(std::string_view group, std::string_view version) {
  return group.empty() ? std::string(version) : fmt::format("{}/{}", group, version);
}

using Words = std::span<const std::string_view>;

constexpr std::string_view kCreateOnly[] = {"create"};
constexpr std::string_view kOfComponents[] = {"get", "list"};
constexpr std::string_view kOfNamespaces[] = {
    "create", "delete", "get", "list", "patch", "update", "watch"};
constexpr std::string_view kAllVerbs[] = {
    "create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"};

// In upstream's order, which is another one for custom kinds.
constexpr std::string_view kOfCustomKinds[] = {
    "delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"};

Words VerbsOf(const KindInfo& kind) {
  if (api::IsCustom(kind)) return kOfCustomKinds;
  if (kind.create_only) return kCreateOnly;
  if (!registry::StrategyOf(kind).is_stored) return kOfComponents;
  return kind.group.empty() && kind.plural == "namespaces" ? Words(kOfNamespaces) : kAllVerbs;
}

// A kind that upstream stores in a version other than the preferred one of its group.
constexpr std::string_view kStoredInBeta = "DeviceTaintRule";
// A kind that upstream stores in a version that it no longer serves.
constexpr std::string_view kStoredInOldBeta = "CustomResourceDefinition";

// Group and version in which upstream stores a kind: the hub's if that is of another group, else
// the first version of the group that has the kind.
std::string StoredIn(const ServedGroup& group, const KindInfo& kind) {
  if (const api::CustomKind* custom = api::CustomOf(kind); custom != nullptr) {
    const Frozen<api::CustomVersions> versions = custom->resource().versions.Load();
    const std::string_view version =
        versions->storage == nullptr ? kind.version : versions->storage->version;
    return fmt::format("{}/{}", kind.group, version);
  }
  if (kind.storage().group != kind.group) {
    return fmt::format("{}/{}", kind.storage().group, kind.storage().version);
  }
  std::string_view best;
  for (const Version& version : group.versions) {
    const bool has =
        std::ranges::find(version.kinds, kind.plural, &KindInfo::plural) != version.kinds.end();
    if (!has) continue;
    if (best.empty()) best = version.name;
  }
  // Also where that version is not served.
  if (kind.kind == kStoredInBeta && best != "v1alpha3") best = "v1beta2";
  if (kind.kind == kStoredInOldBeta && kind.group == "apiextensions.k8s.io") best = "v1beta1";
  return fmt::format("{}/{}", kind.group, best);
}

// The hash of the storage, which all versions of a kind share.
std::string StorageHash(const ServedGroup& group, const KindInfo& kind) {
  const std::string name = fmt::format("{}/{}", StoredIn(group, kind), kind.kind);
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(name.data()), name.size(), digest.data());
  return EncodeBase64({reinterpret_cast<const char*>(digest.data()), 8});
}

void WriteNames(const KindInfo& kind, JsonWriter& json) {
  if (!kind.short_names.empty()) json.Member("shortNames").ArrayOf(kind.short_names);
  if (!kind.categories.empty()) json.Member("categories").ArrayOf(kind.categories);
}

void WriteResource(const ServedGroup& group, const KindInfo& kind, JsonWriter& json) {
  json.Object([&] {
    json.Member("name", kind.plural);
    json.Member("singularName", kind.singular);
    json.Member("namespaced", kind.namespaced);
    json.Member("kind", kind.kind);
    json.Member("verbs").ArrayOf(VerbsOf(kind));
    WriteNames(kind, json);
    const bool is_stored = !kind.create_only && registry::StrategyOf(kind).is_stored;
    if (is_stored) json.Member("storageVersionHash", StorageHash(group, kind));
  });
}

// In upstream's order, which is another one for custom kinds.
std::vector<Subresource> PartsOf(const KindInfo& kind, api::Release release) {
  std::vector<Subresource> parts = SubresourcesOf(kind, release);
  if (api::IsCustom(kind)) std::ranges::reverse(parts);  // status, scale
  return parts;
}

void WriteSubresource(const KindInfo& kind, const Subresource& sub, JsonWriter& json) {
  json.Object([&] {
    json.Member("name", fmt::format("{}/{}", kind.plural, sub.name));
    json.Member("singularName", "");
    json.Member("namespaced", kind.namespaced);
    if (!sub.group.empty()) {
      json.Member("group", sub.group);
      json.Member("version", sub.version);
    }
    json.Member("kind", sub.kind);
    json.Member("verbs").ArrayOf(sub.verbs);
  });
}

std::string ResourceListJson(const ServedGroup& group,
                             const Version& version,
                             api::Release release) {
  return JsonText([&](JsonWriter& json) {
    json.Object([&] {
      json.Member("kind", "APIResourceList");
      if (!group.name.empty()) json.Member("apiVersion", "v1");
      json.Member("groupVersion", GroupVersion(group.name, version.name));
      json.Member("resources").Array([&] {
        for (const KindInfo* kind : version.kinds) {
          WriteResource(group, *kind, json);
          for (const Subresource& sub : PartsOf(*kind, release)) WriteSubresource(*kind, sub, json);
        }
      });
    });
  });
}

void WriteVersion(const ServedGroup& group, const Version& version, JsonWriter& json) {
  json.Object({{"groupVersion", fmt::format("{}/{}", group.name, version.name)},
               {"version", version.name}});
}

// The common members of APIGroup and of an entry of APIGroupList.
void WriteGroupMembers(const ServedGroup& group, JsonWriter& json) {
  json.Member("name", group.name);
  json.Member("versions").Array([&] {
    for (const Version& version : group.versions) WriteVersion(group, version, json);
  });
  WriteVersion(group, group.versions.front(), json.Member("preferredVersion"));
}

std::string GroupJson(const ServedGroup& group) {
  return JsonText([&](JsonWriter& json) {
    json.Object([&] {
      json.Member("kind", "APIGroup");
      json.Member("apiVersion", "v1");
      WriteGroupMembers(group, json);
    });
  });
}

void WriteResponseKind(std::string_view group,
                       std::string_view version,
                       std::string_view kind,
                       JsonWriter& json) {
  json.Member("responseKind").Object({{"group", group}, {"version", version}, {"kind", kind}});
}

void WriteAggregatedResource(const KindInfo& kind, api::Release release, JsonWriter& json) {
  json.Object([&] {
    json.Member("resource", kind.plural);
    // Upstream omits group and version that equal the document's, except for custom kinds.
    const std::string_view group = api::IsCustom(kind) ? kind.group : std::string_view();
    const std::string_view version = api::IsCustom(kind) ? kind.version : std::string_view();
    WriteResponseKind(group, version, kind.kind, json);
    json.Member("scope", kind.namespaced ? "Namespaced" : "Cluster");
    json.Member("singularResource", kind.singular);
    json.Member("verbs").ArrayOf(VerbsOf(kind));
    WriteNames(kind, json);
    const std::vector<Subresource> subresources = PartsOf(kind, release);
    if (subresources.empty()) return;
    json.Member("subresources").Array([&] {
      for (const Subresource& sub : subresources) {
        json.Object([&] {
          json.Member("subresource", sub.name);
          WriteResponseKind(sub.group.empty() ? group : sub.group,
                            sub.version.empty() ? version : sub.version,
                            sub.kind,
                            json);
          json.Member("verbs").ArrayOf(sub.verbs);
        });
      }
    });
  });
}

void WriteAggregatedVersion(const Version& version, api::Release release, JsonWriter& json) {
  json.Object([&] {
    json.Member("version", version.name);
    json.Member("resources").Array([&] {
      for (const KindInfo* kind : version.kinds) WriteAggregatedResource(*kind, release, json);
    });
    json.Member("freshness", "Current");
  });
}

// Up to 1.33 an absent time was written.
constexpr api::Releases kWritesNullTimes = {.first = 0, .last = 33};

void WriteAggregatedItem(const ServedGroup& group, api::Release release, JsonWriter& json) {
  json.Object([&] {
    json.Member("metadata").Object([&] {
      if (!group.name.empty()) json.Member("name", group.name);
      if (kWritesNullTimes.Rules(release)) json.Member("creationTimestamp", nullptr);
    });
    json.Member("versions").Array([&] {
      for (const Version& version : group.versions) WriteAggregatedVersion(version, release, json);
    });
  });
}

constexpr std::string_view kV2Beta1 = "v2beta1";

// The aggregated document of some of the groups.
Discovery::Document Aggregated(std::span<const ServedGroup> groups,
                               std::string_view version,
                               api::Release release) {
  std::string text = JsonText([&](JsonWriter& json) {
    json.Object([&] {
      json.Member("kind", "APIGroupDiscoveryList");
      json.Member("apiVersion", fmt::format("apidiscovery.k8s.io/{}", version));
      json.Member("metadata").Object([] {});
      json.Member("items").Array([&] {
        for (const ServedGroup& group : groups) WriteAggregatedItem(group, release, json);
      });
    });
  });
  std::string etag = EntityTag(text);
  return {.json = std::move(text), .etag = std::move(etag)};
}

}  // namespace

std::string EntityTag(std::string_view text) {
  std::array<unsigned char, SHA512_DIGEST_LENGTH> digest{};
  SHA512(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  std::string tag = "\"";
  for (const unsigned char byte : digest) tag += fmt::format("{:02X}", byte);
  return tag + '"';
}

std::string VersionJson(api::Release release) {
  const int minor = MinorOf(release == api::Release::kAny ? api::Release::kNewest : release);
  return api::PrettyJson(JsonText([&](JsonWriter& json) {
    json.Object({{"major", "1"},
                 {"minor", fmt::format("{}", minor)},
                 {"emulationMajor", "1"},
                 {"emulationMinor", fmt::format("{}", minor)},
                 {"minCompatibilityMajor", "1"},
                 {"minCompatibilityMinor", fmt::format("{}", minor - 1)},
                 {"gitVersion", fmt::format("v1.{}.0", minor)},
                 {"gitCommit", ""},
                 {"gitTreeState", "clean"},
                 {"buildDate", "1970-01-01T00:00:00Z"},
                 {"goVersion", "none"},
                 {"compiler", "clang"},
                 {"platform", "linux/amd64"}});
  }));
}

bool HasOldAggregation(api::Release release) {
  constexpr api::Releases kOld = {.first = 0, .last = 36};
  return kOld.Rules(release);
}

Discovery::Discovery(const api::Scheme& scheme, api::Release release) {
  const std::vector<ServedGroup> groups = GroupsOf(scheme, release);
  paths_ = {"/api", "/apis"};
  for (const ServedGroup& group : groups) {
    const std::string base = group.name.empty() ? "/api" : fmt::format("/apis/{}", group.name);
    for (const Version& version : group.versions) {
      resources_.emplace(std::pair(std::string(group.name), std::string(version.name)),
                         ResourceListJson(group, version, release));
      paths_.push_back(fmt::format("{}/{}", base, version.name));
    }
    if (group.name.empty()) continue;
    paths_.push_back(base);
    group_.emplace(group.name, GroupJson(group));
  }
  std::ranges::sort(paths_);
  // The core group, which has no name, is the first if it is there.
  const size_t cores = !groups.empty() && groups.front().name.empty() ? 1 : 0;
  const std::span<const ServedGroup> core = std::span(groups).first(cores);
  const std::span<const ServedGroup> named = std::span(groups).subspan(cores);
  groups_ = JsonText([&](JsonWriter& json) {
    json.Object([&] {
      json.Member("kind", "APIGroupList");
      json.Member("apiVersion", "v1");
      json.Member("groups").Array([&] {
        for (const ServedGroup& group : named) json.Object([&] { WriteGroupMembers(group, json); });
      });
    });
  });
  aggregated_ = {.core = Aggregated(core, "v2", release),
                 .groups = Aggregated(named, "v2", release)};
  if (!HasOldAggregation(release)) return;
  aggregated_v2beta1_ = {.core = Aggregated(core, kV2Beta1, release),
                         .groups = Aggregated(named, kV2Beta1, release)};
}

const std::string* Discovery::Group(std::string_view group) const {
  const auto found = group_.find(group);
  return found == group_.end() ? nullptr : &found->second;
}

const std::string* Discovery::Resources(std::string_view group, std::string_view version) const {
  const auto found = resources_.find(std::pair(std::string(group), std::string(version)));
  return found == resources_.end() ? nullptr : &found->second;
}

std::string CoreVersionsJson(std::string_view server_address) {
  return JsonText([&](JsonWriter& json) {
    json.Object([&] {
      json.Member("kind", "APIVersions");
      json.Member("versions").Array([&] { json.Value("v1"); });
      json.Member("serverAddressByClientCIDRs").Array([&] {
        json.Object({{"clientCIDR", "0.0.0.0/0"}, {"serverAddress", server_address}});
      });
    });
  });
}

}  // namespace dray::server::documents
