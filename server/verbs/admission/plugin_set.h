// SPDX-License-Identifier: Apache-2.0
// Which admission plugins of the chain (chain.h) are on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace dray::server::verbs::admission {

inline constexpr std::string_view kServiceAccountPlugin = "ServiceAccount";
inline constexpr std::string_view kTaintNodesPlugin = "TaintNodesByCondition";
inline constexpr std::string_view kStorageProtectionPlugin = "StorageObjectInUseProtection";
inline constexpr std::string_view kPodGroupProtectionPlugin = "PodGroupProtection";

/// A value; thread-safe to read.
class PluginSet {
 public:
  /// The plugins that kube-apiserver has on by default, and NodeRestriction; without the four
  /// above, which need controllers: Dray's for ServiceAccount, others for the rest.
  static PluginSet Usual();

  /// `name` is one of the chain's.
  bool Has(std::string_view name) const;
  PluginSet With(std::string_view name) const;
  /// The same by the plugin's place in the chain.
  bool HasAt(size_t index) const { return (bits_ >> index & 1U) != 0; }

  /// This set with those of `enabled` and without those of `disabled`, as
  /// --enable-admission-plugins and --disable-admission-plugins of kube-apiserver name them.
  ///
  /// Errors: kBadRequest a name is unknown or in both lists (in kube-apiserver's words); Dray is
  /// not
  ///         built with a plugin in `enabled`.
  Result<PluginSet> Changed(const std::vector<std::string>& enabled,
                            const std::vector<std::string>& disabled) const;

 private:
  uint64_t bits_ = 0;
};

}  // namespace dray::server::verbs::admission
