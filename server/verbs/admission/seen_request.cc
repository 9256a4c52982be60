// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/seen_request.h"

#include <array>
#include <string>
#include <string_view>

#include "api/codec/json.h"
#include "api/codec/json_writer.h"
#include "api/core_v1/namespace.h"
#include "api/meta_v1/options.h"

namespace dray::server::verbs::admission {
namespace {

using policies::Operation;

constexpr std::string_view kOptionsVersion = "meta.k8s.io/v1";

std::string DeleteOptionsText(api::meta_v1::DeleteOptions options) {
  std::string text;
  api::EncodeJson({.api_version = std::string(kOptionsVersion), .kind = "DeleteOptions"},
                  api::TypeOf<api::meta_v1::DeleteOptions>(),
                  &options,
                  text);
  return text;
}

std::string WriteOptionsText(const WriteOptions& write, std::string_view kind) {
  return api::JsonText([&](api::JsonWriter& json) {
    json.Object([&] {
      json.Member("kind", kind);
      json.Member("apiVersion", kOptionsVersion);
      if (write.dry_run) json.Member("dryRun").ArrayOf(std::to_array<std::string_view>({"All"}));
      if (!write.said_manager.empty()) json.Member("fieldManager", write.said_manager);
      if (!write.said_validation.empty()) json.Member("fieldValidation", write.said_validation);
    });
  });
}

bool IsNamespaces(const api::KindInfo& kind) {
  return kind.group.empty() && kind.plural == "namespaces";
}

// The deletion of a namespace always has the namespace's uid as a precondition.
api::meta_v1::DeleteOptions DeleteOptionsOf(const ResourceRequest& request, const Write& write) {
  api::meta_v1::DeleteOptions options = request.delete_options;
  if (!IsNamespaces(*request.kind) || write.old_object == nullptr) return options;
  if (!options.preconditions.has_value()) options.preconditions.emplace();
  if (!options.preconditions->uid.has_value()) {
    options.preconditions->uid = write.old_object->metadata().uid;
  }
  return options;
}

std::string OptionsText(const ResourceRequest& request, const Write& write) {
  switch (write.operation) {
    case Operation::kCreate: return WriteOptionsText(request.write, "CreateOptions");
    case Operation::kUpdate: return WriteOptionsText(request.write, "UpdateOptions");
    case Operation::kDelete: return DeleteOptionsText(DeleteOptionsOf(request, write));
    case Operation::kConnect: break;
  }
  return {};
}

policies::AdmissionRequest RequestOf(const Call& call, const Write& write) {
  const ResourceRequest& request = *call.request;
  const api::Object* const there = write.has_metadata() ? write.object : write.old_object;
  policies::AdmissionRequest asked{
      .operation = write.operation,
      .resource = request.kind,
      .kind = write.kind != nullptr ? write.kind : request.kind,
      .subresource = std::string(write.subresource),
      .name = request.name,
      .namespace_ = request.namespace_,
      .user = &*request.user,
      .dry_run = request.write.dry_run || !request.delete_options.dry_run.empty(),
      .options = OptionsText(request, write),
      .object = write.object,
      .old_object = write.old_object,
      .release = request.release,
      .converter = ConverterOf(call)};
  if (call.of_collection) {
    asked.name.clear();
  } else if (asked.name.empty() && there != nullptr) {
    asked.name = there->metadata().name;
  }
  // Upstream gives a Namespace its own name as namespace.
  if (IsNamespaces(*request.kind)) asked.namespace_ = asked.name;
  return asked;
}

}  // namespace

SeenRequest::SeenRequest(const Call& call, const Write& write, const InSnapshot& surroundings)
    : request(RequestOf(call, write)) {
  if (!call.kind().namespaced) return;
  in_ = surroundings.Find(
      api::Reflected<api::core_v1::Namespace>::kKind, "", call.request->namespace_);
  if (in_.has_value()) request.namespace_object = in_->If<api::core_v1::Namespace>();
}

}  // namespace dray::server::verbs::admission
