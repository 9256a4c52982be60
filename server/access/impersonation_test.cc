// SPDX-License-Identifier: Apache-2.0
#include "server/access/impersonation.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dray::server::access {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// "impersonate users alice", "impersonate serviceaccounts lab/bot".
std::string Words(const Attributes& asked) {
  std::string what = asked.resource;
  if (!asked.subresource.empty()) what += "/" + asked.subresource;
  if (!asked.group.empty()) what += "." + asked.group;
  const std::string place = asked.namespace_.empty() ? "" : asked.namespace_ + "/";
  return fmt::format("{} {} {}{}", asked.verb, what, place, asked.name);
}

/// A request of a user with the rights in `granted`, and its outcome.
struct Asked {
  std::vector<std::string> questions;
  std::string lack;  // with the reason; empty: it is allowed
  Impersonated is = {};
};

Asked Try(const User& wanted,
          const std::vector<std::string>& granted = {},
          const User& requester = {.name = "bob", .uid = ""}) {
  Asked asked;
  const Decider decide = [&](const User&, const Attributes& one) {
    asked.questions.push_back(Words(one));
    return Verdict{.is_allowed = std::ranges::count(granted, Words(one)) > 0};
  };
  const auto outcome = Impersonate(decide, requester, wanted, {.verb = "list", .resource = "pods"});
  if (const auto* const lack = std::get_if<Lack>(&outcome)) {
    asked.lack = Words(lack->asked) + (lack->reason.empty() ? "" : ": " + lack->reason);
  } else {
    asked.is = std::get<Impersonated>(outcome);
  }
  return asked;
}

User Bot(std::vector<std::string> groups = {}) {
  return {.name = "system:serviceaccount:lab:bot", .uid = "", .groups = std::move(groups)};
}

TEST(Impersonation, GroupsOfAnAccountThatNobodySaidAreNotAskedAbout) {
  const Asked asked = Try(Bot(), {"impersonate serviceaccounts lab/bot"});
  EXPECT_EQ(asked.lack, "");
  EXPECT_THAT(
      asked.is.user.groups,
      ElementsAre("system:serviceaccounts", "system:serviceaccounts:lab", "system:authenticated"));
  EXPECT_EQ(asked.is.constraint, "");
}

TEST(Impersonation, EveryGroupThatIsSaidIsAskedAbout) {
  const std::vector<std::string> account = {"impersonate serviceaccounts lab/bot"};
  for (const char* const group : {"system:serviceaccounts:kube-system",
                                  "system:serviceaccounts",
                                  "system:serviceaccounts:lab",
                                  "system:authenticated"}) {
    EXPECT_EQ(Try(Bot({group}), account).lack, fmt::format("impersonate groups {}", group));
  }
  EXPECT_THAT(
      Try({.name = "alice", .uid = "u", .groups = {"a"}, .extra = {{"k", {"v", "w"}}}}).questions,
      ElementsAre("impersonate-on:user-info:list pods ", "impersonate users alice"));
  const Asked all =
      Try({.name = "alice", .uid = "u", .groups = {"a"}, .extra = {{"k", {"v", "w"}}}},
          {"impersonate users alice",
           "impersonate uids.authentication.k8s.io u",
           "impersonate groups a",
           "impersonate userextras/k.authentication.k8s.io v"});
  EXPECT_EQ(all.lack, "impersonate-on:user-info:list pods ");
  EXPECT_EQ(all.questions.back(), "impersonate userextras/k.authentication.k8s.io w");
}

TEST(Impersonation, WhatIsNoAccountsNameIsAUsers) {
  for (const char* const name : {"system:serviceaccount:lab",
                                 "system:serviceaccount:lab:",
                                 "system:serviceaccount:lab:a:b",
                                 "system:serviceaccount:La b:a"}) {
    const std::string question = fmt::format("impersonate users {}", name);
    const Asked asked = Try({.name = name, .uid = ""}, {question});
    EXPECT_EQ(asked.questions.back(), question);
    EXPECT_THAT(asked.is.user.groups, ElementsAre("system:authenticated"));
  }
}

TEST(Impersonation, NobodyInParticularIsNotKnown) {
  EXPECT_THAT(Try({.name = "system:anonymous", .uid = ""}, {"impersonate users system:anonymous"})
                  .is.user.groups,
              ElementsAre("system:unauthenticated"));
}

// ------------------------------------------------------------------------------------ constraints

const std::vector<std::string> kEverybody = {
    "impersonate-on:user-info:list pods ",
    "impersonate:user-info users.authentication.k8s.io alice",
    "impersonate:user-info users.authentication.k8s.io system:node:n",
    "impersonate:user-info groups.authentication.k8s.io *",
    "impersonate:user-info groups.authentication.k8s.io a",
    "impersonate:user-info groups.authentication.k8s.io system:masters",
    "impersonate:user-info groups.authentication.k8s.io ",
    "impersonate:user-info userextras.authentication.k8s.io "};

TEST(ConstrainedImpersonation, OfAUser) {
  const Asked asked = Try({.name = "alice", .uid = "", .groups = {"a"}}, kEverybody);
  EXPECT_EQ(asked.lack, "");
  EXPECT_EQ(asked.is.constraint, "impersonate:user-info");
  EXPECT_THAT(asked.is.user.groups, ElementsAre("a", "system:authenticated"));
}

TEST(ConstrainedImpersonation, OfAUserStopsAtMastersAndEmptyWords) {
  EXPECT_THAT(Try({.name = "alice", .uid = "", .groups = {"system:masters"}}, kEverybody).lack,
              HasSubstr("system:masters: impersonating the system:masters group is not allowed"));
  EXPECT_THAT(Try({.name = "alice", .uid = "", .groups = {""}}, kEverybody).lack,
              HasSubstr("impersonating the empty string group is not allowed"));
  const auto with = [](std::map<std::string, std::vector<std::string>> extra) {
    return Try({.name = "alice", .uid = "", .groups = {}, .extra = std::move(extra)}, kEverybody)
        .lack;
  };
  EXPECT_THAT(with({{"", {"v"}}}), HasSubstr("the empty string key in extra is not allowed"));
  EXPECT_THAT(with({{"k", {"v"}}}), HasSubstr("must be a domain-prefixed path"));
  EXPECT_THAT(with({{"a.b/K", {"v"}}}), HasSubstr("a non-lowercase key in extra is not allowed"));
  EXPECT_THAT(with({{"a.b/k", {""}}}), HasSubstr("the empty string value in extra is not allowed"));
}

TEST(ConstrainedImpersonation, NodesAndAccountsAreNoUsers) {
  EXPECT_THAT(
      Try({.name = "system:node:n", .uid = "", .groups = {"system:nodes"}}, kEverybody).lack,
      StartsWith("impersonate users system:node:n"))
      << "with groups, only the old right fits";
  EXPECT_EQ(Try({.name = "system:node:n", .uid = ""}, kEverybody).lack,
            "impersonate-on:arbitrary-node:list pods ");
  EXPECT_EQ(Try(Bot(), kEverybody).lack, "impersonate-on:serviceaccount:list pods ");
}

TEST(ConstrainedImpersonation, OfANode) {
  const Asked asked = Try({.name = "system:node:n", .uid = ""},
                          {"impersonate-on:arbitrary-node:list pods ",
                           "impersonate:arbitrary-node nodes.authentication.k8s.io n"});
  EXPECT_EQ(asked.is.constraint, "impersonate:arbitrary-node");
  EXPECT_THAT(asked.is.user.groups, ElementsAre("system:nodes", "system:authenticated"));
}

TEST(ConstrainedImpersonation, OfTheNodeThatATokenIsBoundTo) {
  const std::vector<std::string> granted = {
      "impersonate-on:associated-node:list pods ",
      "impersonate:associated-node nodes.authentication.k8s.io *"};
  User bound = Bot();
  bound.extra[std::string(kNodeName)] = {"n"};
  EXPECT_EQ(Try({.name = "system:node:n", .uid = ""}, granted, bound).is.constraint,
            "impersonate:associated-node");
  EXPECT_EQ(Try({.name = "system:node:m", .uid = ""}, granted, bound).lack,
            "impersonate-on:arbitrary-node:list pods ");
  bound.name = "bob";
  EXPECT_EQ(Try({.name = "system:node:n", .uid = ""}, granted, bound).lack,
            "impersonate-on:arbitrary-node:list pods ");
}

TEST(ConstrainedImpersonation, OfAnAccountHasNoOtherGroups) {
  const std::vector<std::string> granted = {
      "impersonate-on:serviceaccount:list pods ",
      "impersonate:serviceaccount serviceaccounts.authentication.k8s.io lab/bot",
      "impersonate:serviceaccount groups.authentication.k8s.io g"};
  EXPECT_EQ(Try(Bot(), granted).is.constraint, "impersonate:serviceaccount");
  EXPECT_EQ(Try(Bot({"g"}), granted).lack, "impersonate serviceaccounts lab/bot");
}

}  // namespace
}  // namespace dray::server::access
