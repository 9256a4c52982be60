// SPDX-License-Identifier: Apache-2.0
#include "server/policies/cel_values.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/codec/json.h"
#include "api/codec/json_tree.h"
#include "api/codec/json_writer.h"
#include "api/conversion/conversion.h"
#include "api/custom_kind.h"
#include "cel/value/make.h"

namespace dray::server::policies {
namespace {

using api::JsonTree;
using cel::Arena;
using cel::Value;

// Deeper documents are refused when they are read.
constexpr size_t kDepthMax = 10'000;

// An object of a document. Expressions tell it from a map that a literal makes, as upstream's do.
class DocumentMap final : public cel::MapView {
 public:
  // Sorted by KeyLess; outlive it.
  explicit DocumentMap(std::span<const cel::MapEntry> entries) : entries_(entries) {}

  const Value* Find(std::string_view key) override {
    const auto found = std::ranges::lower_bound(
        entries_, key, {}, [](const cel::MapEntry& entry) { return entry.key.text(); });
    return found != entries_.end() && found->key.text() == key ? &found->value : nullptr;
  }
  size_t size() const override { return entries_.size(); }
  std::span<const cel::MapEntry> Entries() override { return entries_; }

 private:
  std::span<const cel::MapEntry> entries_;
};

Value NumberOf(std::string_view text) {
  const char* const end = text.data() + text.size();
  int64_t integer = 0;
  if (const auto read = std::from_chars(text.data(), end, integer); read.ptr == end) {
    return Value::Int(integer);
  }
  double number = 0;
  std::from_chars(text.data(), end, number);
  return Value::Double(number);
}

Value TreeValueOf(const JsonTree& tree, Arena& arena);

Value ListOf(const JsonTree& tree, Arena& arena) {
  const std::span<Value> items = arena.NewValues(tree.elements().size());
  size_t next = 0;
  for (const JsonTree& element : tree.elements()) items[next++] = TreeValueOf(element, arena);
  return cel::AdoptList(arena, items);
}

Value MapOf(const JsonTree& tree, Arena& arena) {
  std::vector<cel::MapEntry> entries;
  for (const auto& [name, member] : tree.members().All()) {
    entries.push_back(
        {.key = Value::String(arena.Copy(name)), .value = TreeValueOf(*member, arena)});
  }
  const Value map = cel::MakeMap(arena, entries);
  if (map.is_error()) return map;
  DocumentMap* const view = arena.Place(DocumentMap(map.map().made));
  return Value::FromMap(arena.Keep(cel::Map{.weight = map.map().weight, .view = view}));
}

// Recursion is as deep as the document, which is bounded.
Value TreeValueOf(const JsonTree& tree, Arena& arena) {  // NOLINT(misc-no-recursion)
  switch (tree.kind) {
    case api::JsonKind::kObject: return MapOf(tree, arena);
    case api::JsonKind::kArray: return ListOf(tree, arena);
    case api::JsonKind::kString: return Value::String(arena.Copy(tree.text));
    case api::JsonKind::kNumber: return NumberOf(tree.text);
    case api::JsonKind::kBool: return Value::Bool(tree.text == "true");
    default: return {};
  }
}

}  // namespace

Value ValueOfJson(std::string_view json, Arena& arena) {
  const Result<JsonTree> tree = api::ParseJsonTree(json, kDepthMax);
  return tree.has_value() ? TreeValueOf(*tree, arena) : Value();
}

std::string JsonText(const api::Object& object,
                     const api::KindInfo& version,
                     api::Release release,
                     api::CustomConverter* converter) {
  const bool has_version =
      &object.kind() == &version.storage() ||
      (api::IsCustom(version) && &object.kind().storage() == &version.storage());
  const bool is_converted = has_version && converter != nullptr && api::IsCustom(version) &&
                            object.kind().version != version.version;
  if (is_converted) {
    return api::ToJson(converter->Convert(object, *api::CustomOf(version)), {.release = release});
  }
  return api::ToJson(has_version ? api::conversion::FromHub(object, version, release) : object,
                     {.release = release});
}

Value ValueOf(const api::Object* object,
              const api::KindInfo& version,
              api::Release release,
              Arena& arena,
              api::CustomConverter* converter) {
  if (object == nullptr || object->empty()) return {};
  return ValueOfJson(JsonText(*object, version, release, converter), arena);
}

Value ValueOf(const AdmissionRequest& request,
              const api::KindInfo& resource,
              const api::KindInfo& kind,
              Arena& arena) {
  const std::string text = api::JsonText([&](api::JsonWriter& json) {
    json.Object([&] {
      WriteAbout(request, resource, kind, json);
      json.Member("dryRun", request.dry_run);
      json.Member("options").Raw(request.options.empty() ? "null" : request.options);
    });
  });
  return ValueOfJson(text, arena);
}

Value ValueOf(const api::core_v1::Namespace* namespace_object, Arena& arena) {
  if (namespace_object == nullptr) return {};
  api::core_v1::Namespace shown = *namespace_object;
  shown.metadata.managed_fields = {};
  shown.metadata.owner_references = {};
  std::string json;
  api::EncodeJson(api::TypeOf<api::core_v1::Namespace>(), &shown, json);
  return ValueOfJson(json, arena);
}

}  // namespace dray::server::policies
