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
  for (const Tree::Member& member : tree.members()) {
    JsonTree value;
    if (!CopyTree(member.value, depth + 1, value)) return false;
    copy.members().Set(member.name(), std::move(value));
  }
  return true;
}

Result<JsonTree> DocumentOfCustom(const CustomObject& object, Wire wire) {
  std::string json;
  EncodeJson(TypeOf<meta_v1::ObjectMeta>(), &object.metadata, json, wire);
  DRAY_TRY(JsonTree metadata, ParseJsonTree(json, kDocumentDepthMax - 1));
  JsonTree document;
  if (!CopyTree(object.content, 0, document)) {
    return Fail(StatusReason::kBadRequest, "exceeded max depth");
  }
  document.members().Set("metadata", std::move(metadata));
  return document;
}

}  // namespace

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
