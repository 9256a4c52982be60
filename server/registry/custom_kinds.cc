// SPDX-License-Identifier: Apache-2.0
#include "server/registry/custom_kinds.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "server/webhooks/conversion.h"

namespace dray::server::registry {
namespace {

namespace v1 = api::apiextensions_v1;

// For "v2beta1": how stable it is, 2, 1. Nothing for names of another form.
using Rank = std::tuple<int, int64_t, int64_t>;

std::optional<int64_t> TakeNumber(std::string_view& text) {
  int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || number <= 0 || text.front() == '0') return std::nullopt;
  text.remove_prefix(static_cast<size_t>(read.ptr - text.data()));
  return number;
}

std::optional<Rank> RankOf(std::string_view version) {
  if (!version.starts_with('v') || version.size() < 2) return std::nullopt;
  version.remove_prefix(1);
  const std::optional<int64_t> major = TakeNumber(version);
  if (!major.has_value()) return std::nullopt;
  constexpr int kStable = 2;
  if (version.empty()) return Rank(kStable, *major, 0);
  constexpr std::string_view kStages[] = {"alpha", "beta"};
  for (int stage = 0; stage < kStable; ++stage) {
    if (!version.starts_with(kStages[stage])) continue;
    version.remove_prefix(kStages[stage].size());
    if (version.empty()) return std::nullopt;
    const std::optional<int64_t> minor = TakeNumber(version);
    if (!minor.has_value() || !version.empty()) return std::nullopt;
    return Rank(stage, *major, *minor);
  }
  return std::nullopt;
}

bool HasCondition(const v1::CustomResourceDefinition& definition, std::string_view type) {
  return std::ranges::any_of(definition.status.conditions, [&](const auto& condition) {
    return condition.type == type && condition.status == "True";
  });
}

std::string DeprecationOf(const v1::CustomResourceDefinition& definition,
                          const v1::CustomResourceDefinitionVersion& version) {
  if (!version.deprecated) return {};
  if (version.deprecation_warning.has_value()) return *version.deprecation_warning;
  const v1::CustomResourceDefinitionSpec& spec = definition.spec;
  std::string text =
      fmt::format("{}/{} {} is deprecated", spec.group, version.name, spec.names.kind);
  const v1::CustomResourceDefinitionVersion* newer = nullptr;
  for (const v1::CustomResourceDefinitionVersion& other : spec.versions) {
    const bool is_better = other.served && !other.deprecated &&
                           IsVersionBefore(other.name, version.name) &&
                           (newer == nullptr || IsVersionBefore(other.name, newer->name));
    if (is_better) newer = &other;
  }
  if (newer != nullptr) {
    text += fmt::format("; use {}/{} {}", spec.group, newer->name, spec.names.kind);
  }
  return text;
}

api::CustomKindText TextOf(const v1::CustomResourceDefinition& definition,
                           const v1::CustomResourceDefinitionVersion& version) {
  const v1::CustomResourceDefinitionNames& names = definition.status.accepted_names.kind.empty()
                                                       ? definition.spec.names
                                                       : definition.status.accepted_names;
  api::CustomKindText text{.group = definition.spec.group,
                           .version = version.name,
                           .kind = names.kind,
                           .list_kind = names.list_kind,
                           .plural = names.plural,
                           .singular = names.singular,
                           .short_names = {names.short_names.begin(), names.short_names.end()},
                           .categories = {names.categories.begin(), names.categories.end()},
                           .selectable = {},
                           .deprecation = DeprecationOf(definition, version),
                           .namespaced = definition.spec.scope == "Namespaced",
                           .served = version.served};
  if (version.subresources.has_value()) {
    text.has_status = version.subresources->status.has_value();
    text.has_scale = version.subresources->scale.has_value();
  }
  for (const v1::SelectableField& field : version.selectable_fields) {
    const std::string_view path = field.json_path;
    text.selectable.emplace_back(path.starts_with('.') ? path.substr(1) : path);
  }
  return text;
}

// The webhook of the definition, the one that is in use if that says the same; null: it has none.
Frozen<api::CustomConversion> ConversionOf(const v1::CustomResourceDefinition& definition,
                                           Frozen<api::CustomConversion> now) {
  const auto& said = definition.spec.conversion;
  const bool has_webhook =
      said.has_value() && said->strategy == "Webhook" && said->webhook.has_value();
  if (!has_webhook) return nullptr;
  // The server makes no other conversions.
  const auto* webhook = static_cast<const webhooks::ConversionWebhook*>(now.get());
  if (webhook != nullptr && webhook->said() == *said->webhook) return now;
  return std::make_shared<const webhooks::ConversionWebhook>(*said->webhook);
}

// What objects of a version that is gone meet; null while there was none.
Frozen<api::CustomConversion> DroppedBetween(const api::CustomVersions& before,
                                             const api::CustomVersions& now) {
  if (before.dropped != nullptr) return before.dropped;
  const bool has_all = std::ranges::all_of(
      before.all, [&](const api::CustomKind* version) { return now.Has(version->version); });
  return has_all ? nullptr : std::make_shared<const api::NoConversion>();
}

// Those of `before` that are no more have no rules: watches of them end.
void Retire(const std::vector<const api::CustomKind*>& before,
            const std::vector<const api::CustomKind*>& now) {
  for (const api::CustomKind* kind : before) {
    if (std::ranges::find(now, kind) == now.end()) kind->now.Store(nullptr);
  }
}

}  // namespace

bool IsVersionBefore(std::string_view a, std::string_view b) {
  const std::optional<Rank> first = RankOf(a);
  const std::optional<Rank> second = RankOf(b);
  if (first.has_value() && second.has_value()) return *first > *second;
  if (first.has_value() != second.has_value()) return first.has_value();
  return a < b;
}

bool CustomKinds::Serve(DefinitionOutline outline) {
  const v1::CustomResourceDefinition& definition = *outline.definition;
  Served served{};
  auto versions = std::make_shared<api::CustomVersions>();
  versions->is_terminating = HasCondition(definition, "Terminating");
  for (size_t i = 0; i < definition.spec.versions.size(); ++i) {
    const v1::CustomResourceDefinitionVersion& version = definition.spec.versions[i];
    std::string& schema = outline.schemas[i];
    const api::CustomKindText text = TextOf(definition, version);
    served.resource = arena_.Resource(text);
    const api::CustomKind* kind =
        served.resource == nullptr ? nullptr : arena_.Version(*served.resource, text);
    if (kind == nullptr) return false;
    const Frozen<SchemaVersion> rules = RulesOf(*kind);
    if (rules == nullptr || !rules->IsOf(version, schema)) {
      kind->now.Store(std::make_shared<const SchemaVersion>(version, std::move(schema)));
      is_changed_ = true;
    }
    served.versions.push_back(kind);
    if (version.storage) versions->storage = kind;
  }
  std::ranges::sort(served.versions, [](const auto* a, const auto* b) {
    return IsVersionBefore(a->version, b->version);
  });
  versions->all = served.versions;
  if (served.resource == nullptr) return false;
  const Frozen<api::CustomVersions> last = served.resource->versions.Load();
  versions->conversion = ConversionOf(definition, last->conversion);
  const auto before = served_.find(definition.metadata.name);
  if (before != served_.end()) versions->dropped = DroppedBetween(*last, *versions);
  served.resource->versions.Store(std::move(versions));
  const std::vector<const api::KindInfo*> kinds = served.kinds();
  if (before == served_.end()) {
    const auto added = served_.emplace(definition.metadata.name, std::move(served)).first;
    const auto next = std::next(added);
    next_.Replace({}, kinds, next == served_.end() ? nullptr : next->second.resource);
    is_changed_ = true;
  } else if (const std::vector<const api::KindInfo*> old = before->second.kinds(); old != kinds) {
    Retire(before->second.versions, served.versions);
    next_.Replace(old, kinds, nullptr);
    before->second = std::move(served);
    is_changed_ = true;
  }
  return true;
}

void CustomKinds::Remove(std::string_view name) {
  const auto found = served_.find(name);
  if (found == served_.end()) return;
  Retire(found->second.versions, {});
  next_.Replace(found->second.kinds(), {}, nullptr);
  served_.erase(found);
  is_changed_ = true;
}

std::vector<const api::KindInfo*> CustomKinds::Served::kinds() const {
  std::vector<const api::KindInfo*> all{resource};
  all.insert(all.end(), versions.begin(), versions.end());
  return all;
}

void CustomKinds::Publish() {
  if (!std::exchange(is_changed_, false)) return;
  scheme_.Publish(std::make_shared<const api::Scheme>(next_));
}

const api::CustomKind* CustomKinds::Find(std::string_view name) const {
  const auto found = served_.find(name);
  return found == served_.end() ? nullptr : found->second.resource;
}

}  // namespace dray::server::registry
