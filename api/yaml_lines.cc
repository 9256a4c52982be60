// SPDX-License-Identifier: Apache-2.0
#include "api/yaml_lines.h"

#include <algorithm>

namespace dray::api {
namespace {

// Takes the first step off `path`: up to the next '.' or '[', or what is in brackets.
std::string_view TakeStep(std::string_view& path) {
  if (path.starts_with('.')) path.remove_prefix(1);
  if (path.starts_with('[')) {
    const size_t end = std::min(path.find(']'), path.size());
    const std::string_view step = path.substr(1, end - 1);
    path.remove_prefix(std::min(end + 1, path.size()));
    return step;
  }
  const std::string_view step = path.substr(0, path.find_first_of(".["));
  path.remove_prefix(step.size());
  return step;
}

}  // namespace

size_t YamlLines::LineOf(std::string_view path) const {
  const YamlLines* here = this;
  while (!path.empty()) {
    const auto next = here->members.find(TakeStep(path));
    if (next == here->members.end()) break;
    here = &next->second;
  }
  return here->line;
}

}  // namespace dray::api
