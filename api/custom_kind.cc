// SPDX-License-Identifier: Apache-2.0
#include "api/custom_kind.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"

namespace dray::api {
namespace {

constexpr ScalarOperations kTreeOperations{
    .assign = [](void* to,
                 const void* from) { *static_cast<Tree*>(to) = *static_cast<const Tree*>(from); },
    .clear = [](void* value) { *static_cast<Tree*>(value) = Tree::Object(); },
    .equal =
        [](const void* a, const void* b) {
          return *static_cast<const Tree*>(a) == *static_cast<const Tree*>(b);
        },
    .is_zero = [](const void* value) { return static_cast<const Tree*>(value)->size() == 0; },
};

constinit const Type kContentType{
    .kind = TypeKind::kStruct, .name = "content", .size = sizeof(Tree), .scalar = &kTreeOperations};

// The compiler knows the offsets of all structs (as in the generated tables).
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winvalid-offsetof"
const Field kFields[] = {
    {.name = "metadata",
     .type_table = &Reflected<meta_v1::ObjectMeta>::kType,
     .offset = offsetof(CustomObject, metadata),
     .number = 1,
     .usual = true,
     .left_out = false,
     .facets = {},
     .doc = {}},
    {.name = "content",
     .type_table = &kContentType,
     .offset = offsetof(CustomObject, content),
     .number = 2,
     .usual = true,
     .left_out = false,
     .facets = {},
     .doc = {}},
};
#pragma clang diagnostic pop
constexpr uint16_t kByNumber[] = {0, 1};

}  // namespace

const Type Reflected<CustomObject>::kType{
    .kind = TypeKind::kStruct,
    .name = "CustomObject",
    .size = sizeof(CustomObject),
    .fields = kFields,
    .by_number = kByNumber,
    .filled = &FilledMembers<CustomObject, &CustomObject::metadata, &CustomObject::content>,
    .always = 1};

std::string ListKindOf(const KindInfo& kind) {
  const CustomKind* custom = CustomOf(kind);
  return custom != nullptr ? custom->list_kind : std::string(kind.kind) + "List";
}

const CustomKind* CustomVersionOf(const CustomKind& kind, std::string_view api_version) {
  if (kind.api_version == api_version) return &kind;
  const Frozen<CustomVersions> versions = kind.resource().versions.Load();
  for (const CustomKind* version : versions->all) {
    if (version->api_version == api_version) return version;
  }
  return nullptr;
}

bool CustomVersions::Has(std::string_view version) const {
  return std::ranges::any_of(all, [&](const CustomKind* one) { return one->version == version; });
}

Frozen<CustomConversion> ConversionBetween(const KindInfo& from, const KindInfo& to) {
  const CustomKind* custom = CustomOf(to);
  if (custom == nullptr || &from == &to || from.version == to.version) return nullptr;
  const Frozen<CustomVersions> versions = custom->resource().versions.Load();
  const bool is_dropped = versions->dropped != nullptr && !versions->Has(from.version);
  return is_dropped ? versions->dropped : versions->conversion;
}

Object ReadAs(const Object& object, const CustomKind& version) {
  Object read = Object::Of(version, object.As<CustomObject>());
  const Frozen<CustomVersion> rules = version.now.Load();
  if (rules == nullptr) return read;
  auto& custom = read.Mutable<CustomObject>();
  rules->Prune(custom, nullptr);
  (void)rules->SetDefaults(custom);  // what is stored is shown, however large it has become
  return read;
}

Object ForStorage(const Object& object) {
  const auto& kind = static_cast<const CustomKind&>(object.kind());
  const Frozen<CustomVersions> versions = kind.resource().versions.Load();
  const CustomKind* storage = versions->storage;
  if (storage == nullptr || storage == &kind) return object;
  Object stored = Object::Of(*storage, object.As<CustomObject>());
  const Frozen<CustomVersion> rules = storage->now.Load();
  if (rules != nullptr) rules->Prune(stored.Mutable<CustomObject>(), nullptr);
  return stored;
}

// ------------------------------------------------------------------------------------------ arena

namespace {

// A kind with the texts that its views point into.
struct OwnedKind {
  explicit OwnedKind(CustomKindText described) : text(std::move(described)) {}

  CustomKindText text;
  std::string api_version;
  std::vector<std::string_view> short_names, categories, selectable;
  std::unique_ptr<CustomKind> kind;
};

// Equal keys are equal texts: no name holds a line break.
std::string KeyOf(const CustomKindText& text, const CustomKind* resource) {
  std::string key;
  const auto add = [&](std::string_view word) { key.append(word).append("\n"); };
  const auto add_all = [&](const std::vector<std::string>& words) {
    for (const std::string& word : words) add(word);
    key.append("\n");
  };
  add(text.group);
  add(text.kind);
  add(text.plural);
  add(text.namespaced ? "n" : "c");
  if (resource == nullptr) return key;
  for (const std::string* word : {&text.version, &text.list_kind, &text.singular}) add(*word);
  add_all(text.short_names);
  add_all(text.categories);
  add_all(text.selectable);
  key.append({text.served ? 's' : '-', text.has_status ? 't' : '-', text.has_scale ? 'k' : '-'});
  key.append(text.deprecation);
  return key;
}

std::vector<std::string_view> ViewsOf(const std::vector<std::string>& words) {
  return {words.begin(), words.end()};
}

}  // namespace

struct CustomKindArena::Kept {
  std::map<std::string, std::unique_ptr<OwnedKind>, std::less<>> kinds;
};

CustomKindArena::CustomKindArena() : kept_(std::make_unique<Kept>()) {}
CustomKindArena::~CustomKindArena() = default;

const CustomKind* CustomKindArena::Resource(const CustomKindText& text) {
  return Make(text, nullptr);
}

const CustomKind* CustomKindArena::Version(const CustomKind& resource, const CustomKindText& text) {
  return Make(text, &resource);
}

const CustomKind* CustomKindArena::Make(const CustomKindText& text, const CustomKind* resource) {
  std::string key = KeyOf(text, resource);
  if (const auto found = kept_->kinds.find(key); found != kept_->kinds.end()) {
    return found->second->kind.get();
  }
  if (kept_->kinds.size() >= kKindsMax) return nullptr;
  static constexpr std::string_view kSubresources[] = {"scale"};
  auto owned = std::make_unique<OwnedKind>(text);
  const bool is_version = resource != nullptr;
  if (is_version) owned->api_version = text.group + "/" + text.version;
  owned->short_names = ViewsOf(owned->text.short_names);
  owned->categories = ViewsOf(owned->text.categories);
  owned->selectable = ViewsOf(owned->text.selectable);
  const CustomKindText& own = owned->text;
  const KindInfo info{.group = own.group,
                      .version = is_version ? std::string_view(own.version) : std::string_view(),
                      .api_version = owned->api_version,
                      .kind = own.kind,
                      .plural = own.plural,
                      .singular = own.singular,
                      .hub = resource,
                      .in = {},
                      .deprecated_in = 0,
                      .removed_in = 0,
                      .namespaced = own.namespaced,
                      .served = is_version && own.served,
                      .create_only = false,
                      .has_status = is_version && own.has_status,
                      .status_in = {},
                      .tracks_generation = true,
                      .unconditional_update = false,
                      .create_on_update = false,
                      .graceful_delete = false,
                      .delete_answer = DeleteAnswer::kStatus,
                      .name_rule = NameRule::kDnsSubdomain,
                      .short_names = owned->short_names,
                      .categories = owned->categories,
                      .subresources = is_version && own.has_scale
                                          ? std::span(kSubresources)
                                          : std::span<const std::string_view>(),
                      .selectable = owned->selectable,
                      .columns = {},
                      .type = &TypeOf<CustomObject>,
                      .object = &kObjectOperations<CustomObject>,
                      .metadata = [](const void* object) -> const meta_v1::ObjectMeta& {
                        return static_cast<const CustomObject*>(object)->metadata;
                      }};
  owned->kind = std::make_unique<CustomKind>(info);
  owned->kind->list_kind = own.list_kind;
  owned->kind->deprecation = own.deprecation;
  const CustomKind* made = owned->kind.get();
  kept_->kinds.emplace(std::move(key), std::move(owned));
  return made;
}

}  // namespace dray::api
