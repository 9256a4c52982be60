// SPDX-License-Identifier: Apache-2.0
#include "server/pod_security/pod_parts.h"

namespace dray::server::pod_security {

std::string Counted(std::string_view word, size_t count) {
  std::string text(word);
  if (count != 1) text += 's';
  return text;
}

std::string Containers(const Names& names) {
  return Counted("container", names.size()) + " " + Quoted(names);
}

void Setters::Add(std::string_view container) {
  if (container.empty()) {
    is_pod_ = true;
  } else {
    containers_.push_back(container);
  }
}

std::string Setters::Text() const {
  std::string text = is_pod_ ? "pod" : "";
  if (containers_.empty()) return text;
  if (is_pod_) text += " and ";
  return text + Containers(containers_);
}

bool IsOfWindows(const api::core_v1::PodSpec& spec) {
  return spec.os.has_value() && spec.os->name == "windows";
}

bool HasOwnUsers(const api::core_v1::PodSpec& spec) {
  return !spec.host_users.value_or(true);
}

}  // namespace dray::server::pod_security
