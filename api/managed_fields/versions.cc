// SPDX-License-Identifier: Apache-2.0
#include "api/managed_fields/versions.h"

#include <algorithm>
#include <string>

#include "api/codec/json.h"
#include "api/conversion/conversion.h"

namespace dray::api::managed_fields {

const KindInfo* Versions::Find(std::string_view api_version) const {
  if (kind->api_version == api_version) return kind;
  const auto found = std::ranges::find_if(kinds, [&](const KindInfo* other) {
    return other->kind == kind->kind && &other->storage() == &kind->storage() &&
           other->in.Has(release) && other->api_version == api_version;
  });
  return found == kinds.end() ? nullptr : *found;
}

Result<JsonTree> DocumentOf(const Object& object, Wire wire) {
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
                                 Release release) {
  if (&from == &to) return document;
  const Wire wire{.release = release};
  DRAY_TRY(const Object object, ObjectOf(document, from, wire));
  return DocumentOf(conversion::FromHub(conversion::ToHub(object, release), to, release), wire);
}

}  // namespace dray::api::managed_fields
