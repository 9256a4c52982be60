// SPDX-License-Identifier: Apache-2.0
#include "api/managed_fields/versions.h"

#include <algorithm>
#include <string>

#include "api/codec/json.h"
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

Result<JsonTree> DocumentOf(const Object& object, Wire wire) {
  std::string json;
  if (!IsCustom(object.kind())) {
    EncodeJson(object.type(), object.value(), json, wire);
    return ParseJsonTree(json, kDocumentDepthMax);
  }
  EncodeJson(object, json, wire);
  DRAY_TRY(JsonTree document, ParseJsonTree(json, kDocumentDepthMax));
  for (const std::string_view name : {"apiVersion", "kind"}) document.members().Take(name);
  return document;
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
