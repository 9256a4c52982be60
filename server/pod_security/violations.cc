// SPDX-License-Identifier: Apache-2.0
#include "server/pod_security/violations.h"

#include <algorithm>
#include <cstdint>

namespace dray::server::pod_security {
namespace {

uint32_t MinorOf(const Standard& standard, api::Release newest) {
  const auto max = static_cast<uint32_t>(
      api::MinorOf(newest == api::Release::kAny ? api::Release::kNewest : newest));
  return std::min(standard.minor.value_or(max), max);
}

}  // namespace

std::vector<Violation> ViolationsOf(const Standard& standard,
                                    api::Release newest,
                                    const api::meta_v1::ObjectMeta& metadata,
                                    const api::core_v1::PodSpec& spec) {
  std::vector<Violation> violations;
  if (standard.level == Level::kPrivileged) return violations;
  const bool is_restricted = standard.level == Level::kRestricted;
  const Question question{.metadata = metadata, .spec = spec, .minor = MinorOf(standard, newest)};
  const auto ask = [&](const Check& check) {
    if (question.minor < check.since) return;
    if (is_restricted && question.minor >= check.replaced_since) return;
    if (std::optional<Violation> found = check.find(question)) {
      violations.push_back(*std::move(found));
    }
  };
  std::ranges::for_each(BaselineChecks(), ask);
  if (is_restricted) std::ranges::for_each(RestrictedChecks(), ask);
  return violations;
}

std::string Details(const std::vector<Violation>& violations) {
  std::string text;
  for (const Violation& one : violations) {
    if (!text.empty()) text += ", ";
    text += one.reason;
    if (!one.detail.empty()) text += " (" + one.detail + ")";
  }
  return text;
}

std::string Reasons(const std::vector<Violation>& violations) {
  std::string text;
  for (const Violation& one : violations) {
    if (!text.empty()) text += ", ";
    text += one.reason;
  }
  return text;
}

}  // namespace dray::server::pod_security
