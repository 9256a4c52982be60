// SPDX-License-Identifier: Apache-2.0
// A write of a verb as policies and webhooks see it.
#pragma once

#include <optional>

#include "api/object.h"
#include "server/policies/admission_request.h"
#include "server/verbs/admission/in_snapshot.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/context/call.h"

namespace dray::server::verbs::admission {

/// The request with the namespace object. The call, and the objects of the write, outlive it.
class SeenRequest {
 public:
  SeenRequest(const Call& call, const Write& write, const InSnapshot& surroundings);
  SeenRequest(const SeenRequest&) = delete;
  SeenRequest& operator=(const SeenRequest&) = delete;
  ~SeenRequest() = default;

  policies::AdmissionRequest request;

 private:
  std::optional<api::Object> in_;
};

}  // namespace dray::server::verbs::admission
