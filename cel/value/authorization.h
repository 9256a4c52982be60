// SPDX-License-Identifier: Apache-2.0
// The authorizer of admission expressions as values: each call narrows down a question, until
// check() asks it (Kubernetes' CEL library "authz").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dray::cel::inline value {

/// What is asked. The texts outlive the question.
struct AuthorizationQuestion {
  bool is_service_account = false;  // asks for that account, else for the user of the request
  std::string_view account_namespace, account_name;
  std::string_view path;  // of no resource
  std::string_view group, resource, subresource, namespace_name, name;
  std::string_view field_selector, label_selector;
  std::string_view verb;
};

struct AuthorizationAnswer {
  bool is_allowed = false;
  std::string reason = {};
};

/// Answers checks of rights; called from the thread of the evaluation.
class AuthorizationSource {
 public:
  virtual AuthorizationAnswer Ask(const AuthorizationQuestion& question) const = 0;

 protected:
  ~AuthorizationSource() = default;
};

/// The type of a value, by how far the question has come.
enum class AuthorizationStage : uint8_t { kAuthorizer, kPath, kGroup, kResource, kDecision };

constexpr std::string_view TypeNameOf(AuthorizationStage stage) {
  switch (stage) {
    case AuthorizationStage::kAuthorizer: return "kubernetes.authorization.Authorizer";
    case AuthorizationStage::kPath: return "kubernetes.authorization.PathCheck";
    case AuthorizationStage::kGroup: return "kubernetes.authorization.GroupCheck";
    case AuthorizationStage::kResource: return "kubernetes.authorization.ResourceCheck";
    case AuthorizationStage::kDecision: break;
  }
  return "kubernetes.authorization.Decision";
}

struct Authorization {
  AuthorizationStage stage = AuthorizationStage::kAuthorizer;
  const AuthorizationSource* source = nullptr;  // outlives it
  AuthorizationQuestion question = {};
  AuthorizationAnswer answer = {};  // of a decision
};

}  // namespace dray::cel::inline value
