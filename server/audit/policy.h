// SPDX-License-Identifier: Apache-2.0
// Which requests go to the audit log, and how much of them: audit.k8s.io/v1 Policy. Pure. After
// apiserver's pkg/audit/policy.
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

/// Each holds what those before it hold.
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
  /// What was ignored in the file, for the server's log: unknown fields.
  std::vector<std::string> warnings = {};
};

/// What is to be written about one request.
struct Decision {
  Level level = Level::kNone;
  Stages omitted = {};
  bool omit_managed_fields = false;
};

/// Rules of one policy; upstream has no limit.
inline constexpr size_t kRulesMax = 10'000;

/// Reads the YAML or JSON of a policy file.
/// Errors: kBadRequest  it is none; the message names the field and says what it may be.
Result<Policy> ReadPolicy(std::string_view text);

/// What the first rule that fits says; nothing is written where none fits. O(rules).
Decision DecisionOf(const Policy& policy,
                    const access::User& user,
                    const access::Attributes& asked);

}  // namespace dray::server::audit
