// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/webhook_lists.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "api/admissionregistration_v1/webhook.h"
#include "api/object.h"

namespace dray::server::verbs::admission {
namespace {

namespace v1 = api::admissionregistration_v1;
using webhooks::Purpose;

const api::KindInfo& KindOf(Purpose purpose) {
  return purpose == Purpose::kMutate ? api::Reflected<v1::MutatingWebhookConfiguration>::kKind
                                     : api::Reflected<v1::ValidatingWebhookConfiguration>::kKind;
}

// The webhooks of a configuration; none if it cannot be read.
std::vector<webhooks::Webhook> WebhooksIn(const store::Record& record,
                                          Purpose purpose,
                                          api::Release release) {
  const std::optional<api::Object> object = ReadIfKnown(KindOf(purpose), record);
  if (!object.has_value()) return {};
  if (purpose == Purpose::kMutate) {
    return webhooks::WebhooksOf(object->As<v1::MutatingWebhookConfiguration>(), release);
  }
  return webhooks::WebhooksOf(object->As<v1::ValidatingWebhookConfiguration>(), release);
}

}  // namespace

bool WebhookLists::AreAny(const store::Snapshot& snapshot, Purpose purpose) {
  return !RangeOf(KindOf(purpose), snapshot).empty();
}

std::shared_ptr<const WebhookLists::List> WebhookLists::In(const store::Snapshot& snapshot,
                                                           Purpose purpose) {
  const std::array<const api::KindInfo*, 1> kinds = {&KindOf(purpose)};
  const MutexLock lock(mutex_);
  Known& known = purpose == Purpose::kMutate ? mutating_ : validating_;
  if (known.list != nullptr && AreSame(known.seen, kinds, snapshot)) return known.list;
  auto list = std::make_shared<List>();
  for (const store::Record& record : RangeOf(*kinds.front(), snapshot)) {
    std::ranges::move(WebhooksIn(record, purpose, release_), std::back_inserter(*list));
  }
  known.seen = RecordsOf(kinds, snapshot);
  known.list = std::move(list);
  return known.list;
}

}  // namespace dray::server::verbs::admission
