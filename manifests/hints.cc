// SPDX-License-Identifier: Apache-2.0
#include "manifests/hints.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/feature_gates.h"
#include "api/reflect.h"
#include "base/text/spelling.h"

namespace dray::manifests {
namespace {

/// The most levels of nested structs in the search for a field.
constexpr int kSearchDepthMax = 6;
/// The most names that a hint lists.
constexpr size_t kNamesMax = 12;

/// Collects the fields of a struct, with those of inlined structs, of all releases.
void Gather(const api::Type& type, std::vector<const api::Field*>& fields) {
  for (const api::Field& field : type.fields) {
    if (field.facets.inlined) {
      Gather(field.type(), fields);
    } else if (!field.facets.hub) {
      fields.push_back(&field);
    }
  }
}

std::vector<const api::Field*> FieldsOf(const api::Type& type) {
  std::vector<const api::Field*> fields;
  Gather(type, fields);
  return fields;
}

const api::Field* FieldNamed(const api::Type& type, std::string_view name) {
  const std::vector<const api::Field*> fields = FieldsOf(type);
  const auto found = std::ranges::find(fields, name, [](const api::Field* f) { return f->name; });
  return found == fields.end() ? nullptr : *found;
}

const api::Type& WithoutOptional(const api::Type& type) {
  return type.kind == api::TypeKind::kOptional ? type.element() : type;
}

/// The type at `path` inside `type`; null: there is none.
const api::Type* TypeAt(const api::Type& outer, std::string_view path) {
  const api::Type& type = WithoutOptional(outer);
  if (path.starts_with('.')) path.remove_prefix(1);
  if (path.empty()) return &type;
  if (path.starts_with('[')) {
    const size_t end = path.find(']');
    const bool is_container = type.kind == api::TypeKind::kList || type.kind == api::TypeKind::kMap;
    if (end == std::string_view::npos || !is_container) return nullptr;
    return TypeAt(type.element(), path.substr(end + 1));
  }
  if (type.kind == api::TypeKind::kMap) {
    // A key may contain dots, so take the first end from which the rest of the path resolves.
    for (size_t end = path.find_first_of(".["); true; end = path.find_first_of(".[", end + 1)) {
      const api::Type* const inner =
          TypeAt(type.element(), path.substr(std::min(end, path.size())));
      if (inner != nullptr || end == std::string_view::npos) return inner;
    }
  }
  if (type.kind != api::TypeKind::kStruct) return nullptr;
  const size_t end = std::min(path.find_first_of(".["), path.size());
  const api::Field* const field = FieldNamed(type, path.substr(0, end));
  return field == nullptr ? nullptr : TypeAt(field->type(), path.substr(end));
}

/// The struct in `type`, which may be a list, map or optional of it; null for scalars.
const api::Type* StructIn(const api::Type& outer) {
  const api::Type* type = &outer;
  while (type->container != nullptr) type = &type->element();
  return type->kind == api::TypeKind::kStruct ? type : nullptr;
}

/// "spec.devices" for a field `name` below `type`, the nearest one; the path of the struct that has
/// it, without indexes.
std::optional<std::string> FindBelow(const api::Type& type, std::string_view name) {
  struct Candidate {
    const api::Type* type;
    std::string path;
    int depth;
  };
  std::vector<Candidate> queue = {{&type, "", 0}};
  for (size_t i = 0; i < queue.size(); ++i) {
    const Candidate here = queue[i];
    if (here.depth > 0 && FieldNamed(*here.type, name) != nullptr) return here.path;
    if (here.depth == kSearchDepthMax) continue;
    for (const api::Field* field : FieldsOf(*here.type)) {
      const api::Type* const inner = StructIn(field->type());
      const bool is_known =
          inner == nullptr ||
          std::ranges::any_of(queue, [&](const Candidate& one) { return one.type == inner; });
      if (is_known) continue;
      const std::string_view dot = here.path.empty() ? "" : ".";
      queue.push_back({inner, fmt::format("{}{}{}", here.path, dot, field->name), here.depth + 1});
    }
  }
  return std::nullopt;
}

/// The most similar name, if it is similar enough.
std::string_view Nearest(const std::vector<const api::Field*>& fields, std::string_view name) {
  std::string_view nearest;
  size_t best = name.size() / 3 + 1;
  for (const api::Field* field : fields) {
    const size_t distance = SpellingDistance(field->name, name);
    if (distance < best || (distance == best && nearest.empty())) {
      best = distance;
      nearest = field->name;
    }
  }
  return nearest;
}

std::string Joined(std::string_view parent, std::string_view member) {
  return parent.empty() ? std::string(member) : fmt::format("{}.{}", parent, member);
}

/// The newest other version of the kind that has the field at this path; empty: none has.
std::string OtherVersion(const api::KindInfo& kind, std::string_view path) {
  const api::KindInfo* newest = nullptr;
  for (const api::KindInfo* other : api::BuiltinKinds()) {
    if (other == &kind || other->group != kind.group || other->kind != kind.kind) continue;
    if (TypeAt(other->type(), path) == nullptr) continue;
    if (newest == nullptr || other->in.last >= newest->in.last) newest = other;
  }
  return newest == nullptr ? std::string() : std::string(newest->api_version);
}

std::string Listed(const std::vector<const api::Field*>& fields) {
  std::vector<std::string_view> names;
  for (const api::Field* field : fields) {
    if (names.size() < kNamesMax) names.push_back(field->name);
  }
  const std::string_view more = fields.size() > kNamesMax ? ", …" : "";
  return fmt::format("known here: {}{}", fmt::join(names, ", "), more);
}

std::string_view Example(api::TypeKind kind) {
  switch (kind) {
    case api::TypeKind::kBool: return "true or false";
    case api::TypeKind::kInt32: return "a whole number of 32 bits";
    case api::TypeKind::kInt64: return "a whole number of 64 bits";
    case api::TypeKind::kDouble: return "a number";
    case api::TypeKind::kString: return "text; quote what YAML would read as something else";
    case api::TypeKind::kBytes: return "bytes in base64";
    case api::TypeKind::kQuantity: return "a quantity such as 2, 500m, 1.5 or 80Gi";
    case api::TypeKind::kTime: return "a time such as 2026-01-31T12:00:00Z";
    case api::TypeKind::kMicroTime: return "a time such as 2026-01-31T12:00:00.000000Z";
    case api::TypeKind::kDuration: return "a duration such as 1h30m";
    case api::TypeKind::kIntOrString: return "a whole number or text";
    case api::TypeKind::kRawJson: return "anything";
    case api::TypeKind::kList: return "a list";
    case api::TypeKind::kMap:
    case api::TypeKind::kStruct: return "an object";
    case api::TypeKind::kOptional: break;
  }
  return "";
}

}  // namespace

std::string Described(api::Releases in) {
  constexpr uint8_t kNewest = api::MinorOf(api::Release::kNewest);
  if (in.first == in.last) return fmt::format("in 1.{}", in.first);
  if (in.last >= kNewest) return fmt::format("since 1.{}", in.first);
  return in.first == 0 ? fmt::format("up to 1.{}", in.last)
                       : fmt::format("from 1.{} to 1.{}", in.first, in.last);
}

std::string HintForUnknownField(const api::KindInfo& kind,
                                api::Release release,
                                std::string_view path) {
  const size_t dot = path.rfind('.');
  const std::string_view parent = dot == std::string_view::npos ? "" : path.substr(0, dot);
  const std::string_view name = dot == std::string_view::npos ? path : path.substr(dot + 1);
  const api::Type* const type = TypeAt(kind.type(), parent);
  if (type == nullptr || type->kind != api::TypeKind::kStruct) return {};
  if (const api::Field* field = FieldNamed(*type, name); field != nullptr) {
    return fmt::format("{} has it {}", kind.api_version, Described(field->facets.in));
  }
  std::vector<const api::Field*> fields = FieldsOf(*type);
  std::erase_if(fields, [&](const api::Field* field) { return !field->facets.in.Has(release); });
  const auto below = FindBelow(*type, name);
  if (below.has_value()) {
    return fmt::format("did you mean {}?", Joined(parent, Joined(*below, name)));
  }
  const std::string_view nearest = Nearest(fields, name);
  if (!nearest.empty()) return fmt::format("did you mean {}?", Joined(parent, nearest));
  const std::string other = OtherVersion(kind, path);
  if (!other.empty()) return fmt::format("{} has it, {} does not", other, kind.api_version);
  const auto anywhere = FindBelow(kind.type(), name);
  if (anywhere.has_value()) {
    return fmt::format("did you mean {}?", Joined(*anywhere, name));
  }
  return Listed(fields);
}

std::string HintForValue(const api::KindInfo& kind, api::Release release, std::string_view path) {
  const api::Type* const type = TypeAt(kind.type(), path);
  if (type == nullptr || type->kind == api::TypeKind::kRawJson) return {};
  std::string hint = fmt::format("expected {}", Example(type->kind));
  if (type->kind == api::TypeKind::kStruct) {
    std::vector<const api::Field*> fields = FieldsOf(*type);
    std::erase_if(fields, [&](const api::Field* field) { return !field->facets.in.Has(release); });
    hint += "; " + Listed(fields);
  }
  return hint;
}

std::string HintForKind(std::span<const api::KindInfo* const> kinds,
                        std::string_view group,
                        std::string_view kind) {
  std::vector<std::string> names;
  for (const api::KindInfo* one : kinds) {
    if (one->group == group) names.emplace_back(one->kind);
  }
  const std::string nearest = NearestName(kind, names);
  return nearest.empty() ? nearest : fmt::format("did you mean {}?", nearest);
}

std::string VersionsOf(std::span<const api::KindInfo* const> kinds,
                       std::string_view group,
                       std::string_view kind) {
  std::vector<std::string_view> versions;
  for (const api::KindInfo* one : kinds) {
    if (one->group == group && one->kind == kind && one->served)
      versions.push_back(one->api_version);
  }
  return fmt::format("{}", fmt::join(versions, ", "));
}

std::string HintForVersion(std::span<const api::KindInfo* const> kinds,
                           std::string_view group,
                           std::string_view kind,
                           api::Release release) {
  std::vector<std::string> served;
  std::vector<std::string> elsewhere;
  for (const api::KindInfo* one : kinds) {
    if (one->group != group || one->kind != kind || !one->served) continue;
    if (one->in.Has(release)) {
      served.emplace_back(one->api_version);
    } else {
      elsewhere.push_back(fmt::format("{} {}", one->api_version, Described(one->in)));
    }
  }
  if (!served.empty()) {
    return fmt::format(
        "{} serves {} as {}", api::ReleaseName(release), kind, fmt::join(served, ", "));
  }
  if (elsewhere.empty()) return HintForKind(kinds, group, kind);
  return fmt::format("{} was served as {}", kind, fmt::join(elsewhere, ", "));
}

}  // namespace dray::manifests
