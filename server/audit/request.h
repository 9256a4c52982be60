// SPDX-License-Identifier: Apache-2.0
// The audit events of one running request. Thread-safe, because a late answer is written by another
// thread than the one that runs the request.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/meta_v1/object_meta.h"
#include "api/meta_v1/status.h"
#include "base/mutex.h"
#include "base/world.h"
#include "server/access/user.h"
#include "server/audit/event.h"
#include "server/audit/log.h"
#include "server/audit/policy.h"

namespace dray::server::audit {

/// The audit policy of a server and its log.
struct Auditor {
  Policy policy;
  std::shared_ptr<AuditLog> log;
};

class AuditedRequest {
 public:
  /// `writes_received`: write a line at RequestReceived unless the policy omits it. The clock
  /// outlives this.
  AuditedRequest(std::shared_ptr<AuditLog> log,
                 const Clock& clock,
                 const Decision& decision,
                 Beginning beginning,
                 bool writes_received);
  /// Completes a request that has not been completed.
  ~AuditedRequest();
  AuditedRequest(const AuditedRequest&) = delete;
  AuditedRequest& operator=(const AuditedRequest&) = delete;

  const std::string& id() const { return id_; }
  /// Whether the policy logs the request's object, and the response's.
  bool wants_request() const { return decision_.level >= Level::kRequest; }
  bool wants_response() const { return decision_.level >= Level::kRequestResponse; }

  void SetImpersonated(const access::User& user, std::string constraint);
  /// Sets whether the user is authorized, and the reason.
  void SetVerdict(bool is_allowed, std::string reason);
  void Annotate(std::string key, std::string value);
  /// Sets the object that the client sent, as JSON. Its name, uid and version complete `asked_for`,
  /// if the request is about an object.
  void SetRequestObject(std::string_view json, std::optional<ObjectReference> asked_for);
  /// Sets a patch as the request's object; no reference is completed from it.
  void SetPatch(std::string_view json);
  /// Set the answer: a Status, or any other object as JSON.
  void SetStatus(const api::meta_v1::Status& status, bool is_object);
  void SetResponseObject(std::string_view json);

  /// Writes the line at RequestReceived now instead of together with the next stage's. Called for
  /// requests that run long.
  void WriteReceived();

  // Each writes a line, unless the policy omits the stage.

  /// The answer of a long-running request has begun.
  void Started(int code);
  /// The request has ended. Later calls have no effect.
  void Complete(int code, Stage stage = Stage::kResponseComplete);

 private:
  void Write(std::optional<Stage> stage) DRAY_REQUIRES(mutex_);

  const std::shared_ptr<AuditLog> log_;
  const Clock& clock_;
  const Decision decision_;
  Mutex mutex_;
  Event event_ DRAY_GUARDED_BY(mutex_);
  const std::string id_;
  bool is_received_due_ DRAY_GUARDED_BY(mutex_);  // the line at RequestReceived is not yet written
  bool is_over_ DRAY_GUARDED_BY(mutex_) = false;
};

}  // namespace dray::server::audit
