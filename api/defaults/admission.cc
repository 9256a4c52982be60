// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/defaults/defaults.h"

namespace dray::api::defaults {
namespace {

constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";
constexpr std::string_view kUnreachable = "node.kubernetes.io/unreachable";
constexpr std::array<std::string_view, 2> kTroubles = {kNotReady, kUnreachable};
constexpr std::string_view kNoExecute = "NoExecute";
constexpr int64_t kTroubleSeconds = 300;

// Whether `toleration` covers the taint already.
bool IsAbout(const core_v1::Toleration& toleration, std::string_view trouble) {
  return (toleration.key == trouble || toleration.key.empty()) &&
         (toleration.effect == kNoExecute || toleration.effect.empty());
}

}  // namespace

void TolerateTroubles(core_v1::Pod& pod) {
  for (const std::string_view trouble : kTroubles) {
    const bool is_said =
        std::ranges::any_of(pod.spec.tolerations,
                            [&](const core_v1::Toleration& one) { return IsAbout(one, trouble); });
    if (is_said) continue;
    pod.spec.tolerations.push_back({.key = std::string(trouble),
                                    .operator_ = "Exists",
                                    .value = "",
                                    .effect = std::string(kNoExecute),
                                    .toleration_seconds = kTroubleSeconds});
  }
}

void TaintNewNode(core_v1::Node& node) {
  const bool is_tainted = std::ranges::any_of(node.spec.taints, [](const core_v1::Taint& taint) {
    return taint.key == kNotReady && taint.effect == "NoSchedule";
  });
  if (is_tainted) return;
  core_v1::Taint& taint = node.spec.taints.emplace_back();
  taint.key = kNotReady;
  taint.effect = "NoSchedule";
}

}  // namespace dray::api::defaults
