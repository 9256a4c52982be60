// SPDX-License-Identifier: Apache-2.0
#include "manifests/known_kinds.h"

#include <initializer_list>

#include <fmt/format.h>

#include "api/apiextensions_v1.h"
#include "api/codec/json_reader.h"
#include "base/try.h"
#include "manifests/json_members.h"
#include "manifests/places.h"
#include "server/registry/write.h"

namespace dray::manifests {
namespace {

using api::apiextensions_v1::CustomResourceDefinition;

constexpr std::string_view kDefinitionGroup = "apiextensions.k8s.io";
constexpr std::string_view kDefinition = "CustomResourceDefinition";

bool IsDefinition(const api::TypeMeta& type) {
  return type.kind == kDefinition && GroupOf(type.api_version) == kDefinitionGroup;
}

/// The value at `path` inside a JSON object, as JSON; empty: there is none.
std::string ValueAt(std::string_view json, std::span<const std::string_view> path) {
  if (path.empty()) return std::string(json);
  for (const JsonMember& member : MembersOf(json)) {
    if (member.key == path.front()) return ValueAt(member.value, path.subspan(1));
  }
  return {};
}

/// The same for a text; empty: there is none.
std::string TextAt(std::string_view json, std::initializer_list<std::string_view> path) {
  const std::string value = ValueAt(json, std::span(path.begin(), path.size()));
  api::JsonReader reader(value);
  std::string text;
  if (!value.empty() && reader.Peek() == api::JsonKind::kString) reader.String(text);
  return text;
}

/// "https://example.com/convert" or "the service ns/name"; empty: nothing has to convert.
std::string WebhookOf(const CustomResourceDefinition& definition) {
  const auto& conversion = definition.spec.conversion;
  if (!conversion.has_value() || conversion->strategy != "Webhook") return {};
  if (!conversion->webhook.has_value() || !conversion->webhook->client_config.has_value()) {
    return "a webhook";
  }
  const auto& client = *conversion->webhook->client_config;
  if (client.url.has_value()) return *client.url;
  if (!client.service.has_value()) return "a webhook";
  return fmt::format("the service {}/{}", client.service->namespace_, client.service->name);
}

}  // namespace

std::string_view GroupOf(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

KnownKinds::KnownKinds(World& world, ValidateOptions options)
    : world_(world), options_(std::move(options)) {}

bool KnownKinds::MayDefine(std::string_view text) {
  return text.contains(kDefinition);
}

void KnownKinds::Learn(const std::string& file, std::span<const Document> documents) {
  for (const Document& document : documents) {
    if (document.failure.has_value() || document.json == "null") continue;
    const auto objects = ObjectsIn(document.json);
    if (!objects) continue;
    for (const ObjectText& text : *objects) {
      if (!IsDefinition(text.type)) continue;
      const size_t line = DocumentPlaces(document.lines, text.path).LineOf("");
      Add({.file = file, .document = document.number, .item = text.path},
          text,
          fmt::format("{}:{}", file, line));
    }
  }
}

Result<> KnownKinds::LearnServer(const std::string& server, std::string_view list) {
  DRAY_TRY(const std::vector<ObjectText> objects, ObjectsIn(list));
  for (const ObjectText& text : objects) {
    if (IsDefinition(text.type)) {
      Add({.file = server, .document = 0, .item = text.path}, text, server);
    }
  }
  return {};
}

void KnownKinds::Add(Place place, const ObjectText& text, const std::string& shown) {
  const auto [added, is_new] = definitions_.try_emplace(std::move(place));
  if (!is_new) return;  // the file is named twice
  CustomDefinition& definition = added->second;
  definition = Define(text, shown);
  const CustomDefinition*& of_kind = by_kind_[{definition.group, definition.kind}];
  const bool is_better =
      of_kind != nullptr && !of_kind->problem.empty() && definition.problem.empty();
  if (of_kind == nullptr || is_better) of_kind = &definition;
}

CustomDefinition KnownKinds::Define(const ObjectText& text, std::string place) {
  CustomDefinition definition{.name = TextAt(text.json, {"metadata", "name"}),
                              .group = TextAt(text.json, {"spec", "group"}),
                              .kind = TextAt(text.json, {"spec", "names", "kind"}),
                              .place = std::move(place),
                              .problem = "is refused"};
  const api::KindInfo* kind = live_.first().FindKind(text.type.api_version, text.type.kind);
  if (kind == nullptr) return definition;
  const api::Release release = options_.release.value_or(ReleaseFor(*kind));
  if (!kind->in.Has(release)) return definition;
  auto object =
      server::registry::DecodeForStore(*kind, text.json, release, world_.clock.Now(), nullptr);
  if (!object) return definition;
  object->mutable_metadata().namespace_.clear();
  const api::core_v1::Namespace none;
  const api::Profile profile = ProfileOf(options_, release);
  const Said said =
      Create({.world = world_, .kind = *kind, .profile = profile, .in = none}, *object);
  definition.problem = said.causes.empty() ? "" : "is invalid";
  if (said.causes.empty()) Accept(*object, definition);
  return definition;
}

void KnownKinds::Accept(const api::Object& created, CustomDefinition& definition) {
  const auto& said = created.As<CustomResourceDefinition>();
  for (const auto& version : said.spec.versions) {
    if (version.served) definition.served.push_back(said.spec.group + '/' + version.name);
  }
  definition.webhook = WebhookOf(said);
  if (const auto before = created_.find(said.metadata.name); before != created_.end()) {
    const auto& [object, place] = before->second;
    if (object.As<CustomResourceDefinition>().spec == said.spec) return;
    definition.problem = "is the second of its name";
    definition.warning =
        fmt::format("{} defines {} otherwise; objects are judged by the definition there",
                    place,
                    said.metadata.name);
    return;
  }
  const Result<> added = kinds_.Add(said, world_.clock.Now());
  if (!added) {
    definition.problem = fmt::format("is not served ({})", added.error().message);
    definition.warning =
        fmt::format("a server accepts it and does not serve its kind: {}", added.error().message);
    return;
  }
  created_.emplace(said.metadata.name, std::pair(created, definition.place));
}

void KnownKinds::Publish() {
  kinds_.Publish();
  scheme_ = live_.Now();
}

const CustomDefinition* KnownKinds::Find(std::string_view group, std::string_view kind) const {
  const auto found = by_kind_.find(std::pair(std::string(group), std::string(kind)));
  return found == by_kind_.end() ? nullptr : found->second;
}

const CustomDefinition* KnownKinds::At(const std::string& file,
                                       size_t document,
                                       const std::string& item) const {
  const auto found = definitions_.find({.file = file, .document = document, .item = item});
  return found == definitions_.end() ? nullptr : &found->second;
}

}  // namespace dray::manifests
