// SPDX-License-Identifier: Apache-2.0
#include "control_plane/audit_files.h"

#include <cstdio>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/try.h"
#include "server/audit/log.h"
#include "server/audit/policy.h"

namespace dray::control_plane {
namespace {

namespace audit = server::audit;

Result<audit::Policy> ReadPolicy(World& world, const Log& log, const std::string& file) {
  const auto refuse = [&](const Error& error) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("--audit-policy-file {}: {}", file, error.message));
  };
  const Result<std::string> text = world.disk.Read(file);
  if (!text) return refuse(text.error());
  Result<audit::Policy> policy = audit::ReadPolicy(*text);
  if (!policy) return refuse(policy.error());
  for (const std::string& warning : policy->warnings) {
    log.Warning("ignored in the audit policy", "file", file, "what", warning);
  }
  return policy;
}

Result<> PrintLine(std::string_view line) {
  const bool is_written = std::fwrite(line.data(), 1, line.size(), stdout) == line.size();
  if (is_written && std::fflush(stdout) == 0) return {};
  return Fail(StatusReason::kInternalError, "standard output cannot be written");
}

Result<audit::Sink> OpenSink(World& world, const AuditFiles& files) {
  if (files.log == "-") return audit::Sink(PrintLine);
  Result<std::unique_ptr<audit::RotatedFile>> opened =
      audit::RotatedFile::Open(world, files.log, files.rotation);
  if (!opened) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("--audit-log-path {}: {}", files.log, opened.error().message));
  }
  const std::shared_ptr<audit::RotatedFile> file = *std::move(opened);
  return audit::Sink([file](std::string_view line) { return file->Append(line); });
}

}  // namespace

Result<> CheckAuditPolicy(World& world, const AuditFiles& files) {
  if (files.policy.empty()) return {};
  DRAY_TRY_VOID(ReadPolicy(world, Log::Silent(), files.policy));
  return {};
}

Result<std::shared_ptr<const audit::Auditor>> MakeAuditor(World& world,
                                                          const Log& log,
                                                          const AuditFiles& files) {
  const bool has_policy = !files.policy.empty();
  const bool has_log = !files.log.empty();
  if (has_log && !has_policy) {
    log.Warning("no audit policy file, so nothing is written about requests",
                "flag",
                "--audit-policy-file");
  }
  if (!has_policy) return nullptr;
  DRAY_TRY(audit::Policy policy, ReadPolicy(world, log, files.policy));
  if (!has_log) {
    log.Warning("no audit log, so nothing is written about requests", "flag", "--audit-log-path");
    return nullptr;
  }
  DRAY_TRY(audit::Sink sink, OpenSink(world, files));
  auto lines = std::make_shared<audit::AuditLog>(log, world.clock, std::move(sink));
  return std::make_shared<const audit::Auditor>(
      audit::Auditor{.policy = std::move(policy), .log = std::move(lines)});
}

}  // namespace dray::control_plane
