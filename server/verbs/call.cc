// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/call.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "api/core_v1/namespace.h"
#include "server/errors/errors.h"
#include "server/storage/keys.h"

namespace dray::server::verbs {
std::string Call::key() const {
  return storage::ObjectKey(hub(), request->namespace_name, request->name);
}

Result<std::optional<storage::Item>> NamespaceOf(const store::Snapshot& snapshot,
                                                 const api::KindInfo& kind,
                                                 std::string_view namespace_name) {
  if (!kind.namespaced) return std::nullopt;
  const api::KindInfo& spaces = api::Reflected<api::core_v1::Namespace>::kKind;
  const store::Record* record = snapshot.Find(storage::NamespaceKey(namespace_name));
  if (record == nullptr) return Fail(errors::NotFound(spaces, namespace_name));
  return storage::ItemOf(storage::View::OfStorage(spaces), *record);
}

void SetDefaults(const Call& call, api::Object& object) {
  const registry::KindRules& rules = call.core->options.rules.Of(call.kind());
  if (rules.set_defaults) {
    rules.set_defaults(object,
                       {.now = call.core->world.clock.Now(), .release = call.request->release});
  }
}

void AddWarnings(const Call& call, const api::Object& object, const api::Object* old) {
  const registry::KindRules& rules = call.core->options.rules.Of(call.hub());
  if (!rules.warnings) return;
  std::vector<std::string> texts = rules.warnings(object, old);
  std::ranges::move(texts, std::back_inserter(*call.warnings));
}

}  // namespace dray::server::verbs
