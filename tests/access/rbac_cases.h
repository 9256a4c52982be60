// SPDX-License-Identifier: Apache-2.0
// Random roles, bindings and requests, the same on every machine, and Dray's decisions, for
// comparison with those of upstream's authoriser, which tests/access/peer runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "server/access/rbac.h"
#include "server/access/user.h"

namespace dray::access {

/// This many worlds of this size have a hundred thousand rules and as many requests.
inline constexpr size_t kWorlds = 2'000;
inline constexpr size_t kQuestions = 50;
inline constexpr size_t kGrants = 4;

struct Question {
  server::access::User user;
  server::access::Attributes asked;
};

/// May the user grant these rules to another user in the namespace?
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

/// The world with that seed. There are few names, so that rules and requests often match; some
/// bindings name roles that do not exist, and some subjects are no users.
World WorldOf(uint64_t seed);

/// One line, without its end.
std::string JsonOf(const World& world);

/// Dray's decisions, in the form in which the peer writes upstream's: a 1 for each request that is
/// allowed, in hexadecimal, and a digest of the reasons of refusals.
std::string AnswerOf(const World& world);

/// The same with reasons instead of the digest, a line each.
std::string DetailsOf(const World& world);

}  // namespace dray::access
