// SPDX-License-Identifier: Apache-2.0
#include "server/policies/mutation.h"

#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/managed_fields/documents.h"
#include "api/managed_fields/part.h"
#include "api/managed_fields/schema_shape.h"
#include "api/managed_fields/shape.h"
#include "server/patch/json_patch.h"
#include "server/patch/json_tree.h"
#include "server/patch/patch.h"
#include "server/policies/patch_values.h"

namespace dray::server::policies {
namespace {

namespace managed = api::managed_fields;
using api::JsonTree;
using MergeShape = managed::Shape;

std::string TextOf(const std::vector<PatchStep>& path) {
  std::string text;
  for (const PatchStep& step : path) {
    if (const std::string* const name = std::get_if<std::string>(&step)) {
      text.append(".").append(*name);
    } else {
      text += fmt::format("[{}]", std::get<size_t>(step));
    }
  }
  return text;
}

// ------------------------------------------------------------------------------- what is not taken

// Values that merge as a whole, by their paths.
class Atomics {
 public:
  explicit Atomics(api::Wire wire) : wire_(wire) {}

  void Find(const MergeShape& asked, const JsonTree& value) {
    const MergeShape shape = managed::Resolve(asked, managed::Part(&value).form());
    const bool is_atomic = shape.kind == MergeShape::Kind::kAtomic;
    if (value.is_object() && shape.is_object()) {
      if (is_atomic) found_.push_back(TextOf(path_));
      InMembers(shape, value);
    } else if (value.is_array() && shape.is_list()) {
      if (is_atomic) found_.push_back(TextOf(path_));
      InElements(shape, value);
    }
  }

  const std::vector<std::string>& found() const { return found_; }

 private:
  // Upstream looks into the fields that the schema names, not into the entries of maps.
  void InMembers(const MergeShape& shape, const JsonTree& value) {
    for (const auto& [name, member] : value.members().All()) {
      if (!managed::IsNamed(shape, name, wire_)) continue;
      const std::optional<MergeShape> inner = managed::MemberShape(shape, name, wire_);
      if (!inner.has_value()) continue;
      path_.emplace_back(std::string(name));
      Find(*inner, *member);
      path_.pop_back();
    }
  }

  void InElements(const MergeShape& shape, const JsonTree& value) {
    const MergeShape inner = managed::ElementShape(shape);
    for (size_t i = 0; i < value.elements().size(); ++i) {
      path_.emplace_back(i);
      Find(inner, value.elements()[i]);
      path_.pop_back();
    }
  }

  const api::Wire wire_;
  std::vector<PatchStep> path_;
  std::vector<std::string> found_;
};

// The shape at the path of an odd value; nothing if the schema does not lead there.
std::optional<MergeShape> ShapeAt(MergeShape shape,
                                  const std::vector<PatchStep>& path,
                                  api::Wire wire) {
  for (const PatchStep& step : path) {
    const bool is_name = std::holds_alternative<std::string>(step);
    const auto form = is_name ? MergeShape::Form::kObject : MergeShape::Form::kList;
    shape = managed::Resolve(shape, form);
    if (!is_name) {
      if (!shape.is_list()) return std::nullopt;
      shape = managed::ElementShape(shape);
      continue;
    }
    const auto inner = managed::MemberShape(shape, std::get<std::string>(step), wire);
    if (!inner.has_value()) return std::nullopt;
    shape = *inner;
  }
  return managed::Resolve(shape, MergeShape::Form::kObject);
}

// What upstream says of a value that its merge cannot read.
std::string ProblemOf(const OddValue& odd, const MergeShape& shape) {
  if (shape.is_object()) return fmt::format("expected map, got &{{{}}}", odd.text);
  if (shape.is_list()) return fmt::format("expected list, got &{{{}}}", odd.text);
  switch (shape.kind) {
    case MergeShape::Kind::kBool: return fmt::format("expected boolean, got &{{{}}}", odd.text);
    case MergeShape::Kind::kNumber:
      return fmt::format("expected numeric (int or float), got {}", odd.go_type);
    case MergeShape::Kind::kText:
      return fmt::format("expected string, got &value.valueUnstructured{{Value:{}}}", odd.text);
    default: return fmt::format("expected any scalar, got &{{{}}}", odd.text);
  }
}

std::expected<void, std::string> CheckFits(const MergeShape& root,
                                           const ApplyDocument& document,
                                           api::Wire wire) {
  const auto refuse = [](std::string_view why) {
    return std::unexpected(fmt::format(
        "error applying patch: failed to convert patch object to typed object: {}", why));
  };
  for (const OddValue& odd : document.odd) {
    const std::optional<MergeShape> shape = ShapeAt(root, odd.path, wire);
    if (!shape.has_value()) continue;  // which CheckDocument says
    if (shape->kind == MergeShape::Kind::kOpaque) continue;
    return refuse(fmt::format("{}: {}", TextOf(odd.path), ProblemOf(odd, *shape)));
  }
  const Result<> fits = managed::CheckDocument(root, document.tree, wire);
  if (!fits.has_value()) return refuse(fits.error().message);
  Atomics atomics(wire);
  atomics.Find(root, document.tree);
  if (atomics.found().empty()) return {};
  return std::unexpected(
      fmt::format("error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, "
                  "maps or structs: {}",
                  fmt::join(atomics.found(), ", ")));
}

std::expected<std::string, std::string> TextWithin(const JsonTree& tree) {
  std::string text;
  WriteJsonTree(tree, text);
  if (text.size() > patch::kPatchedBytesMax) {
    return std::unexpected(
        fmt::format("the object is larger than {} bytes", patch::kPatchedBytesMax));
  }
  return text;
}

}  // namespace

std::expected<std::string, std::string> ApplyConfigurationTo(const api::KindInfo& kind,
                                                             std::string_view json,
                                                             const cel::Value& configuration,
                                                             api::Release release) {
  auto document = ApplyDocumentOf(configuration);
  if (!document.has_value()) return std::unexpected(std::move(document).error());
  for (const std::string_view said : {"kind", "apiVersion"}) document->tree.members().Take(said);
  const api::Wire wire{.release = release};
  const managed::RootShape root(kind);
  if (auto fits = CheckFits(root.get(), *document, wire); !fits.has_value()) {
    return std::unexpected(std::move(fits).error());
  }
  Result<JsonTree> live = api::ParseJsonTree(json, patch::kDepthMax);
  if (!live.has_value()) return std::unexpected(live.error().message);
  JsonTree whole = JsonTree::Object();
  for (const std::string_view said : {"kind", "apiVersion"}) {
    whole.members().Set(said, live->members().Take(said));
  }
  JsonTree merged = managed::MergeDocuments(root.get(), *live, document->tree, wire);
  if (merged.is_object()) {
    for (auto& [name, member] : merged.members().All()) {
      whole.members().Set(name, std::move(*member));
    }
  }
  return TextWithin(whole);
}

std::expected<std::optional<std::string>, std::string> ApplyJsonPatchTo(std::string_view json,
                                                                        const cel::Value& patch,
                                                                        cel::Arena& arena) {
  auto operations = JsonPatchOf(patch, arena);
  if (!operations.has_value()) return std::unexpected(std::move(operations).error());
  Result<JsonTree> document = api::ParseJsonTree(json, patch::kDepthMax);
  if (!document.has_value()) return std::unexpected(document.error().message);
  const Result<> applied = patch::ApplyJsonPatch(*std::move(operations), *document);
  if (!applied.has_value() && patch::IsTestFailure(applied.error())) return std::nullopt;
  if (!applied.has_value()) {
    return std::unexpected(fmt::format("JSON Patch: {}", applied.error().message));
  }
  auto text = TextWithin(*document);
  if (!text.has_value()) return std::unexpected(std::move(text).error());
  return std::optional(*std::move(text));
}

}  // namespace dray::server::policies
