// SPDX-License-Identifier: Apache-2.0
#include "api/codec/yaml_lines.h"

#include <algorithm>

namespace dray::api::inline codec {
namespace {

// A member that `path` names first, and the bytes of `path` that name it.
struct Step {
  const YamlLines* member = nullptr;
  size_t bytes = 0;
};

Step StepTo(const YamlLines& here, std::string_view key, size_t bytes) {
  const auto found = here.members.find(key);
  return found == here.members.end() ? Step{} : Step{.member = &found->second, .bytes = bytes};
}

Step FirstStep(const YamlLines& here, std::string_view path) {
  if (path.starts_with('[')) {
    const size_t end = std::min(path.find(']'), path.size());
    return StepTo(here, path.substr(1, end - 1), std::min(end + 1, path.size()));
  }
  const size_t start = path.starts_with('.') ? 1 : 0;
  // The longest key that could stand here, then shorter ones.
  for (size_t end = path.size(); end > start;) {
    const Step step = StepTo(here, path.substr(start, end - start), end);
    if (step.member != nullptr) return step;
    const size_t before = path.find_last_of(".[", end - 1);
    if (before == std::string_view::npos || before <= start) break;
    end = before;
  }
  return {};
}

}  // namespace

YamlLines::Place YamlLines::Find(std::string_view path) const {
  const YamlLines* here = this;
  size_t matched = 0;
  while (matched < path.size()) {
    const Step step = FirstStep(*here, path.substr(matched));
    if (step.member == nullptr) break;
    here = step.member;
    matched += step.bytes;
  }
  return {.line = here->line, .matched = matched};
}

}  // namespace dray::api::inline codec
