// SPDX-License-Identifier: Apache-2.0
#include "api/validation/value_rules.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "api/text/names.h"

namespace dray::api::validation {
namespace {

bool IsLetter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

// [A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?
bool IsConditionReason(std::string_view text) {
  if (!IsLetter(text.front())) return false;
  if (text.back() == ',' || text.back() == ':') return false;
  return std::ranges::all_of(text, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ',' || c == ':';
  });
}

void CheckLabelExpression(const meta_v1::LabelSelectorRequirement& requirement,
                          const Path& path,
                          FieldErrors& errors) {
  const std::string_view op = requirement.operator_;
  const Path values = path.Child("values");
  if (op == "In" || op == "NotIn") {
    if (requirement.values.empty()) {
      errors.Required(values, "must be specified when `operator` is 'In' or 'NotIn'");
    }
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!requirement.values.empty()) {
      errors.Forbidden(values,
                       "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
  } else {
    errors.Invalid(path.Child("operator"), Shown(op), "not a valid selector operator");
  }
  CheckKeyShaped(requirement.key, path.Child("key"), errors);
  for (size_t i = 0; i < requirement.values.size() && !errors.is_full(); ++i) {
    CheckLabelValueShaped(requirement.values[i], values.Index(i), errors);
  }
}

void CheckRequirement(const core_v1::NodeSelectorRequirement& requirement,
                      const Path& path,
                      FieldErrors& errors) {
  const std::string_view op = requirement.operator_;
  if (op == "In" || op == "NotIn") {
    if (requirement.values.empty()) {
      errors.Required(path.Child("values"), "must be specified when `operator` is 'In' or 'NotIn'");
    }
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!requirement.values.empty()) {
      errors.Forbidden(path.Child("values"),
                       "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
  } else if (op == "Gt" || op == "Lt") {
    if (requirement.values.size() != 1) {
      errors.Required(path.Child("values"),
                      "must be specified single value when `operator` is 'Lt' or 'Gt'");
    }
  } else {
    errors.Invalid(path.Child("operator"), Shown(op), "not a valid selector operator");
  }
  CheckKeyShaped(requirement.key, path.Child("key"), errors);
  if (!errors.Since(32)) return;
  const Path values = path.Child("values");
  for (size_t i = 0; i < requirement.values.size(); ++i) {
    errors.Names(values.Index(i),
                 requirement.values[i],
                 CheckLabelValue(requirement.values[i], errors.label_length_word()));
  }
}

void CheckFieldRequirement(const core_v1::NodeSelectorRequirement& requirement,
                           const Path& path,
                           FieldErrors& errors) {
  const std::string_view op = requirement.operator_;
  const Path values = path.Child("values");
  if (op != "In" && op != "NotIn") {
    errors.Invalid(path.Child("operator"), Shown(op), "not a valid selector operator");
  } else if (requirement.values.size() != 1) {
    errors.Required(
        values,
        "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
  }
  if (requirement.key != "metadata.name") {
    errors.Invalid(path.Child("key"), Shown(requirement.key), "not a valid field selector key");
    return;
  }
  for (size_t i = 0; i < requirement.values.size(); ++i) {
    CheckSubdomainShaped(requirement.values[i], values.Index(i), errors);
  }
}

void CheckCondition(const meta_v1::Condition& condition, const Path& path, FieldErrors& errors) {
  static constexpr std::array<std::string_view, 3> kStatuses = {"False", "True", "Unknown"};
  // 1.37 distinguishes missing values from invalid ones.
  const bool is_strict = errors.Since(37);
  if (condition.type.empty() && is_strict) {
    errors.Required(path.Child("type"), "is required");
  } else {
    CheckKeyShaped(condition.type, path.Child("type"), errors);
  }
  if (condition.status.empty() && is_strict) {
    errors.Required(path.Child("status"));
  } else if (std::ranges::find(kStatuses, condition.status) == kStatuses.end()) {
    errors.NotSupported(path.Child("status"), condition.status, kStatuses);
  }
  if (condition.observed_generation < 0) {
    errors.Invalid(path.Child("observedGeneration"),
                   std::to_string(condition.observed_generation),
                   "must be greater than or equal to zero");
  }
  const std::string_view missing = errors.Since(34) ? "" : "must be set";
  if (condition.last_transition_time.IsZero())
    errors.Required(path.Child("lastTransitionTime"), missing);
  if (condition.reason.empty()) {
    errors.Required(path.Child("reason"), missing);
  } else {
    if (!IsConditionReason(condition.reason)) {
      errors.Invalid(path.Child("reason"),
                     Shown(condition.reason),
                     "a condition reason must start with alphabetic character, optionally followed "
                     "by a string of alphanumeric characters or '_,:', and must end with an "
                     "alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  "
                     "or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is "
                     "'[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')");
    }
    if (condition.reason.size() > kConditionReasonMax) {
      errors.TooLong(path.Child("reason"), kConditionReasonMax);
    }
  }
  if (condition.message.size() > kConditionMessageMax) {
    errors.TooLong(path.Child("message"), kConditionMessageMax);
  }
}

// A number without sign and leading zeros.
std::optional<unsigned> ReadPrefixLength(std::string_view text) {
  if (text.empty() || text.size() > 3 || (text.size() > 1 && text.front() == '0')) {
    return std::nullopt;
  }
  unsigned value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<unsigned>(c - '0');
  }
  return value;
}

// Four decimal numbers; leading zeros are read over, as old stored objects may have them.
std::string CanonicalIpv4(std::string_view address) {
  std::vector<unsigned> parts = {0};
  size_t digits = 0;
  for (const char c : address) {
    if (c == '.') {
      if (digits == 0) return {};
      parts.push_back(0);
      digits = 0;
    } else if (c >= '0' && c <= '9') {
      parts.back() = parts.back() * 10 + static_cast<unsigned>(c - '0');
      ++digits;
      if (parts.back() > 255) return {};
    } else {
      return {};
    }
  }
  if (parts.size() != 4 || digits == 0) return {};
  return fmt::format("{}", fmt::join(parts, "."));
}

std::string CanonicalIpv6(const std::string& address) {
  in6_addr bytes{};
  if (inet_pton(AF_INET6, address.c_str(), &bytes) != 1) return {};
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (inet_ntop(AF_INET6, &bytes, text.data(), text.size()) == nullptr) return {};
  return text.data();
}

// address and prefix length in canonical form; nothing when it is no address. IPv4 in IPv6 clothes
// (::ffff:10.0.0.1/104) counts as IPv4.
std::optional<std::string> CanonicalInterface(std::string_view value) {
  constexpr std::string_view kMapped = "::ffff:";
  constexpr unsigned kMappedBits = 96;
  const size_t slash = value.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string address(value.substr(0, slash));
  const std::optional<unsigned> bits = ReadPrefixLength(value.substr(slash + 1));
  const bool is_ipv6 = address.contains(':');
  if (!bits.has_value() || *bits > (is_ipv6 ? 128U : 32U)) return std::nullopt;
  const std::string canonical = is_ipv6 ? CanonicalIpv6(address) : CanonicalIpv4(address);
  if (canonical.empty()) return std::nullopt;
  if (canonical.starts_with(kMapped) && canonical.contains('.')) {
    const unsigned rest = *bits >= kMappedBits ? *bits - kMappedBits : *bits;
    return fmt::format("{}/{}", canonical.substr(kMapped.size()), rest);
  }
  return fmt::format("{}/{}", canonical, *bits);
}

}  // namespace

void CheckRawObject(
    const RawJson& value, size_t bytes_max, Origin origin, const Path& path, FieldErrors& errors) {
  if (value.IsNull()) {
    errors.Required(path);
    return;
  }
  if (origin == Origin::kNew && errors.Since(32) && value.bytes().size() > bytes_max) {
    errors.TooLong(path, bytes_max);
    return;
  }
  const size_t start = value.bytes().find_first_not_of(" \t\r\n");
  if (start == std::string::npos || value.bytes()[start] != '{') {
    errors.Invalid(path,
                   Shown("<value omitted>"),
                   errors.Since(34) ? "must be a valid JSON object"
                                    : "parameters must be a valid JSON object");
  }
}

void CheckNodeSelector(const core_v1::NodeSelector& selector,
                       const Path& path,
                       FieldErrors& errors) {
  const Path terms = path.Child("nodeSelectorTerms");
  if (selector.node_selector_terms.empty()) {
    errors.Required(terms, "must have at least one node selector term");
    return;
  }
  for (size_t i = 0; i < selector.node_selector_terms.size(); ++i) {
    CheckNodeSelectorTerm(selector.node_selector_terms[i], terms.Index(i), errors);
  }
}

void CheckNodeSelectorTerm(const core_v1::NodeSelectorTerm& term,
                           const Path& path,
                           FieldErrors& errors) {
  const Path expressions = path.Child("matchExpressions");
  for (size_t j = 0; j < term.match_expressions.size() && !errors.is_full(); ++j) {
    CheckRequirement(term.match_expressions[j], expressions.Index(j), errors);
  }
  const Path fields = path.Child("matchFields");
  for (size_t j = 0; j < term.match_fields.size() && !errors.is_full(); ++j) {
    CheckFieldRequirement(term.match_fields[j], fields.Index(j), errors);
  }
}

void CheckLabelSelector(const Maybe<meta_v1::LabelSelector>& selector,
                        const Path& path,
                        FieldErrors& errors) {
  if (!selector.has_value()) return;
  CheckLabels(selector->match_labels, path.Child("matchLabels"), errors);
  const Path expressions = path.Child("matchExpressions");
  for (size_t i = 0; i < selector->match_expressions.size() && !errors.is_full(); ++i) {
    const Path at = expressions.Index(i);
    CheckLabelExpression(selector->match_expressions[i], at, errors);
  }
}

void CheckConditions(std::span<const meta_v1::Condition> conditions,
                     const Path& path,
                     FieldErrors& errors) {
  std::set<std::string_view> seen;
  for (size_t i = 0; i < conditions.size(); ++i) {
    const Path at = path.Index(i);
    if (!seen.insert(conditions[i].type).second) {
      errors.Duplicate(errors.Since(37) ? at : at.Child("type"), Shown(conditions[i].type));
    }
    CheckCondition(conditions[i], at, errors);
  }
}

void CheckLabels(const Map<std::string>& labels, const Path& path, FieldErrors& errors) {
  for (const auto& [key, value] : labels) {
    CheckKeyShaped(key, path, errors);
    errors.Names(path, value, CheckLabelValue(value, errors.label_length_word()));
  }
}

void CheckAnnotations(const Map<std::string>& annotations, const Path& path, FieldErrors& errors) {
  size_t bytes = 0;
  for (const auto& [key, value] : annotations) {
    std::string lower(key);
    std::ranges::transform(lower, lower.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    errors.Names(path, key, CheckLabelKey(lower, errors.label_length_word()));
    bytes += key.size() + value.size();
  }
  if (bytes > kAnnotationBytesMax) errors.TooLongInCore(path, kAnnotationBytesMax);
}

void CheckInterfaceAddress(std::string_view value, const Path& path, FieldErrors& errors) {
  const std::optional<std::string> canonical = CanonicalInterface(value);
  if (!canonical.has_value()) {
    errors.Invalid(path,
                   Shown(value),
                   "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)");
  } else if (*canonical != value) {
    errors.Invalid(
        path, Shown(value), fmt::format("must be in canonical form (\"{}\")", *canonical));
  }
}

bool IsWithin(size_t count, size_t max, const Path& path, FieldErrors& errors) {
  if (count <= max) return true;
  errors.TooMany(path, count, max);
  return false;
}

void CheckDistinctStrings(const std::vector<std::string>& items,
                          const Path& path,
                          FieldErrors& errors) {
  std::set<std::string_view> seen;
  for (size_t i = 0; i < items.size(); ++i) {
    if (!seen.insert(items[i]).second) errors.Duplicate(path.Index(i), Shown(items[i]));
  }
}

}  // namespace dray::api::validation
