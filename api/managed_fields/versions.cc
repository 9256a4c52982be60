// SPDX-License-Identifier: Apache-2.0
#include "api/managed_fields/versions.h"

#include <algorithm>
#include <string>
#include <utility>

#include "api/codec/json.h"
#include "api/codec/tree_json.h"
#include "api/conversion/conversion.h"
#include "api/custom_kind.h"
#include "base/try.h"

namespace dray::api::managed_fields {

const KindInfo* Versions::Find(std::string_view api_version) const {
  if (kind->api_version == api_version) return kind;
  if (const CustomKind* custom = CustomOf(*kind)) return CustomVersionOf(*custom, api_version);
  const auto found = std::ranges::find_if(kinds, [&](const KindInfo* other) {
    return other->kind == kind->kind && &other->storage() == &kind->storage() &&
           other->in.Has(release) && other->api_version == api_version;
  });
  return found == kinds.end() ? nullptr : *found;
}

Object Versions::As(const Object& object, const KindInfo& version) const {
  const CustomKind* custom = converter == nullptr ? nullptr : CustomOf(version);
  const bool needs_converter =
      custom != nullptr && !object.empty() && object.kind().version != version.version;
  if (needs_converter) return converter->Convert(object, *custom);
  return conversion::FromHub(object, version, release);
}

namespace {

constexpr std::string_view kTooDeep = "exceeded max depth";

bool CopyMember(const Tree::Member& member, size_t depth, JsonTree& into);
bool CopyIfDifferent(const Tree::Member& old,
                     const Tree::Member& now,
                     size_t depth,
                     Differences& copies);

// What parsing the text of `tree` would make. False: it is deeper than kDocumentDepthMax.
bool CopyTree(const Tree& tree, size_t depth, JsonTree& copy) {
  switch (tree.kind()) {
    case Tree::Kind::kNull: copy.kind = JsonKind::kNull; return true;
    case Tree::Kind::kBool:
      copy.kind = JsonKind::kBool;
      copy.text = tree.boolean() ? "true" : "false";
      return true;
    case Tree::Kind::kInteger:
    case Tree::Kind::kDouble:
      copy.kind = JsonKind::kNumber;
      WriteTree(tree, copy.text);
      return true;
    case Tree::Kind::kText:
      copy.kind = JsonKind::kString;
      copy.text = tree.text();
      return true;
    case Tree::Kind::kList:
      copy.kind = JsonKind::kArray;
      if (depth >= kDocumentDepthMax) return false;
      copy.elements().resize(tree.size());
      for (size_t i = 0; i < tree.size(); ++i) {
        if (!CopyTree(tree.elements()[i], depth + 1, copy.elements()[i])) return false;
      }
      return true;
    case Tree::Kind::kObject: break;
  }
  copy.kind = JsonKind::kObject;
  if (depth >= kDocumentDepthMax) return false;
  return std::ranges::all_of(tree.members(), [&](const Tree::Member& member) {
    return CopyMember(member, depth + 1, copy);
  });
}

bool CopyMember(const Tree::Member& member, size_t depth, JsonTree& into) {
  JsonTree value;
  if (!CopyTree(member.value, depth, value)) return false;
  into.members().Set(member.name(), std::move(value));
  return true;
}

// Two objects. False as CopyTree().
bool CopyDifferences(const Tree& old, const Tree& now, size_t depth, Differences& copies) {
  copies.old.kind = JsonKind::kObject;
  copies.now.kind = JsonKind::kObject;
  if (old.SharesAllWith(now)) return true;
  if (depth >= kDocumentDepthMax) return false;
  std::span<const Tree::Member> before = old.members();
  std::span<const Tree::Member> after = now.members();
  while (!before.empty() || !after.empty()) {
    const bool is_old =
        !before.empty() && (after.empty() || before.front().name() <= after.front().name());
    const bool is_now =
        !after.empty() && (before.empty() || after.front().name() <= before.front().name());
    if (is_old && is_now) {
      if (!CopyIfDifferent(before.front(), after.front(), depth + 1, copies)) return false;
    } else if (is_old) {
      if (!CopyMember(before.front(), depth + 1, copies.old)) return false;
    } else if (!CopyMember(after.front(), depth + 1, copies.now)) {
      return false;
    }
    if (is_old) before = before.subspan(1);
    if (is_now) after = after.subspan(1);
  }
  return true;
}

// Members of one name. Objects are compared by their members alone, so each part is looked at once.
bool CopyIfDifferent(const Tree::Member& old,
                     const Tree::Member& now,
                     size_t depth,
                     Differences& copies) {
  if (!old.value.is_object() || !now.value.is_object()) {
    return old.value == now.value ||
           (CopyMember(old, depth, copies.old) && CopyMember(now, depth, copies.now));
  }
  Differences below;
  if (!CopyDifferences(old.value, now.value, depth, below)) return false;
  if (below.old.members().size() == 0 && below.now.members().size() == 0) return true;
  copies.old.members().Set(old.name(), std::move(below.old));
  copies.now.members().Set(now.name(), std::move(below.now));
  return true;
}

Result<JsonTree> DocumentOfCustom(const CustomObject& object, Wire wire) {
  std::string json;
  EncodeJson(TypeOf<meta_v1::ObjectMeta>(), &object.metadata, json, wire);
  DRAY_TRY(JsonTree metadata, ParseJsonTree(json, kDocumentDepthMax - 1));
  JsonTree document;
  if (!CopyTree(object.content, 0, document)) {
    return Fail(StatusReason::kBadRequest, std::string(kTooDeep));
  }
  document.members().Set("metadata", std::move(metadata));
  return document;
}

}  // namespace

Result<Differences> DifferencesOf(const Tree& old, const Tree& now) {
  Differences copies;
  if (CopyDifferences(old, now, 0, copies)) return copies;
  return Fail(StatusReason::kBadRequest, std::string(kTooDeep));
}

Result<JsonTree> DocumentOf(const Object& object, Wire wire) {
  if (IsCustom(object.kind())) return DocumentOfCustom(object.As<CustomObject>(), wire);
  std::string json;
  EncodeJson(object.type(), object.value(), json, wire);
  return ParseJsonTree(json, kDocumentDepthMax);
}

Result<Object> ObjectOf(const JsonTree& document, const KindInfo& from, Wire wire) {
  std::string json;
  WriteJsonTree(document, json);
  DecodeIssues issues;
  return DecodeJson(from, json, &issues, wire);
}

Result<JsonTree> ConvertDocument(const JsonTree& document,
                                 const KindInfo& from,
                                 const KindInfo& to,
                                 const Versions& versions) {
  if (&from == &to) return document;
  DRAY_TRY(const Object object, ObjectOf(document, from, versions.wire()));
  return DocumentOf(versions.As(conversion::ToHub(object, versions.release), to), versions.wire());
}

}  // namespace dray::api::managed_fields
