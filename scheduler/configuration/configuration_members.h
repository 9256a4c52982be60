// SPDX-License-Identifier: Apache-2.0
// How objects of kube-scheduler's configuration file are read: each member by its name, and those
// that nobody asked for are refused.
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

/// Of kube-scheduler's configuration and the arguments of its plugins.
inline constexpr std::string_view kConfigurationVersion = "kubescheduler.config.k8s.io/v1";
/// What its objects and lists may lie in each other.
inline constexpr size_t kConfigurationDepthMax = 32;

/// kInvalid: "path: why".
Failure RefuseSetting(const std::string& path, std::string_view why);

/// One object of the document and where it is. Errors of all: kInvalid, with the member's path.
class Members {
 public:
  /// `tree` is an object and outlives it.
  Members(const api::JsonTree& tree, std::string path) : tree_(tree), path_(std::move(path)) {}

  std::string PathOf(std::string_view name) const;
  /// Null when it is not there.
  const api::JsonTree* Find(std::string_view name);
  /// Empty when it is not there.
  Result<std::string> Text(std::string_view name);
  /// Must be `text`, if it is there.
  Result<> MustBe(std::string_view name, std::string_view text);
  /// Null when it is not there; an error when it is no list, or one of more than `most`.
  Result<const std::vector<api::JsonTree>*> List(std::string_view name, size_t most);
  Result<std::optional<std::chrono::nanoseconds>> Time(std::string_view name);
  Result<std::optional<std::chrono::seconds>> Seconds(std::string_view name);
  Result<std::optional<int32_t>> Positive(std::string_view name);
  /// Once all that is known was asked for.
  Result<> RefuseOthers() const;

 private:
  Result<std::optional<int64_t>> Whole(std::string_view name, int64_t most);

  const api::JsonTree& tree_;
  const std::string path_;
  std::vector<std::string> asked_;
};

}  // namespace dray::scheduler::inline configuration
