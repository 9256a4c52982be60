// SPDX-License-Identifier: Apache-2.0
// Random roles, bindings and questions about them, alike on every machine, and what Dray says: for
// comparison with upstream's authoriser, which tests/access/peer asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "server/access/rbac.h"
#include "server/access/user.h"

namespace dray::access {

/// As many worlds of this size have a hundred thousand rules and as many questions.
inline constexpr size_t kWorlds = 2'000;
inline constexpr size_t kQuestions = 50;
inline constexpr size_t kGrants = 4;

struct Question {
  server::access::User user;
  server::access::Attributes asked;
};

/// May the user give these rules to somebody in the namespace?
struct Grant {
  server::access::User user;
  std::string namespace_;  // NOLINT(readability-identifier-naming): as in ObjectMeta
  server::access::Rules rules;
};

struct World {
  server::access::PolicyObjects objects;
  std::vector<Question> questions;
  std::vector<Grant> grants;
};

/// The world with that seed. Names are few, so that rules and questions meet; some bindings name
/// roles that are not there, and some subjects are nobody.
World WorldOf(uint64_t seed);

/// One line, without its end.
std::string JsonOf(const World& world);

/// What Dray answers, as the peer writes upstream's: a 1 for each question that is allowed, in
/// hexadecimal, and a digest of why others are not and of what grants are refused for.
std::string AnswerOf(const World& world);

/// The same with reasons instead of the digest, a line each.
std::string DetailsOf(const World& world);

}  // namespace dray::access
