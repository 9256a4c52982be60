// SPDX-License-Identifier: Apache-2.0
// Reads objects of kube-scheduler's configuration file: each member by its name. Members that were
// not read are refused.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/json_tree.h"
#include "base/result.h"

namespace dray::scheduler::inline configuration {

/// The apiVersion of the configuration and of its plugins' arguments.
inline constexpr std::string_view kConfigurationVersion = "kubescheduler.config.k8s.io/v1";
/// The most levels of nested objects and lists.
inline constexpr size_t kConfigurationDepthMax = 32;

/// kInvalid: "path: why".
Failure RefuseSetting(const std::string& path, std::string_view why);

/// One object of the document and its path. All errors: kInvalid, with the member's path.
class Members {
 public:
  /// `tree` must be an object and outlive this.
  Members(const api::JsonTree& tree, std::string path) : tree_(tree), path_(std::move(path)) {}

  std::string PathOf(std::string_view name) const;
  /// Null if the member is absent.
  const api::JsonTree* Find(std::string_view name);
  /// Empty if the member is absent.
  Result<std::string> Text(std::string_view name);
  /// The member must equal `text`, if it is present.
  Result<> MustBe(std::string_view name, std::string_view text);
  /// Null if the member is absent. Errors: it is no list, or has more than `most` elements.
  Result<const std::vector<api::JsonTree>*> List(std::string_view name, size_t most);
  Result<std::optional<std::chrono::nanoseconds>> Time(std::string_view name);
  Result<std::optional<std::chrono::seconds>> Seconds(std::string_view name);
  Result<std::optional<int32_t>> Positive(std::string_view name);
  /// Call after all known members were read; an error for any other member.
  Result<> RefuseOthers() const;

 private:
  Result<std::optional<int64_t>> Whole(std::string_view name, int64_t most);

  const api::JsonTree& tree_;
  const std::string path_;
  std::vector<std::string> asked_;
};

}  // namespace dray::scheduler::inline configuration
