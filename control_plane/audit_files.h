// SPDX-License-Identifier: Apache-2.0
// The audit log's flags: a policy file, and the file that requests are logged to.
#pragma once

#include <memory>
#include <string>

#include "base/log.h"
#include "base/result.h"
#include "base/world.h"
#include "server/audit/request.h"
#include "server/audit/rotated_file.h"

namespace dray::control_plane {

struct AuditFiles {
  std::string policy;  // empty: no audit log
  std::string log;     // "-": standard output; empty: no audit log
  server::audit::Rotation rotation = {};
};

/// Errors: kBadRequest  a policy file is named and cannot be read, or is invalid.
Result<> CheckAuditPolicy(World& world, const AuditFiles& files);

/// Returns null if there is no audit log; logs a line if only one of the two files is named. The
/// world must outlive the result. Errors: kBadRequest  the policy file cannot be read or is
/// invalid, with the flag, the file and the field; or the log cannot be opened.
Result<std::shared_ptr<const server::audit::Auditor>> MakeAuditor(World& world,
                                                                  const Log& log,
                                                                  const AuditFiles& files);

}  // namespace dray::control_plane
