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

// Appends the line at RequestReceived, if it is due, and the line at `stage`.
void AddLines(const Event& event,
              bool is_received_due,
              std::optional<Stage> stage,
              WallTime now,
              AuditLog& log) {
  const size_t lines = (is_received_due ? 1U : 0U) + (stage.has_value() ? 1U : 0U);
  if (lines == 0) return;
  std::string text;
  if (is_received_due) event.AppendLine(Stage::kRequestReceived, event.received(), text);
  if (stage.has_value()) event.AppendLine(*stage, now, text);
  log.Add(lines, text);
}

}  // namespace

AuditedRequest::AuditedRequest(std::shared_ptr<AuditLog> log,
                               const Clock& clock,
                               const Decision& decision,
                               Beginning beginning,
                               bool writes_received)
    : log_(std::move(log)),
      clock_(clock),
      decision_(decision),
      event_(beginning),
      id_(std::move(beginning.id)),
      is_received_due_(writes_received && !decision.omitted.Has(Stage::kRequestReceived)) {}

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

void AuditedRequest::SetImpersonated(const access::User& user, std::string constraint) {
  const MutexLock lock(mutex_);
  event_.impersonated = user;
  event_.constraint = std::move(constraint);
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
  WriteReceived();  // before the object is set: the line has only what the URL contains
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

void AuditedRequest::WriteReceived() {
  const MutexLock lock(mutex_);
  Write(std::nullopt);
}

void AuditedRequest::Started(int code) {
  const MutexLock lock(mutex_);
  event_.code = code;
  Write(Stage::kResponseStarted);
}

void AuditedRequest::Complete(int code, Stage stage) {
  const MutexLock lock(mutex_);
  if (std::exchange(is_over_, true)) return;
  event_.code = code;
  Write(stage);
}

// Writes the line at RequestReceived, if it is due, and the line at `stage`.
void AuditedRequest::Write(std::optional<Stage> stage) {
  const bool is_received_due = std::exchange(is_received_due_, false);
  if (stage.has_value() && decision_.omitted.Has(*stage)) stage.reset();
  AddLines(event_, is_received_due, stage, clock_.Now(), *log_);
}

}  // namespace dray::server::audit
