// SPDX-License-Identifier: Apache-2.0
#include "api/validation/field_path.h"

#include <fmt/format.h>

#include "api/text/cut.h"
#include "api/validation/cause_limits.h"

namespace dray::api::validation {
namespace {

std::string Shortened(std::string_view key, size_t max, Path::KeyEnds ends) {
  constexpr std::string_view kGap = "...";
  if (max <= kGap.size() || key.size() <= max) return Cut(key, kShownMax);
  const size_t kept = max - kGap.size();
  const size_t front = (kept + (ends == Path::KeyEnds::kFrontLonger ? 1 : 0)) / 2;
  return fmt::format("{}{}{}", key.substr(0, front), kGap, key.substr(key.size() - kept / 2));
}

}  // namespace

std::string Path::ToString() const {
  std::string out;
  AppendTo(out);
  return out;
}

void Path::AppendTo(std::string& out) const {
  if (parent_ != nullptr) parent_->AppendTo(out);
  switch (kind_) {
    case Kind::kName:
      if (!out.empty() && !name_.empty()) out += '.';
      out += Cut(name_, kShownMax);
      break;
    case Kind::kIndex: out += fmt::format("[{}]", number_); break;
    case Kind::kKey: out += fmt::format("[{}]", Shortened(name_, number_, KeyEnds::kAlike)); break;
    case Kind::kKeyFrontLonger:
      out += fmt::format("[{}]", Shortened(name_, number_, KeyEnds::kFrontLonger));
      break;
  }
}

}  // namespace dray::api::validation
