// SPDX-License-Identifier: Apache-2.0
#include "server/http/rights.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/meta_v1/status.h"
#include "base/ascii.h"
#include "server/errors/errors.h"

namespace dray::server::http {
namespace {

using access::Attributes;
using access::User;

constexpr std::string_view kAuthentication = "authentication.k8s.io";

std::string VerbOf(const Route& route, std::string_view method) {
  if (route.watch_prefix || route.verb == verbs::Verb::kWatch) return "watch";
  if (method == "POST") return "create";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  const bool is_one = !route.name.empty();
  if (method == "DELETE") return is_one ? "delete" : "deletecollection";
  if (method == "GET" || method == "HEAD") return is_one ? "get" : "list";
  return LowerAscii(method);
}

/// The name that a field selector asks for.
std::string_view NameIn(std::string_view selector) {
  while (!selector.empty()) {
    const size_t end = std::min(selector.find(','), selector.size());
    std::string_view term = selector.substr(0, end);
    constexpr std::string_view kName = "metadata.name=";
    if (term.starts_with(kName)) {
      term.remove_prefix(kName.size());
      if (term.starts_with('=')) term.remove_prefix(1);
      return term;
    }
    selector.remove_prefix(std::min(end + 1, selector.size()));
  }
  return {};
}

/// The questions about who `other` is; `verb` of each.
std::vector<Attributes> QuestionsAbout(const User& other,
                                       std::string_view verb,
                                       bool is_constrained) {
  std::vector<Attributes> questions;
  // Only what is old is where Kubernetes had it before.
  const std::string group(is_constrained ? kAuthentication : "");
  const auto ask = [&](std::string in, std::string resource, std::string part, std::string name) {
    questions.push_back({.verb = std::string(verb),
                         .group = std::move(in),
                         .resource = std::move(resource),
                         .subresource = std::move(part),
                         .name = std::move(name)});
  };
  if (other.name.starts_with(access::kServiceAccount)) {
    const std::string rest = other.name.substr(access::kServiceAccount.size());
    const size_t colon = std::min(rest.find(':'), rest.size());
    ask(group, "serviceaccounts", "", rest.substr(std::min(colon + 1, rest.size())));
    questions.back().namespace_ = rest.substr(0, colon);
  } else {
    ask(group, "users", "", other.name);
  }
  for (const std::string& one : other.groups) {
    const bool is_given = one == access::kAuthenticated || one == access::kUnauthenticated ||
                          (other.name.starts_with(access::kServiceAccount) &&
                           one.starts_with(access::kServiceAccounts));
    if (!is_given) ask(group, "groups", "", one);
  }
  if (!other.uid.empty()) ask(std::string(kAuthentication), "uids", "", other.uid);
  for (const auto& [key, values] : other.extra) {
    for (const std::string& value : values) {
      ask(std::string(kAuthentication), "userextras", key, value);
    }
  }
  return questions;
}

}  // namespace

Attributes AttributesOf(const Route& route,
                        std::string_view method,
                        std::string_view path,
                        std::optional<std::string_view> field_selector) {
  if (route.resource.empty()) {
    return {.verb = LowerAscii(method), .path = std::string(path)};
  }
  Attributes asked{.verb = VerbOf(route, method),
                   .group = route.group,
                   .resource = route.resource,
                   .subresource = route.subresource,
                   .name = route.name,
                   .namespace_ = route.namespace_};
  // A namespace is in itself.
  if (route.group.empty() && route.resource == "namespaces") asked.namespace_ = route.name;
  if (field_selector.has_value()) asked.field_selector = *field_selector;
  if (asked.name.empty()) asked.name = NameIn(asked.field_selector);
  return asked;
}

Error Forbidden(const Attributes& asked, std::string_view user, std::string_view reason) {
  const std::string why = reason.empty() ? "" : fmt::format(": {}", reason);
  if (!asked.path.empty()) {
    return errors::WithoutSubject(
        StatusReason::kForbidden,
        fmt::format(
            R"(forbidden: User "{}" cannot {} path "{}"{})", user, asked.verb, asked.path, why));
  }
  std::string what = asked.resource;
  if (!asked.group.empty()) what += "." + asked.group;
  if (!asked.name.empty()) what += fmt::format(" \"{}\"", asked.name);
  std::string resource = asked.resource;
  if (!asked.subresource.empty()) resource += "/" + asked.subresource;
  const std::string where = asked.namespace_.empty()
                                ? "at the cluster scope"
                                : fmt::format("in the namespace \"{}\"", asked.namespace_);
  return {.reason = StatusReason::kForbidden,
          .message = fmt::format(
              R"({} is forbidden: User "{}" cannot {} resource "{}" in API group "{}" {}{})",
              what,
              user,
              asked.verb,
              resource,
              asked.group,
              where,
              why),
          .details = api::meta_v1::StatusDetails{
              .name = asked.name, .group = asked.group, .kind = asked.resource}};
}

std::optional<Refusal> RefusedImpersonation(verbs::Rights& rights,
                                            const User& user,
                                            const User& other,
                                            const Attributes& asked) {
  const auto refused = [&](const std::vector<Attributes>& questions) -> std::optional<Refusal> {
    for (const Attributes& one : questions) {
      access::Verdict verdict = rights.Decide(user, one);
      if (!verdict.is_allowed) return Refusal{.asked = one, .reason = std::move(verdict.reason)};
    }
    return std::nullopt;
  };
  if (!refused(QuestionsAbout(other, "impersonate", false)).has_value()) return std::nullopt;
  const std::string_view mode =
      other.name.starts_with(access::kServiceAccount) ? "serviceaccount" : "user-info";
  std::vector<Attributes> questions =
      QuestionsAbout(other, fmt::format("impersonate:{}", mode), true);
  Attributes on = asked;
  on.verb = fmt::format("impersonate-on:{}:{}", mode, asked.verb);
  questions.insert(questions.begin(), std::move(on));
  return refused(questions);
}

}  // namespace dray::server::http
