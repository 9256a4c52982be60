// SPDX-License-Identifier: Apache-2.0
#include "server/access/impersonation.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/text/go_quote.h"
#include "api/text/names.h"

namespace dray::server::access {
namespace {

constexpr std::string_view kAuthentication = "authentication.k8s.io";
constexpr std::string_view kNodePrefix = "system:node:";
constexpr std::string_view kNodeGroup = "system:nodes";
/// From this many groups or extra values on, the check first tries them all at once, as "*".
constexpr size_t kManyChecks = 4;

// ------------------------------------------------------------------------- who a name stands for

struct Account {
  std::string_view namespace_name, name;
};

std::optional<Account> AccountNamed(std::string_view user) {
  if (!user.starts_with(kServiceAccount)) return std::nullopt;
  const std::string_view rest = user.substr(kServiceAccount.size());
  const size_t colon = rest.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const Account account{.namespace_name = rest.substr(0, colon), .name = rest.substr(colon + 1)};
  if (!api::CheckDnsLabel(account.namespace_name).empty()) return std::nullopt;
  if (!api::CheckDnsSubdomain(account.name).empty()) return std::nullopt;
  return account;
}

std::optional<std::string_view> NodeNamed(std::string_view user) {
  if (!user.starts_with(kNodePrefix)) return std::nullopt;
  const std::string_view name = user.substr(kNodePrefix.size());
  if (!api::CheckDnsSubdomain(name).empty()) return std::nullopt;
  return name;
}

bool IsOnlyAName(const User& wanted) {
  return wanted.uid.empty() && wanted.groups.empty() && wanted.extra.empty();
}

// ----------------------------------------------------------------------------------------- modes

/// Whether a mode is for `wanted`.
using Fits = bool (*)(const User& requester, const User& wanted);

bool IsItsNode(const User& requester, const User& wanted) {
  const std::optional<std::string_view> node = NodeNamed(wanted.name);
  if (!node.has_value() || !IsOnlyAName(wanted) || !AccountNamed(requester.name)) return false;
  const auto bound = requester.extra.find(std::string(kNodeName));
  return bound != requester.extra.end() && bound->second.size() == 1 &&
         bound->second.front() == *node;
}

bool IsANode(const User& /*requester*/, const User& wanted) {
  return IsOnlyAName(wanted) && NodeNamed(wanted.name).has_value();
}

bool IsAnAccount(const User& /*requester*/, const User& wanted) {
  return IsOnlyAName(wanted) && AccountNamed(wanted.name).has_value();
}

bool IsAnybodyElse(const User& /*requester*/, const User& wanted) {
  return !NodeNamed(wanted.name).has_value() && !AccountNamed(wanted.name).has_value();
}

bool IsAnybody(const User& /*requester*/, const User& /*wanted*/) {
  return true;
}

struct Mode {
  std::string_view name;  // empty: without constraint
  Fits fits;

  bool is_constrained() const { return !name.empty(); }
  bool is_own_node() const { return fits == IsItsNode; }
};
constexpr std::array kModes = {Mode{"associated-node", IsItsNode},
                               Mode{"arbitrary-node", IsANode},
                               Mode{"serviceaccount", IsAnAccount},
                               Mode{"user-info", IsAnybodyElse},
                               Mode{"", IsAnybody}};

// ------------------------------------------------------------------------------------- the checks

std::string WrongKey(std::string_view key) {
  const auto invalid = [](std::string_view value, std::string_view why) {
    return fmt::format("extra.key: Invalid value: {}: {}", api::GoQuote(value), why);
  };
  const size_t slash = key.find('/');
  const bool has_both = slash != std::string_view::npos && slash > 0 && slash + 1 < key.size();
  if (!has_both) {
    return invalid(key, R"(must be a domain-prefixed path (such as "acme.io/foo"))");
  }
  std::vector<std::string> wrong;
  for (const std::string& one : api::CheckDnsSubdomain(key.substr(0, slash))) {
    wrong.push_back(invalid(key.substr(0, slash), one));
  }
  constexpr std::string_view kMarks = "/-._~%!$&'()*+,;=:";
  const std::string_view path = key.substr(slash + 1);
  const bool is_path = std::ranges::all_of(path, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kMarks.find(c) != std::string_view::npos;
  });
  if (!is_path) {
    wrong.push_back(invalid(
        path, R"(Invalid path (regex used for validation is '[A-Za-z0-9/\-._~%!$&'()*+,;=:]+'))"));
  }
  if (wrong.empty()) return {};
  return wrong.size() == 1 ? wrong.front() : fmt::format("[{}]", fmt::join(wrong, ", "));
}

/// Why these extra values may not be sent with a constraint; empty if they may.
std::string WrongExtra(const User& wanted) {
  for (const auto& [key, values] : wanted.extra) {
    if (key.empty()) return "impersonating the empty string key in extra is not allowed";
    const std::string wrong = WrongKey(key);
    if (!wrong.empty()) {
      return "impersonating an invalid key in extra is not allowed: " + wrong;
    }
    if (std::ranges::any_of(key, [](char c) { return c >= 'A' && c <= 'Z'; })) {
      return "impersonating a non-lowercase key in extra is not allowed: " + api::GoQuote(key);
    }
    if (values.empty()) return "impersonating empty values in extra is not allowed";
    if (std::ranges::count(values, "") > 0) {
      return "impersonating the empty string value in extra is not allowed";
    }
  }
  return {};
}

/// The checks of one mode.
class Attempt {
 public:
  Attempt(const Decider& decide, User requester, const User& wanted, const Mode& mode)
      : decide_(decide),
        requester_(std::move(requester)),
        wanted_(wanted),
        mode_(mode),
        verb_(mode.is_constrained() ? fmt::format("impersonate:{}", mode.name) : "impersonate") {
    if (!mode.is_own_node()) return;
    // The node and the other extra values of the token do not affect the decision.
    std::vector<std::string> keys;
    keys.reserve(requester_.extra.size());
    for (const auto& [key, values] : requester_.extra) keys.push_back(key);
    requester_.extra = {{"authentication.kubernetes.io/associated-node-keys", std::move(keys)}};
  }

  /// The missing right; nothing if `requester` has it.
  std::optional<Lack> Check(const Attributes& asked) {
    if (mode_.is_constrained()) {
      Attributes on = asked;
      on.verb = fmt::format("impersonate-on:{}:{}", mode_.name, asked.verb);
      if (auto lack = Ask(std::move(on))) return lack;
    }
    if (auto lack = Ask(OfName())) return lack;
    if (!wanted_.uid.empty()) {
      if (auto lack = Ask(About(kAuthentication, "uids", wanted_.uid))) return lack;
    }
    if (auto lack = AskAboutGroups()) return lack;
    return AskAboutExtra();
  }

  User user() const {
    User user = wanted_;
    if (mode_.is_constrained() && NodeNamed(user.name)) user.groups = {std::string(kNodeGroup)};
    const std::optional<Account> account = AccountNamed(wanted_.name);
    if (account.has_value() && user.groups.empty()) {
      user.groups = {std::string(kServiceAccounts),
                     fmt::format("{}:{}", kServiceAccounts, account->namespace_name)};
    }
    const auto ensure = [&](std::string_view group) {
      if (std::ranges::count(user.groups, group) == 0) user.groups.emplace_back(group);
    };
    if (user.name == kAnonymous) {
      ensure(kUnauthenticated);
    } else if (std::ranges::count(user.groups, kUnauthenticated) == 0) {
      ensure(kAuthenticated);
    }
    return user;
  }
  std::string constraint() const { return mode_.is_constrained() ? verb_ : std::string(); }

 private:
  // Names and groups are checked in Kubernetes' original API group, unless there is a constraint.
  std::string_view group() const {
    return mode_.is_constrained() ? kAuthentication : std::string_view();
  }
  Attributes About(std::string_view group, std::string resource, std::string name) const {
    return {.verb = verb_,
            .group = std::string(group),
            .resource = std::move(resource),
            .name = std::move(name)};
  }
  Attributes OfName() const {
    Attributes asked = About(group(), "users", wanted_.name);
    const std::optional<std::string_view> node = NodeNamed(wanted_.name);
    if (mode_.is_constrained() && node.has_value()) {
      asked.resource = "nodes";
      asked.name = mode_.is_own_node() ? std::string_view("*") : *node;
    }
    if (const std::optional<Account> account = AccountNamed(wanted_.name)) {
      asked.resource = "serviceaccounts";
      asked.namespace_ = account->namespace_name;
      asked.name = account->name;
    }
    return asked;
  }

  std::optional<Lack> Ask(Attributes asked) const {
    Verdict verdict = decide_(requester_, asked);
    if (verdict.is_allowed) return std::nullopt;
    return Lack{.asked = std::move(asked), .reason = std::move(verdict.reason)};
  }

  std::optional<Lack> AskAboutGroups() const {
    const std::vector<std::string>& groups = wanted_.groups;
    Attributes asked = About(group(), "groups", "");
    if (mode_.is_constrained()) {
      if (std::ranges::count(groups, "") > 0) {
        return Lack{std::move(asked), "impersonating the empty string group is not allowed"};
      }
      if (std::ranges::count(groups, kMasters) > 0) {
        asked.name = kMasters;
        return Lack{std::move(asked), "impersonating the system:masters group is not allowed"};
      }
      if (groups.size() >= kManyChecks && !Ask(About(group(), "groups", "*"))) return std::nullopt;
    }
    for (const std::string& one : groups) {
      if (auto lack = Ask(About(group(), "groups", one))) return lack;
    }
    return std::nullopt;
  }

  std::optional<Lack> AskAboutExtra() const {
    if (wanted_.extra.empty()) return std::nullopt;
    const auto about = [&](std::string key, std::string value) {
      Attributes asked = About(kAuthentication, "userextras", std::move(value));
      asked.subresource = std::move(key);
      return asked;
    };
    if (mode_.is_constrained()) {
      if (std::string wrong = WrongExtra(wanted_); !wrong.empty()) {
        return Lack{about("", ""), std::move(wrong)};
      }
      size_t count = 0;
      for (const auto& [key, values] : wanted_.extra) count += values.size();
      if (count >= kManyChecks && !Ask(about("*", "*"))) return std::nullopt;
    }
    for (const auto& [key, values] : wanted_.extra) {
      for (const std::string& value : values) {
        if (auto lack = Ask(about(key, value))) return lack;
      }
    }
    return std::nullopt;
  }

  const Decider& decide_;
  User requester_;
  const User& wanted_;
  const Mode& mode_;
  const std::string verb_;
};

}  // namespace

std::variant<Impersonated, Lack> Impersonate(const Decider& decide,
                                             const User& requester,
                                             const User& wanted,
                                             const Attributes& asked) {
  std::optional<Lack> first;
  for (const Mode& mode : kModes) {
    if (!mode.fits(requester, wanted)) continue;
    Attempt attempt(decide, requester, wanted, mode);
    std::optional<Lack> lack = attempt.Check(asked);
    if (!lack.has_value()) {
      return Impersonated{.user = attempt.user(), .constraint = attempt.constraint()};
    }
    if (!first.has_value()) first = std::move(lack);
  }
  return *std::move(first);
}

}  // namespace dray::server::access
