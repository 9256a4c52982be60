// SPDX-License-Identifier: Apache-2.0
// The audit policy (audit.k8s.io/v1 Policy): which requests are logged, and in how much detail. No
// I/O. Follows apiserver's pkg/audit/policy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/access/rbac.h"
#include "server/access/user.h"

namespace dray::server::audit {

/// How much of a request is logged; each level includes the ones before it.
enum class Level : uint8_t { kNone, kMetadata, kRequest, kRequestResponse };
std::string_view WordOf(Level level);

enum class Stage : uint8_t { kRequestReceived, kResponseStarted, kResponseComplete, kPanic };
std::string_view WordOf(Stage stage);

/// A set of stages.
class Stages {
 public:
  void Add(Stage stage) { bits_ |= Bit(stage); }
  void Add(Stages others) { bits_ |= others.bits_; }
  bool Has(Stage stage) const { return (bits_ & Bit(stage)) != 0; }
  bool operator==(const Stages&) const = default;

 private:
  static unsigned Bit(Stage stage) { return 1U << static_cast<unsigned>(stage); }
  unsigned bits_ = 0;
};

struct Resources {
  std::string group;                   // "*": all
  std::vector<std::string> resources;  // "pods", "pods/log", "pods/*", "*/scale", "*"; none: all
  std::vector<std::string> names;      // none: all
};

struct Rule {
  Level level = Level::kNone;
  std::vector<std::string> users, groups, verbs, namespaces, paths;  // none: all
  std::vector<Resources> resources;
  Stages omitted = {};
  std::optional<bool> omit_managed_fields = {};
};

struct Policy {
  std::vector<Rule> rules;
  Stages omitted = {};
  bool omit_managed_fields = false;
  /// One text for each unknown field of the file, for the server's log.
  std::vector<std::string> warnings = {};
};

/// What the policy decides about one request.
struct Decision {
  Level level = Level::kNone;
  Stages omitted = {};
  bool omit_managed_fields = false;
};

/// Limit of the rules of one policy; upstream has none.
inline constexpr size_t kRulesMax = 10'000;

/// Reads the YAML or JSON of a policy file.
/// Errors: kBadRequest  the text is not a policy; the message names the field and its valid values.
Result<Policy> ReadPolicy(std::string_view text);

/// The decision of the first rule that matches; kNone if no rule matches. O(rules).
Decision DecisionOf(const Policy& policy,
                    const access::User& user,
                    const access::Attributes& asked);

}  // namespace dray::server::audit
