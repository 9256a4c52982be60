// SPDX-License-Identifier: Apache-2.0
#include "manifests/convert_item.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/conversion/conversion.h"
#include "api/feature_gates.h"
#include "base/try.h"
#include "manifests/convert_pods.h"
#include "manifests/json_members.h"

namespace dray::manifests {
namespace {

// The classic generation is stored as v1alpha2; the rest is structured.
bool IsClassic(const api::KindInfo& kind) {
  return kind.storage().version == "v1alpha2";
}

bool IsClassicVersion(std::string_view version) {
  return version == "v1alpha1" || version == "v1alpha2";
}

const api::KindInfo* FindKind(const api::TypeMeta& meta) {
  if (!meta.api_version.starts_with(fmt::format("{}/", ItemConverter::kGroup))) return nullptr;
  return api::Scheme().FindKind(meta.api_version, meta.kind);
}

// Members that servers always write and authors never do.
constexpr std::array<std::string_view, 8> kEmptyMembers = {"metadata.creationTimestamp",
                                                           "spec.metadata.creationTimestamp",
                                                           "spec.metadata",
                                                           "spec.devices.requests",
                                                           "spec.devices",
                                                           "spec.spec.devices.requests",
                                                           "spec.spec.devices",
                                                           "status"};

bool IsEmpty(std::string_view json) {
  return json == "null" || json == "{}";
}

// The JSON value at `path` without empty members that may be left out.
std::string Tidied(std::string_view json, const std::string& path) {
  const bool is_above = path.empty() || std::ranges::any_of(kEmptyMembers, [&](auto one) {
                          return one.starts_with(path + '.');
                        });
  if (!is_above || !json.starts_with('{')) return std::string(json);
  std::vector<JsonMember> members = MembersOf(json);
  for (JsonMember& member : members) {
    const std::string inner = path.empty() ? member.key : path + '.' + member.key;
    member.value = Tidied(member.value, inner);
    const bool may_go = std::ranges::find(kEmptyMembers, inner) != kEmptyMembers.end();
    if (may_go && IsEmpty(member.value)) member.value.clear();
  }
  std::erase_if(members, [](const JsonMember& member) { return member.value.empty(); });
  return ObjectOf(members);
}

std::string ManifestOf(const api::Object& object, api::Release release) {
  std::string json;
  api::EncodeJson(object.type(), object.value(), json, {.release = release});
  std::vector<JsonMember> members = MembersOf(Tidied(json, ""));
  members.insert(
      members.begin(),
      {{"apiVersion", Quoted(object.kind().api_version)}, {"kind", Quoted(object.kind().kind)}});
  return ObjectOf(members);
}

/// "namespace/name", as far as the object has them.
std::string MetadataNameIn(std::string_view json) {
  std::string name;
  std::string namespace_;
  for (const JsonMember& member : MembersOf(json)) {
    if (member.key != "metadata") continue;
    for (const JsonMember& part : MembersOf(member.value)) {
      if (!part.value.starts_with('"') || part.value.size() < 2) continue;
      const std::string text = part.value.substr(1, part.value.size() - 2);
      if (part.key == "name") name = text;
      if (part.key == "namespace") namespace_ = text;
    }
  }
  return namespace_.empty() ? name : namespace_ + "/" + name;
}

}  // namespace

// The issue `unknown field "spec.foo"` is about spec.foo.
Remark RemarkOf(const std::string& issue) {
  const size_t quote = issue.find('"');
  std::string path = quote == std::string::npos ? "" : issue.substr(quote + 1);
  if (!path.empty()) path.pop_back();
  return {.path = std::move(path), .text = issue};
}

void ItemConverter::Learn(const api::TypeMeta& meta, std::string_view json) {
  const api::KindInfo* kind = FindKind(meta);
  if (kind == nullptr || !kind->kind.ends_with("Parameters")) return;
  api::DecodeIssues ignored;
  const auto object = api::DecodeJson(*kind, json, &ignored);
  if (object) parameters_.Add(api::conversion::ToHub(*object));
}

const api::KindInfo* ItemConverter::TargetOf(const api::KindInfo& hub) const {
  for (const api::KindInfo* kind : api::BuiltinKinds()) {
    if (&kind->storage() == &hub && kind->version == version_ && kind->in.Has(release_)) {
      return kind;
    }
  }
  return nullptr;
}

std::string ItemConverter::TargetName() const {
  if (release_ == api::Release::kAny) return version_;
  return fmt::format("{} of {}", version_, api::ReleaseName(release_));
}

void ItemConverter::ConvertTo(const api::KindInfo& target,
                              const api::Object& object,
                              ConvertedItem& item) const {
  const auto losses = api::conversion::Losses(object, target, release_);
  if (&target == &object.kind() && losses.empty()) {
    item.losses.clear();  // an unchanged object keeps its unknown fields
    return;
  }
  for (const api::conversion::Loss& loss : losses) {
    item.losses.push_back(
        {.path = loss.path,
         .text = fmt::format("{} has no {}: {}", TargetName(), loss.path, loss.value)});
  }
  const api::Object hub = api::conversion::ToHub(object);
  item.outcome = ConvertedItem::Outcome::kConverted;
  item.object = ManifestOf(api::conversion::FromHub(hub, target, release_), release_);
}

void ItemConverter::ProposeFor(const api::Object& object, ConvertedItem& item) const {
  Proposal proposal = Propose(api::conversion::ToHub(object), parameters_);
  item.comments = std::move(proposal.remarks);
  for (const Remark& unknown : item.losses) item.comments.push_back(unknown.text);
  item.losses.clear();
  item.outcome = ConvertedItem::Outcome::kOmitted;
  if (!proposal.object.has_value()) return;
  const api::KindInfo* target = TargetOf(proposal.object->kind());
  if (target == nullptr) {
    item.comments.push_back(
        fmt::format("{} has no {}", TargetName(), proposal.object->kind().kind));
    return;
  }
  for (const auto& loss : api::conversion::Losses(*proposal.object, *target, release_)) {
    item.comments.push_back(fmt::format("{} has no {}: {}", TargetName(), loss.path, loss.value));
  }
  item.outcome = ConvertedItem::Outcome::kConverted;
  item.object = ManifestOf(api::conversion::FromHub(*proposal.object, *target, release_), release_);
}

/// Converts an object of another group: pods and quotas are adapted.
ConvertedItem ItemConverter::ConvertOther(const api::TypeMeta& meta, std::string_view json) const {
  ConvertedItem item;
  if (!IsAround(meta)) return item;
  const bool is_before_flat = IsClassicVersion(version_) ||
                              (release_ != api::Release::kAny && release_ <= api::Release::k1_30);
  const auto change = ConvertAround(
      meta,
      json,
      {.form = is_before_flat ? ClaimForm::kSource : ClaimForm::kFlat, .version = version_});
  if (!change.has_value()) return item;
  item.outcome = ConvertedItem::Outcome::kConverted;
  item.name = fmt::format("{} {} {}", meta.api_version, meta.kind, MetadataNameIn(json));
  item.object = change->object;
  for (const AroundChange::Loss& loss : change->losses)
    item.losses.push_back({.path = loss.path, .text = loss.text});
  return item;
}

Result<ConvertedItem> ItemConverter::Convert(const api::TypeMeta& meta,
                                             std::string_view json) const {
  if (!meta.api_version.starts_with(fmt::format("{}/", kGroup))) return ConvertOther(meta, json);
  ConvertedItem item;
  item.name = fmt::format("{} {}", meta.api_version, meta.kind);
  const api::KindInfo* kind = FindKind(meta);
  if (kind == nullptr || kind->metadata == nullptr) {
    item.notes.push_back({.path = "", .text = "left as it is: not a kind Dray knows"});
    return item;
  }
  api::DecodeIssues issues;
  DRAY_TRY(const api::Object object, api::DecodeJson(*kind, json, &issues));
  item.name += ' ' + api::ObjectKey(object.metadata());
  for (const std::string& issue : issues) item.losses.push_back(RemarkOf(issue));
  const api::KindInfo* target = TargetOf(kind->storage());
  if (target != nullptr) {
    ConvertTo(*target, object, item);
  } else if (IsClassic(*kind) && !IsClassicVersion(version_)) {
    ProposeFor(object, item);
  } else if (!IsClassic(*kind) && IsClassicVersion(version_)) {
    item.refusals.push_back(
        {.path = "",
         .text = fmt::format("{} is classic allocation, which cannot express requests for devices",
                             version_)});
  } else {
    item.notes.push_back(
        {.path = "", .text = fmt::format("left as it is: {} has no {}", TargetName(), kind->kind)});
  }
  return item;
}

}  // namespace dray::manifests
