// SPDX-License-Identifier: Apache-2.0
// A user as authentication.k8s.io's UserInfo shows it: in admission requests and audit events.
#pragma once

#include "api/codec/json_writer.h"
#include "server/access/user.h"

namespace dray::server::access {

/// Writes {"username":…,"uid":…,"groups":[…],"extra":{…}}, without empty members.
void WriteUser(api::JsonWriter& json, const User& user);

}  // namespace dray::server::access
