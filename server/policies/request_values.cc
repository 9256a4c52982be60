// SPDX-License-Identifier: Apache-2.0
#include "server/policies/request_values.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "server/access/rbac.h"
#include "server/policies/cel_values.h"

namespace dray::server::policies {
namespace {

access::User ServiceAccountUser(const cel::AuthorizationQuestion& question) {
  const std::string of_namespace(question.account_namespace);
  return {
      .name = fmt::format(
          "{}{}:{}", access::kServiceAccount, question.account_namespace, question.account_name),
      .uid = {},
      .groups = {std::string(access::kServiceAccounts),
                 fmt::format("{}:{}", access::kServiceAccounts, of_namespace)}};
}

}  // namespace

cel::AuthorizationAnswer Authorizer::Ask(const cel::AuthorizationQuestion& question) const {
  const access::Attributes asked{.verb = std::string(question.verb),
                                 .group = std::string(question.group),
                                 .resource = std::string(question.resource),
                                 .subresource = std::string(question.subresource),
                                 .name = std::string(question.name),
                                 .namespace_ = std::string(question.namespace_name),
                                 .path = std::string(question.path),
                                 .field_selector = std::string(question.field_selector)};
  access::Verdict verdict = question.is_service_account
                                ? surroundings_.Decide(ServiceAccountUser(question), asked)
                                : surroundings_.Decide(user_, asked);
  return {.is_allowed = verdict.is_allowed, .reason = std::move(verdict.reason)};
}

Variables RequestValues::For(const Match& match, cel::Arena& arena) const {
  Variables values;
  const auto value_of = [&](const api::Object* object) {
    return ValueOf(object, *match.kind, request_.release, arena, request_.converter);
  };
  values.object = value_of(request_.object);
  values.old_object = value_of(request_.old_object);
  values.namespace_object = ValueOf(request_.namespace_object, arena);
  values.request = ValueOf(request_, *match.resource, *match.kind, arena);
  const cel::Authorization authorizer{.source = &authorizer_};
  values.authorizer = cel::Value::Authorization(arena.Keep(authorizer));
  cel::Authorization resource{.stage = cel::AuthorizationStage::kResource, .source = &authorizer_};
  resource.question.group = request_.resource->group;
  resource.question.resource = request_.resource->plural;
  resource.question.subresource = request_.subresource;
  resource.question.namespace_name = request_.namespace_;
  resource.question.name = request_.name;
  values.request_resource = cel::Value::Authorization(arena.Keep(std::move(resource)));
  return values;
}

}  // namespace dray::server::policies
