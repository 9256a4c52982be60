// SPDX-License-Identifier: Apache-2.0
#include "manifests/convert_custom.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/codec/json.h"
#include "base/try.h"
#include "manifests/documents.h"
#include "manifests/json_members.h"
#include "server/registry/write.h"

namespace dray::manifests {
namespace {

/// What `version` does not keep of the object, as losses.
void AddLosses(const api::Object& object,
               const api::CustomKind& version,
               std::vector<Remark>& losses) {
  const Frozen<api::CustomVersion> rules = version.now.Load();
  if (rules == nullptr) return;
  auto copy = object.As<api::CustomObject>();
  std::vector<std::string> unknown;
  rules->Prune(copy, &unknown);
  for (std::string& path : unknown) {
    std::string text = fmt::format("{} has no {}", version.version, path);
    losses.push_back({.path = std::move(path), .text = std::move(text)});
  }
}

/// The manifest: what it is and its metadata first, without members that only servers write.
std::string CustomManifestOf(const api::Object& object) {
  std::vector<JsonMember> members = {{"apiVersion", ""}, {"kind", ""}, {"metadata", ""}};
  for (JsonMember& member : MembersOf(api::ToJson(object))) {
    const auto first = std::ranges::find(members, member.key, &JsonMember::key);
    if (first == members.end()) {
      members.push_back(std::move(member));
      continue;
    }
    first->value = std::move(member.value);
    if (first->key != "metadata") continue;
    std::vector<JsonMember> metadata = MembersOf(first->value);
    std::erase(metadata, JsonMember{"creationTimestamp", "null"});
    first->value = ObjectOf(metadata);
  }
  std::erase_if(members, [](const JsonMember& member) { return member.value.empty(); });
  return ObjectOf(members);
}

void Refuse(std::string text, ConvertedItem& item) {
  item.refusals.push_back({.path = "", .text = std::move(text)});
}

void LeaveAsItIs(std::string_view why, ConvertedItem& item) {
  item.notes.push_back({.path = "", .text = fmt::format("left as it is: {}", why)});
}

std::string ServedBy(const CustomDefinition& definition) {
  return definition.served.empty()
             ? "it serves no version"
             : fmt::format("it serves {}", fmt::join(definition.served, ", "));
}

}  // namespace

Result<> CustomItemConverter::CheckTarget() const {
  const std::string_view group = GroupOf(api_version_);
  std::set<std::string_view> served;
  for (const api::KindInfo* kind : kinds_.scheme().kinds()) {
    if (api::IsCustom(*kind) && kind->served && kind->group == group)
      served.insert(kind->api_version);
  }
  if (served.contains(api_version_)) return {};
  if (!served.empty()) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("{} is served by no definition in the files; there are {}",
                            api_version_,
                            fmt::join(served, ", ")));
  }
  return Fail(
      StatusReason::kBadRequest,
      fmt::format("the files have no valid CustomResourceDefinition of {}; add it to them", group));
}

Result<> CustomItemConverter::ConvertTo(const api::CustomKind& target,
                                        const api::KindInfo& from,
                                        std::string_view json,
                                        ConvertedItem& item) const {
  api::DecodeIssues issues;
  DRAY_TRY(const api::Object object,
           server::registry::DecodeForStore(
               from, json, api::Release::kNewest, world_.clock.Now(), &issues));
  for (const std::string& issue : issues) item.losses.push_back(RemarkOf(issue));
  const api::Object stored = api::ForStorage(object);
  const auto& storage = static_cast<const api::CustomKind&>(stored.kind());
  if (&storage != &from) AddLosses(object, storage, item.losses);
  if (&storage != &target) AddLosses(stored, target, item.losses);
  item.outcome = ConvertedItem::Outcome::kConverted;
  item.object = CustomManifestOf(api::ReadAs(stored, target));
  return {};
}

Result<ConvertedItem> CustomItemConverter::Convert(const api::TypeMeta& meta,
                                                   std::string_view json) const {
  ConvertedItem item;
  if (GroupOf(meta.api_version) != GroupOf(api_version_)) return item;
  const WrittenName written = NameIn(json);
  item.name = fmt::format("{} {} {}{}{}",
                          meta.api_version,
                          meta.kind,
                          written.namespace_,
                          written.namespace_.empty() ? "" : "/",
                          written.name);
  const CustomDefinition* const definition = kinds_.Find(GroupOf(meta.api_version), meta.kind);
  if (definition == nullptr) {
    LeaveAsItIs("the files have no CustomResourceDefinition of its kind", item);
    return item;
  }
  const std::string which = fmt::format("its definition at {}", definition->place);
  if (!definition->problem.empty()) {
    Refuse(fmt::format("cannot be converted: {} {}", which, definition->problem), item);
    return item;
  }
  if (meta.api_version == api_version_) return item;
  const api::KindInfo* const from = kinds_.scheme().FindKind(meta.api_version, meta.kind);
  const api::KindInfo* const to = kinds_.scheme().FindKind(api_version_, meta.kind);
  if (to == nullptr || !to->served) {
    LeaveAsItIs(fmt::format("{} does not serve {}; {}", which, api_version_, ServedBy(*definition)),
                item);
  } else if (from == nullptr) {
    Refuse(fmt::format("cannot be converted: {} has no {}", which, meta.api_version), item);
  } else if (!definition->webhook.empty()) {
    Refuse(fmt::format("cannot be converted without a server: {} leaves that to {}; create the "
                       "object where that runs, and read it as {}",
                       which,
                       definition->webhook,
                       api_version_),
           item);
  } else {
    DRAY_TRY_VOID(ConvertTo(*api::CustomOf(*to), *from, json, item));
  }
  return item;
}

}  // namespace dray::manifests
