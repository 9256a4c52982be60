// SPDX-License-Identifier: Apache-2.0
#include "server/audit/request.h"

#include <utility>

#include "api/codec/json.h"
#include "api/codec/json_tree.h"
#include "api/managed_fields/apply.h"

namespace dray::server::audit {
namespace {

// The text at metadata.`name` of an object.
std::string MetadataText(const api::JsonTree& object, std::string_view name) {
  const api::JsonTree* const metadata =
      object.is_object() ? object.members().Find("metadata") : nullptr;
  if (metadata == nullptr || !metadata->is_object()) return {};
  const api::JsonTree* const found = metadata->members().Find(name);
  return found == nullptr || !found->is_string() ? std::string() : found->text;
}

void FillIn(const api::JsonTree& object, ObjectReference& reference) {
  const auto fill = [&](std::string& to, std::string_view name) {
    if (to.empty()) to = MetadataText(object, name);
  };
  fill(reference.namespace_, "namespace");
  fill(reference.name, "name");
  fill(reference.uid, "uid");
  fill(reference.resource_version, "resourceVersion");
}

}  // namespace

AuditedRequest::AuditedRequest(std::shared_ptr<AuditLog> log,
                               const Clock& clock,
                               const Decision& decision,
                               Event event)
    : log_(std::move(log)),
      clock_(clock),
      decision_(decision),
      id_(event.id),
      event_(std::move(event)) {}

AuditedRequest::~AuditedRequest() {
  constexpr int kOk = 200;
  {
    const MutexLock lock(mutex_);
    if (is_over_) return;
    auto& status = event_.status.emplace();
    status.status = "Success";
    status.message = "Connection closed early";
  }
  Complete(kOk);
}

void AuditedRequest::SetImpersonated(const access::User& user) {
  const MutexLock lock(mutex_);
  event_.impersonated = user;
}

void AuditedRequest::Annotate(std::string key, std::string value) {
  const MutexLock lock(mutex_);
  event_.annotations.insert({std::move(key), std::move(value)});
}

void AuditedRequest::SetRequestObject(std::string_view json,
                                      std::string_view version,
                                      std::string_view kind) {
  const auto object = api::ParseJsonTree(json, api::managed_fields::kDocumentDepthMax);
  if (!object.has_value()) return;
  std::string text;
  if (wants_request()) text = ObjectText(json, version, kind, decision_.omit_managed_fields);
  const MutexLock lock(mutex_);
  if (event_.object.has_value()) FillIn(*object, *event_.object);
  event_.request_object = std::move(text);
}

void AuditedRequest::SetPatch(std::string_view json) {
  if (!wants_request()) return;
  std::string text = ObjectText(json, "", "", /*omit_managed_fields=*/false);
  const MutexLock lock(mutex_);
  event_.request_object = std::move(text);
}

void AuditedRequest::SetStatus(const api::meta_v1::Status& status, bool is_object) {
  std::string text;
  if (is_object && wants_response()) {
    api::EncodeJson({.api_version = "v1", .kind = "Status"},
                    api::TypeOf<api::meta_v1::Status>(),
                    &status,
                    text);
  }
  const MutexLock lock(mutex_);
  if (is_over_) return;
  event_.status = status;
  event_.response_object = std::move(text);
}

void AuditedRequest::SetResponseObject(std::string_view json) {
  std::string text = ObjectText(json, "", "", decision_.omit_managed_fields);
  const MutexLock lock(mutex_);
  if (!is_over_) event_.response_object = std::move(text);
}

void AuditedRequest::SetCode(int code) {
  if (!event_.status.has_value()) event_.status.emplace();
  event_.status->code = code;
}

void AuditedRequest::Received() {
  const MutexLock lock(mutex_);
  Write(Stage::kRequestReceived, event_.received);
}

void AuditedRequest::Started(int code) {
  const MutexLock lock(mutex_);
  SetCode(code);
  Write(Stage::kResponseStarted, clock_.Now());
}

void AuditedRequest::Complete(int code, Stage stage) {
  const MutexLock lock(mutex_);
  if (std::exchange(is_over_, true)) return;
  SetCode(code);
  Write(stage, clock_.Now());
}

void AuditedRequest::Write(Stage stage, WallTime now) {
  if (!decision_.omitted.Has(stage)) log_->Add(LineOf(event_, stage, now));
}

}  // namespace dray::server::audit
