// SPDX-License-Identifier: Apache-2.0
#include "server/pod_security/levels.h"

#include <charconv>
#include <limits>

#include <fmt/format.h>

namespace dray::server::pod_security {
namespace {

constexpr std::string_view kEnforce = "pod-security.kubernetes.io/enforce";
constexpr std::string_view kEnforceVersion = "pod-security.kubernetes.io/enforce-version";
constexpr std::string_view kAudit = "pod-security.kubernetes.io/audit";
constexpr std::string_view kAuditVersion = "pod-security.kubernetes.io/audit-version";
constexpr std::string_view kWarn = "pod-security.kubernetes.io/warn";
constexpr std::string_view kWarnVersion = "pod-security.kubernetes.io/warn-version";

constexpr std::string_view kNames[] = {"privileged", "baseline", "restricted"};
constexpr std::string_view kNoLevel = "must be one of privileged, baseline, restricted";
constexpr std::string_view kLatest = "latest";
constexpr std::string_view kNoVersion = R"(must be "latest" or "v1.x")";

std::optional<Level> ReadLevel(std::string_view text) {
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (text == kNames[i]) return static_cast<Level>(i);
  }
  return std::nullopt;
}

// The minor version of "v1.24": digits without a leading zero.
std::optional<uint32_t> ReadMinor(std::string_view text) {
  constexpr std::string_view kMajor = "v1.";
  if (!text.starts_with(kMajor)) return std::nullopt;
  text.remove_prefix(kMajor.size());
  if (text.empty() || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  uint32_t minor = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), minor);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  return is_whole ? std::optional(minor) : std::nullopt;
}

/// Reads labels and keeps what means nothing.
class Reader {
 public:
  Reader(const api::Map<std::string>& labels, std::vector<LabelMistake>* mistakes)
      : labels_(labels), mistakes_(mistakes) {}

  /// The level of a label, or nothing where it is absent. `otherwise`: where it means nothing.
  std::optional<Level> LevelAt(std::string_view label, Level otherwise) {
    const auto found = labels_.find(label);
    if (found == labels_.end()) return std::nullopt;
    if (const std::optional<Level> level = ReadLevel(found->second)) return level;
    Mistake(label, found->second, kNoLevel);
    return otherwise;
  }

  std::optional<uint32_t> VersionAt(std::string_view label) {
    const auto found = labels_.find(label);
    if (found == labels_.end() || found->second == kLatest) return std::nullopt;
    const std::optional<uint32_t> minor = ReadMinor(found->second);
    if (!minor) Mistake(label, found->second, kNoVersion);
    return minor;
  }

 private:
  void Mistake(std::string_view label, const std::string& value, std::string_view message) {
    if (mistakes_ != nullptr) {
      mistakes_->push_back({.label = label, .value = value, .message = message});
    }
  }

  const api::Map<std::string>& labels_;
  std::vector<LabelMistake>* const mistakes_;
};

}  // namespace

std::string Standard::Text() const {
  const std::string_view name = kNames[static_cast<size_t>(level)];
  return minor ? fmt::format("{}:v1.{}", name, *minor) : fmt::format("{}:{}", name, kLatest);
}

std::string LabelMistake::Field() const {
  return fmt::format("metadata.labels[{}]", label);
}

Demands DemandsOf(const api::Map<std::string>& labels, std::vector<LabelMistake>* mistakes) {
  Demands demands;
  if (labels.empty()) return demands;
  Reader reader(labels, mistakes);
  const std::optional<Level> enforced = reader.LevelAt(kEnforce, Level::kRestricted);
  demands.enforce.level = enforced.value_or(Level::kPrivileged);
  demands.enforce.minor = reader.VersionAt(kEnforceVersion);
  demands.audit.level = reader.LevelAt(kAudit, Level::kPrivileged).value_or(Level::kPrivileged);
  demands.audit.minor = reader.VersionAt(kAuditVersion);
  const std::optional<Level> warned = reader.LevelAt(kWarn, Level::kPrivileged);
  demands.warn.level = warned.value_or(Level::kPrivileged);
  demands.warn.minor = reader.VersionAt(kWarnVersion);

  // What is enforced is also warned of, for the sake of objects that only hold pods.
  const bool is_meant = enforced && ReadLevel(labels.at(kEnforce)).has_value();
  if (!warned && is_meant && demands.enforce.level > demands.warn.level) {
    demands.warn.level = demands.enforce.level;
    if (!labels.contains(kWarnVersion)) demands.warn.minor = demands.enforce.minor;
  }
  return demands;
}

}  // namespace dray::server::pod_security
