// SPDX-License-Identifier: Apache-2.0
#include "server/policies/admission_request.h"

#include "server/access/user_json.h"

namespace dray::server::policies {
namespace {

void WriteKind(api::JsonWriter& json, const api::KindInfo& kind) {
  json.Object([&] {
    json.Member("group", kind.group);
    json.Member("version", kind.version);
    json.Member("kind", kind.kind);
  });
}

void WriteResource(api::JsonWriter& json, const api::KindInfo& kind) {
  json.Object([&] {
    json.Member("group", kind.group);
    json.Member("version", kind.version);
    json.Member("resource", kind.plural);
  });
}

}  // namespace

void WriteAbout(const AdmissionRequest& request,
                const api::KindInfo& resource,
                const api::KindInfo& kind,
                api::JsonWriter& json) {
  WriteKind(json.Member("kind"), kind);
  WriteResource(json.Member("resource"), resource);
  if (!request.subresource.empty()) json.Member("subResource", request.subresource);
  WriteKind(json.Member("requestKind"), *request.kind);
  WriteResource(json.Member("requestResource"), *request.resource);
  if (!request.subresource.empty()) json.Member("requestSubResource", request.subresource);
  if (!request.name.empty()) json.Member("name", request.name);
  if (!request.namespace_.empty()) json.Member("namespace", request.namespace_);
  json.Member("operation", WordOf(request.operation));
  access::WriteUser(json.Member("userInfo"), *request.user);
}

}  // namespace dray::server::policies
