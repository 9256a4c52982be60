// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/in_snapshot.h"

#include <string>

#include "server/storage/keys.h"
#include "server/verbs/admission/seen_records.h"
#include "server/verbs/context/rights.h"

namespace dray::server::verbs::admission {

std::optional<api::Object> InSnapshot::Find(const api::KindInfo& kind,
                                            std::string_view namespace_name,
                                            std::string_view name) const {
  const api::KindInfo& hub = kind.storage();
  const store::Record* const record = snapshot_.Find(storage::ObjectKey(hub, namespace_name, name));
  return record == nullptr ? std::nullopt : ReadIfKnown(hub, *record);
}

void InSnapshot::Each(const api::KindInfo& kind,
                      std::string_view namespace_name,
                      const std::function<bool(const api::Object& object)>& take) const {
  const api::KindInfo& hub = kind.storage();
  const std::string prefix = storage::CollectionPrefix(hub, namespace_name);
  for (const store::Record& record : snapshot_.Range({.prefix = prefix})) {
    const std::optional<api::Object> one = ReadIfKnown(hub, record);
    if (one.has_value() && !take(*one)) return;
  }
}

access::Verdict InSnapshot::Decide(const User& user, const access::Attributes& asked) const {
  if (core_.rights == nullptr) return {.is_allowed = true};
  return core_.rights->Decide(user, asked);
}

}  // namespace dray::server::verbs::admission
