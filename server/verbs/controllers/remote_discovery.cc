// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/controllers/remote_discovery.h"

#include <map>
#include <vector>

#include <fmt/format.h>

#include "api/codec/json_writer.h"
#include "api/codec/tree_json.h"
#include "api/value/tree.h"
#include "base/try.h"

namespace dray::server::verbs::inline controllers {
namespace {

using api::JsonWriter;
using api::Tree;

struct RemoteResource {
  std::string_view name;
  bool is_namespaced = false;
  const Tree* entry = nullptr;  // null: the list has only subresources of it
  std::vector<const Tree*> subresources;
};

Error Unreadable(std::string message) {
  return {.reason = StatusReason::kBadRequest, .message = std::move(message)};
}

std::string_view TextOf(const Tree* entry, std::string_view name) {
  const Tree* const found = entry == nullptr ? nullptr : entry->Find(name);
  return found != nullptr && found->is_text() ? found->text() : std::string_view();
}

bool IsNamespaced(const Tree& entry) {
  const Tree* const found = entry.Find("namespaced");
  return found != nullptr && found->is_bool() && found->boolean();
}

std::vector<std::string_view> TextsOf(const Tree* entry, std::string_view name) {
  std::vector<std::string_view> texts;
  const Tree* const found = entry == nullptr ? nullptr : entry->Find(name);
  if (found == nullptr) return texts;
  for (const Tree& element : found->elements()) {
    if (element.is_text()) texts.push_back(element.text());
  }
  return texts;
}

std::vector<RemoteResource> ResourcesOf(const Tree& entries) {
  std::vector<RemoteResource> resources;
  for (const Tree& entry : entries.elements()) {
    const std::string_view name = TextOf(&entry, "name");
    if (name.empty() || name.contains('/')) continue;
    resources.push_back({.name = name, .is_namespaced = IsNamespaced(entry), .entry = &entry});
  }
  return resources;
}

// A subresource without a resource makes one.
Result<> AddSubresources(const Tree& entries, std::vector<RemoteResource>& resources) {
  std::map<std::string_view, size_t> places;
  for (size_t i = 0; i < resources.size(); ++i) places.insert_or_assign(resources[i].name, i);
  for (const Tree& entry : entries.elements()) {
    const std::string_view name = TextOf(&entry, "name");
    const size_t slash = name.find('/');
    if (slash == std::string_view::npos) continue;
    const std::string_view parent = name.substr(0, slash);
    const auto [place, is_new] = places.try_emplace(parent, resources.size());
    if (is_new) resources.push_back({.name = parent, .is_namespaced = IsNamespaced(entry)});
    RemoteResource& resource = resources[place->second];
    if (resource.is_namespaced != IsNamespaced(entry)) {
      return Fail(Unreadable(fmt::format("{} and {} have different scopes", parent, name)));
    }
    resource.subresources.push_back(&entry);
  }
  return {};
}

// Empty members are the group and version of the list, for clients.
void WriteResponseKind(const Tree* entry, JsonWriter& json) {
  json.Member("responseKind")
      .Object({{"group", TextOf(entry, "group")},
               {"version", TextOf(entry, "version")},
               {"kind", TextOf(entry, "kind")}});
}

void WriteTexts(const Tree* entry, std::string_view name, JsonWriter& json) {
  const std::vector<std::string_view> texts = TextsOf(entry, name);
  if (!texts.empty()) json.Member(name).ArrayOf(texts);
}

void WriteSubresource(const Tree& entry, JsonWriter& json) {
  const std::string_view name = TextOf(&entry, "name");
  json.Object([&] {
    json.Member("subresource", name.substr(name.find('/') + 1));
    WriteResponseKind(&entry, json);
    json.Member("verbs").ArrayOf(TextsOf(&entry, "verbs"));
  });
}

void WriteResource(const RemoteResource& resource, JsonWriter& json) {
  json.Object([&] {
    json.Member("resource", resource.name);
    WriteResponseKind(resource.entry, json);
    json.Member("scope", resource.is_namespaced ? "Namespaced" : "Cluster");
    json.Member("singularResource", TextOf(resource.entry, "singularName"));
    json.Member("verbs").ArrayOf(TextsOf(resource.entry, "verbs"));
    WriteTexts(resource.entry, "shortNames", json);
    WriteTexts(resource.entry, "categories", json);
    if (resource.subresources.empty()) return;
    json.Member("subresources").Array([&] {
      for (const Tree* entry : resource.subresources) WriteSubresource(*entry, json);
    });
  });
}

}  // namespace

Result<std::string> AggregatedResources(std::string_view list) {
  if (list.size() > kDiscoveryBytesMax) {
    return Fail(Unreadable(fmt::format("longer than {} bytes", kDiscoveryBytesMax)));
  }
  DRAY_TRY(const Tree tree, api::ReadTree(list));
  const Tree* const entries = tree.Find("resources");
  if (TextOf(&tree, "kind") != "APIResourceList" || entries == nullptr || !entries->is_list()) {
    return Fail(Unreadable("no APIResourceList"));
  }
  std::vector<RemoteResource> resources = ResourcesOf(*entries);
  DRAY_TRY_VOID(AddSubresources(*entries, resources));
  return api::JsonText([&](JsonWriter& json) {
    json.Array([&] {
      for (const RemoteResource& resource : resources) WriteResource(resource, json);
    });
  });
}

}  // namespace dray::server::verbs::inline controllers
