// SPDX-License-Identifier: Apache-2.0
#include "server/registry/rule_set.h"

#include "api/core_v1/namespace.h"

namespace dray::server::registry {
namespace {

bool IsClassic(const api::KindInfo& hub) {
  return hub.group == "resource.k8s.io" && hub.version == "v1alpha2";
}

api::Profile ProfileOf(const Emulation& emulation, api::Release otherwise) {
  if (emulation.release != api::Release::kAny) return {emulation.release, emulation.gates};
  return otherwise == api::Release::kNewest ? api::Profile{otherwise, emulation.gates}
                                            : api::Profile::Of(otherwise);
}

}  // namespace

// Classic kinds have no selectors of devices, so one compiler serves both.
RuleSet::RuleSet(const Emulation& emulation)
    : structured_(ProfileOf(emulation, api::Release::kNewest)),
      classic_(ProfileOf(emulation, api::Release::k1_30)),
      expressions_(std::make_shared<const ProfileExpressions>(structured_)) {}

api::validation::Options RuleSet::For(const api::KindInfo& kind,
                                      const api::Object* namespace_object) const {
  api::validation::Options options{.profile = IsClassic(kind.storage()) ? classic_ : structured_,
                                   .version = &kind,
                                   .expressions = expressions_.get()};
  if (namespace_object != nullptr) {
    options.namespace_object = namespace_object->If<api::core_v1::Namespace>();
  }
  return options;
}

}  // namespace dray::server::registry
