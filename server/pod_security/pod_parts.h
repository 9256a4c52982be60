// SPDX-License-Identifier: Apache-2.0
// What the checks need of a pod: its containers, and the names of those that break a rule.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/core_v1/pod_spec.h"

namespace dray::server::pod_security {

/// Calls `visit` with the containers of all sorts, in upstream's order. Ephemeral ones are of
/// another type with the same members.
template <class Visit>
void EachContainer(const api::core_v1::PodSpec& spec, Visit visit) {
  for (const auto& container : spec.init_containers) visit(container);
  for (const auto& container : spec.containers) visit(container);
  for (const auto& container : spec.ephemeral_containers) {
    visit(container.ephemeral_container_common);
  }
}

/// Calls `visit` with the security context of the pod and those of its containers, and with the
/// name of the container; of the pod it is empty.
template <class Visit>
void EachSecurityContext(const api::core_v1::PodSpec& spec, Visit visit) {
  if (spec.security_context.has_value()) visit(*spec.security_context, std::string_view());
  EachContainer(spec, [&](const auto& container) {
    if (container.security_context.has_value()) {
      visit(*container.security_context, std::string_view(container.name));
    }
  });
}

using Names = std::vector<std::string_view>;
using SortedNames = std::set<std::string>;

/// `"a", "b"`, without escapes.
template <class Texts>
std::string Quoted(const Texts& texts) {
  std::string text;
  for (const auto& one : texts) {
    text += text.empty() ? "\"" : ", \"";
    text += one;
    text += '"';
  }
  return text;
}

/// The word for so many: with an s unless it is one.
std::string Counted(std::string_view word, size_t count);

/// `container "a"`, `containers "a", "b"`.
std::string Containers(const Names& names);

/// The parts of a pod that set something: the pod itself, containers.
class Setters {
 public:
  /// An empty name is the pod's.
  void Add(std::string_view container);
  bool empty() const { return !is_pod_ && containers_.empty(); }
  /// `pod and containers "a", "b"`.
  std::string Text() const;

 private:
  bool is_pod_ = false;
  Names containers_;
};

bool IsOfWindows(const api::core_v1::PodSpec& spec);
/// Its user 0 is not the node's.
bool HasOwnUsers(const api::core_v1::PodSpec& spec);

}  // namespace dray::server::pod_security
