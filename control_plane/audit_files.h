// SPDX-License-Identifier: Apache-2.0
// The audit log as flags name it: a policy file, and the file that requests are written to.
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
  std::string policy;  // empty: nothing is written
  std::string log;     // "-": standard output; empty: nothing is written
  server::audit::Rotation rotation = {};
};

/// Errors: kBadRequest  a policy file is named and cannot be read, or is none.
Result<> CheckAuditPolicy(World& world, const AuditFiles& files);

/// Null when nothing is to be written; logs a line when only one of the two files is named. The
/// world outlives what it returns.
/// Errors: kBadRequest  the policy file cannot be read or is none, with the flag, the file and the
///                      field; and the log cannot be opened.
Result<std::shared_ptr<const server::audit::Auditor>> MakeAuditor(World& world,
                                                                  const Log& log,
                                                                  const AuditFiles& files);

}  // namespace dray::control_plane
