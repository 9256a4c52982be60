// SPDX-License-Identifier: Apache-2.0
#include "server/documents/discovery.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <openssl/sha.h>

#include "api/codec/json.h"
#include "base/base64.h"

namespace dray::server::documents {
namespace {

using api::KindInfo;

// Groups in the order kubectl should look at them for a name without a group; others follow by
// name.
constexpr std::array<std::string_view, 10> kGroupOrder = {"apps",
                                                          "events.k8s.io",
                                                          "authentication.k8s.io",
                                                          "authorization.k8s.io",
                                                          "policy",
                                                          "rbac.authorization.k8s.io",
                                                          "storage.k8s.io",
                                                          "scheduling.k8s.io",
                                                          "coordination.k8s.io",
                                                          "resource.k8s.io"};

struct Version {
  std::string_view name;
  std::vector<const KindInfo*> kinds;  // by plural
};

struct ServedGroup {
  std::string_view name;
  std::vector<Version> versions;  // the preferred one first
};

// Orders v1 before v1beta2 before v1beta1 before v1alpha3; higher numbers first.
std::array<int64_t, 3> VersionRank(std::string_view version) {
  const auto number = [&](size_t& at) {
    int64_t value = 0;
    const auto [end, error] =
        std::from_chars(version.data() + at, version.data() + version.size(), value);
    at = static_cast<size_t>(end - version.data());
    return value;
  };
  size_t at = 1;
  const int64_t major = number(at);
  if (at >= version.size()) return {2, major, 0};
  const bool beta = version.substr(at).starts_with("beta");
  at += beta ? 4 : 5;
  if (at >= version.size()) return {beta ? 1 : 0, major, 0};
  return {beta ? 1 : 0, major, number(at)};
}

std::vector<ServedGroup> GroupsOf(const api::Scheme& scheme) {
  std::vector<ServedGroup> groups;
  for (const KindInfo* kind : scheme.kinds()) {
    if (!kind->served) continue;
    auto group = std::ranges::find(groups, kind->group, &ServedGroup::name);
    if (group == groups.end()) group = groups.insert(group, {.name = kind->group});
    auto version = std::ranges::find(group->versions, kind->version, &Version::name);
    if (version == group->versions.end()) {
      version = group->versions.insert(version, {.name = kind->version});
    }
    version->kinds.push_back(kind);
  }
  const auto rank = [](const ServedGroup& group) {
    const auto at = std::ranges::find(kGroupOrder, group.name) - kGroupOrder.begin();
    return std::tuple(!group.name.empty(), at, group.name);
  };
  std::ranges::sort(groups, {}, rank);
  for (ServedGroup& group : groups) {
    std::ranges::sort(group.versions, std::greater<>(), [](const Version& version) {
      return VersionRank(version.name);
    });
    for (Version& version : group.versions) {
      std::ranges::sort(version.kinds, {}, [](const KindInfo* kind) { return kind->plural; });
    }
  }
  return groups;
}

std::string GroupVersion(std::string_view group, std::string_view version) {
  return group.empty() ? std::string(version) : fmt::format("{}/{}", group, version);
}

std::string Strings(std::span<const std::string_view> texts) {
  std::string out = "[";
  for (const std::string_view text : texts) {
    if (out.size() > 1) out += ',';
    api::QuoteJson(text, out);
  }
  return out + ']';
}

std::string VerbsOf(const KindInfo& kind) {
  if (kind.create_only) return R"(["create"])";
  if (kind.group.empty() && kind.plural == "namespaces") {
    return R"(["create","delete","get","list","patch","update","watch"])";
  }
  return R"(["create","delete","deletecollection","get","list","patch","update","watch"])";
}

struct Subresource {
  std::string_view name, group, version, kind, verbs;
};

Subresource Describe(const KindInfo& parent, std::string_view name) {
  constexpr std::string_view kCreate = R"(["create"])";
  if (name == "binding") return {.name = name, .kind = "Binding", .verbs = kCreate};
  if (name == "eviction") {
    return {.name = name, .group = "policy", .version = "v1", .kind = "Eviction", .verbs = kCreate};
  }
  if (name == "token") {
    return {.name = name,
            .group = "authentication.k8s.io",
            .version = "v1",
            .kind = "TokenRequest",
            .verbs = kCreate};
  }
  if (name == "finalize") return {.name = name, .kind = parent.kind, .verbs = R"(["update"])"};
  return {.name = name, .kind = parent.kind, .verbs = R"(["get","patch","update"])"};
}

std::vector<Subresource> SubresourcesOf(const KindInfo& kind, api::Release release) {
  std::vector<std::string_view> names(kind.subresources.begin(), kind.subresources.end());
  if (kind.has_status && kind.status_in.Has(release)) names.emplace_back("status");
  std::ranges::sort(names);
  std::vector<Subresource> described;
  described.reserve(names.size());
  for (const std::string_view name : names) described.push_back(Describe(kind, name));
  return described;
}

// The name of what is stored: all versions of a kind share it, so it names the preferred one.
std::string StorageHash(const KindInfo& kind, std::string_view storage_version) {
  const std::string name = fmt::format("{}/{}/{}", kind.group, storage_version, kind.kind);
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(name.data()), name.size(), digest.data());
  return EncodeBase64({reinterpret_cast<const char*>(digest.data()), 8});
}

void AppendNames(const KindInfo& kind, std::string& out) {
  if (!kind.short_names.empty()) out += ",\"shortNames\":" + Strings(kind.short_names);
  if (!kind.categories.empty()) out += ",\"categories\":" + Strings(kind.categories);
}

std::string ResourceListJson(const ServedGroup& group,
                             const Version& version,
                             api::Release release) {
  std::string out = R"({"kind":"APIResourceList")";
  if (!group.name.empty()) out += R"(,"apiVersion":"v1")";
  out +=
      fmt::format(R"(,"groupVersion":"{}","resources":[)", GroupVersion(group.name, version.name));
  for (const KindInfo* kind : version.kinds) {
    if (out.back() == '}') out += ',';
    out +=
        fmt::format(R"({{"name":"{}","singularName":"{}","namespaced":{},"kind":"{}","verbs":{})",
                    kind->plural,
                    kind->singular,
                    kind->namespaced,
                    kind->kind,
                    VerbsOf(*kind));
    AppendNames(*kind, out);
    if (!kind->create_only) {
      out += fmt::format(R"(,"storageVersionHash":"{}")",
                         StorageHash(*kind, group.versions.front().name));
    }
    out += '}';
    for (const Subresource& sub : SubresourcesOf(*kind, release)) {
      out += fmt::format(R"(,{{"name":"{}/{}","singularName":"","namespaced":{})",
                         kind->plural,
                         sub.name,
                         kind->namespaced);
      if (!sub.group.empty()) {
        out += fmt::format(R"(,"group":"{}","version":"{}")", sub.group, sub.version);
      }
      out += fmt::format(R"(,"kind":"{}","verbs":{}}})", sub.kind, sub.verbs);
    }
  }
  return out + "]}";
}

std::string VersionsJson(const ServedGroup& group) {
  std::string out = "[";
  for (const Version& version : group.versions) {
    if (out.size() > 1) out += ',';
    out += fmt::format(R"({{"groupVersion":"{0}/{1}","version":"{1}"}})", group.name, version.name);
  }
  return out + ']';
}

// What APIGroup and an entry of APIGroupList share.
std::string GroupMembers(const ServedGroup& group) {
  return fmt::format(
      R"("name":"{0}","versions":{1},"preferredVersion":{{"groupVersion":"{0}/{2}","version":"{2}"}})",
      group.name,
      VersionsJson(group),
      group.versions.front().name);
}

std::string ResponseKind(std::string_view group, std::string_view version, std::string_view kind) {
  return fmt::format(
      R"("responseKind":{{"group":"{}","version":"{}","kind":"{}"}})", group, version, kind);
}

std::string AggregatedResource(const KindInfo& kind, api::Release release) {
  std::string out =
      fmt::format(R"({{"resource":"{}",{},"scope":"{}","singularResource":"{}","verbs":{})",
                  kind.plural,
                  ResponseKind("", "", kind.kind),
                  kind.namespaced ? "Namespaced" : "Cluster",
                  kind.singular,
                  VerbsOf(kind));
  AppendNames(kind, out);
  const std::vector<Subresource> subresources = SubresourcesOf(kind, release);
  if (!subresources.empty()) {
    out += ",\"subresources\":[";
    for (const Subresource& sub : subresources) {
      if (out.back() == '}') out += ',';
      out += fmt::format(R"({{"subresource":"{}",{},"verbs":{}}})",
                         sub.name,
                         ResponseKind(sub.group, sub.version, sub.kind),
                         sub.verbs);
    }
    out += ']';
  }
  return out + '}';
}

std::string AggregatedItem(const ServedGroup& group, api::Release release) {
  std::string out = group.name.empty()
                        ? R"({"metadata":{},"versions":[)"
                        : fmt::format(R"({{"metadata":{{"name":"{}"}},"versions":[)", group.name);
  for (const Version& version : group.versions) {
    if (out.back() == '}') out += ',';
    out += fmt::format(R"({{"version":"{}","resources":[)", version.name);
    for (const KindInfo* kind : version.kinds) {
      if (out.back() == '}') out += ',';
      out += AggregatedResource(*kind, release);
    }
    out += R"(],"freshness":"Current"})";
  }
  return out + "]}";
}

Discovery::Document Aggregated(const std::string& items) {
  std::string json = fmt::format(
      R"({{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{{}},"items":[{}]}})",
      items);
  std::string etag = EntityTag(json);
  return {.json = std::move(json), .etag = std::move(etag)};
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
  return fmt::format(R"({{
  "major": "1",
  "minor": "{0}",
  "emulationMajor": "1",
  "emulationMinor": "{0}",
  "minCompatibilityMajor": "1",
  "minCompatibilityMinor": "{1}",
  "gitVersion": "v1.{0}.0+dray",
  "gitCommit": "",
  "gitTreeState": "clean",
  "buildDate": "1970-01-01T00:00:00Z",
  "goVersion": "none",
  "compiler": "clang",
  "platform": "linux/amd64"
}})",
                     minor,
                     minor - 1);
}

Discovery::Discovery(const api::Scheme& scheme, api::Release release) {
  groups_ = R"({"kind":"APIGroupList","apiVersion":"v1","groups":[)";
  std::string core, others;
  paths_ = {"/api", "/apis"};
  for (const ServedGroup& group : GroupsOf(scheme)) {
    const std::string base = group.name.empty() ? "/api" : fmt::format("/apis/{}", group.name);
    for (const Version& version : group.versions) {
      resources_.emplace(std::pair(std::string(group.name), std::string(version.name)),
                         ResourceListJson(group, version, release));
      paths_.push_back(fmt::format("{}/{}", base, version.name));
    }
    if (group.name.empty()) {
      core = AggregatedItem(group, release);
      continue;
    }
    paths_.push_back(base);
    if (groups_.back() == '}') groups_ += ',';
    groups_ += fmt::format("{{{}}}", GroupMembers(group));
    group_.emplace(
        group.name,
        fmt::format(R"({{"kind":"APIGroup","apiVersion":"v1",{}}})", GroupMembers(group)));
    if (!others.empty()) others += ',';
    others += AggregatedItem(group, release);
  }
  groups_ += "]}";
  aggregated_core_ = Aggregated(core);
  aggregated_groups_ = Aggregated(others);
  std::ranges::sort(paths_);
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
  std::string out =
      R"({"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[{"clientCIDR":"0.0.0.0/0","serverAddress":)";
  api::QuoteJson(server_address, out);
  return out + "}]}";
}

}  // namespace dray::server::documents
