// SPDX-License-Identifier: Apache-2.0
#include "server/audit/request.h"

#include <utility>

#include "api/codec/json.h"
#include "api/codec/json_tree.h"
#include "api/managed_fields/apply.h"

namespace dray::server::audit {
namespace {

// The text at metadata.`name` of an object.
std::string_view MetadataText(const api::JsonTree& object, std::string_view name) {
  const api::JsonTree* const metadata =
      object.is_object() ? object.members().Find("metadata") : nullptr;
  if (metadata == nullptr || !metadata->is_object()) return {};
  const api::JsonTree* const found = metadata->members().Find(name);
  return found == nullptr || !found->is_string() ? std::string_view() : found->text;
}

void FillIn(const api::JsonTree& object, ObjectReference& reference) {
  const auto fill = [&](std::string_view& to, std::string_view name) {
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
                               const Beginning& beginning,
                               bool is_told)
    : log_(std::move(log)),
      clock_(clock),
      decision_(decision),
      id_(beginning.id),
      event_(beginning) {
  if (is_told) Write(Stage::kRequestReceived, beginning.received);
}

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

void AuditedRequest::SetVerdict(bool is_allowed, std::string reason) {
  const MutexLock lock(mutex_);
  event_.is_allowed = is_allowed;
  event_.reason = std::move(reason);
}

void AuditedRequest::Annotate(std::string key, std::string value) {
  const MutexLock lock(mutex_);
  event_.annotations.insert({std::move(key), std::move(value)});
}

void AuditedRequest::SetRequestObject(std::string_view json,
                                      std::optional<ObjectReference> asked_for) {
  const auto object = api::ParseJsonTree(json, api::managed_fields::kDocumentDepthMax);
  if (!object.has_value()) return;
  std::string text;
  if (wants_request()) text = ObjectText(json, decision_.omit_managed_fields);
  if (asked_for.has_value()) FillIn(*object, *asked_for);
  const MutexLock lock(mutex_);
  if (asked_for.has_value()) event_.SetObject(*asked_for);
  event_.request_object = std::move(text);
}

void AuditedRequest::SetPatch(std::string_view json) {
  if (!wants_request()) return;
  std::string text = ObjectText(json, /*omit_managed_fields=*/false);
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
  std::string text = ObjectText(json, decision_.omit_managed_fields);
  const MutexLock lock(mutex_);
  if (!is_over_) event_.response_object = std::move(text);
}

void AuditedRequest::Started(int code) {
  const MutexLock lock(mutex_);
  event_.code = code;
  Write(Stage::kResponseStarted, clock_.Now());
}

void AuditedRequest::Complete(int code, Stage stage) {
  const MutexLock lock(mutex_);
  if (std::exchange(is_over_, true)) return;
  event_.code = code;
  Write(stage, clock_.Now());
}

void AuditedRequest::Write(Stage stage, WallTime now) {
  if (decision_.omitted.Has(stage)) return;
  static thread_local std::string line;  // memory of usual lines is taken once
  line.clear();
  event_.AppendLine(stage, now, line);
  log_->Add(line);
  constexpr size_t kUsualMax = size_t{16} << 10;
  if (line.capacity() > kUsualMax) std::string().swap(line);
}

}  // namespace dray::server::audit
