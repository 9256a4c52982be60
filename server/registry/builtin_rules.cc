// SPDX-License-Identifier: Apache-2.0
#include "server/registry/builtin_rules.h"

#include <memory>
#include <optional>
#include <utility>

#include "api/core_v1/namespace.h"
#include "api/core_v1/pod.h"
#include "api/defaults/defaults.h"
#include "api/validation/disabled_fields.h"
#include "api/validation/rules.h"
#include "server/registry/profile_expressions.h"

namespace dray::server::registry {
namespace {

namespace validation = api::validation;

bool IsClassic(const api::KindInfo& hub) {
  return hub.group == "resource.k8s.io" && hub.version == "v1alpha2";
}

api::Profile ProfileOf(const Emulation& emulation, const api::KindInfo& hub) {
  if (emulation.release != api::Release::kAny) return {emulation.release, emulation.gates};
  return IsClassic(hub) ? api::Profile::Of(api::Release::k1_30)
                        : api::Profile{api::Release::kNewest, emulation.gates};
}

// What the rules of one kind judge by.
struct Judge {
  api::Profile profile;
  std::shared_ptr<const ProfileExpressions> checker;

  validation::Options With(const RuleContext& context) const {
    validation::Options options{
        .profile = profile, .version = context.version, .expressions = checker.get()};
    if (context.namespace_object != nullptr)
      options.space = context.namespace_object->If<api::core_v1::Namespace>();
    return options;
  }
};

KindRules RulesBy(const Judge& judge) {
  return {
      .profile = judge.profile,
      .set_defaults =
          [](api::Object& object, const RuleContext& context) {
            api::defaults::SetDefaults(object, api::Time::Of(context.now), context.release);
          },
      .drop_disabled =
          [profile = judge.profile](api::Object& object, const api::Object* old) {
            validation::DropDisabledFields(object, old, profile);
          },
      .validate_create =
          [judge](const api::Object& object, const RuleContext& context) {
            return validation::ValidateCreate(object, judge.With(context));
          },
      .validate_update =
          [judge](const api::Object& object, const api::Object& old, const RuleContext& context) {
            return validation::ValidateUpdate(object, old, judge.With(context));
          },
      .validate_status_update =
          [judge](const api::Object& object, const api::Object& old, const RuleContext& context) {
            return validation::ValidateStatusUpdate(object, old, judge.With(context));
          },
      .warnings = [profile = judge.profile](
                      const api::Object& object,
                      const api::Object*) { return validation::Warnings(object, profile); },
  };
}

}  // namespace

RuleBook BuiltinRules(const Emulation& emulation) {
  // Classic kinds have no selectors of devices, so one checker serves all.
  const auto checker = std::make_shared<const ProfileExpressions>(
      ProfileOf(emulation, api::Reflected<api::core_v1::Pod>::kKind));
  RuleBook book;
  for (const api::KindInfo* kind : api::BuiltinKinds()) {
    book.Add(*kind,
             RulesBy({.profile = ProfileOf(emulation, kind->storage()), .checker = checker}));
  }
  // Nodes are taken as ready when they are made: no node life-cycle controller would ever remove
  // the taint that upstream's admission gives them (docs/differences.md).
  const api::KindInfo& pod = api::Reflected<api::core_v1::Pod>::kKind;
  KindRules pods = RulesBy({.profile = ProfileOf(emulation, pod), .checker = checker});
  pods.admit = [](api::Object& object) { api::defaults::Admit(object); };
  book.Add(pod, std::move(pods));
  return book;
}

}  // namespace dray::server::registry
