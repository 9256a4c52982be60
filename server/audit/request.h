// SPDX-License-Identifier: Apache-2.0
// One request on its way into the audit log. Thread-safe: an answer that is late comes from another
// thread than the one that carries the request out.
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

/// What a server writes about, and where to.
struct Auditor {
  Policy policy;
  std::shared_ptr<AuditLog> log;
};

class AuditedRequest {
 public:
  /// `writes_received`: there is a line of what was received, if the policy wants it. The clock
  /// outlives this.
  AuditedRequest(std::shared_ptr<AuditLog> log,
                 const Clock& clock,
                 const Decision& decision,
                 Beginning beginning,
                 bool writes_received);
  /// One that was never answered ends here.
  ~AuditedRequest();
  AuditedRequest(const AuditedRequest&) = delete;
  AuditedRequest& operator=(const AuditedRequest&) = delete;

  const std::string& id() const { return id_; }
  /// Whether anybody wants to know the request's object, and the answer's.
  bool wants_request() const { return decision_.level >= Level::kRequest; }
  bool wants_response() const { return decision_.level >= Level::kRequestResponse; }

  void SetImpersonated(const access::User& user, std::string constraint);
  /// Whether he may, and why.
  void SetVerdict(bool is_allowed, std::string reason);
  void Annotate(std::string key, std::string value);
  /// What the client sent, as JSON. What it says about its name, uid and version completes
  /// `asked_for`, if that is an object.
  void SetRequestObject(std::string_view json, std::optional<ObjectReference> asked_for);
  /// A patch, which says nothing about an object.
  void SetPatch(std::string_view json);
  /// The answer, where it is a Status, and where it is anything else.
  void SetStatus(const api::meta_v1::Status& status, bool is_object);
  void SetResponseObject(std::string_view json);

  /// Writes the line of what was received now, not with the one of the next stage: for requests
  /// that are not over at once.
  void WriteReceived();

  // Each writes a line, unless the policy leaves the stage out.

  /// Of what takes long: its answer has begun.
  void Started(int code);
  /// The end; only the first one counts.
  void Complete(int code, Stage stage = Stage::kResponseComplete);

 private:
  void Write(std::optional<Stage> stage) DRAY_REQUIRES(mutex_);

  const std::shared_ptr<AuditLog> log_;
  const Clock& clock_;
  const Decision decision_;
  Mutex mutex_;
  Event event_ DRAY_GUARDED_BY(mutex_);
  const std::string id_;
  bool is_received_due_ DRAY_GUARDED_BY(mutex_);  // its line is still to be written
  bool is_over_ DRAY_GUARDED_BY(mutex_) = false;
};

}  // namespace dray::server::audit
