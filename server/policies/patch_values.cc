// SPDX-License-Identifier: Apache-2.0
#include "server/policies/patch_values.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/text/go_quote.h"
#include "cel/eval/conversion_problem.h"
#include "cel/eval/json_values.h"
#include "cel/value/made_object.h"
#include "server/patch/json_tree.h"
#include "server/policies/expressions.h"

namespace dray::server::policies {
namespace {

using api::JsonKind;
using api::JsonTree;
using cel::MadeObject;
using cel::MadeObjectOf;
using cel::Value;
using cel::ValueKind;

JsonTree Scalar(JsonKind kind, std::string text) {
  JsonTree tree;
  tree.kind = kind;
  tree.text = std::move(text);
  return tree;
}

JsonTree Null() {
  return Scalar(JsonKind::kNull, {});
}

// As Go writes it: whole numbers without a fraction. Nothing for what is no number.
std::optional<std::string> TextOf(double number) {
  constexpr double kExactMax = 9007199254740992.0;
  if (!std::isfinite(number)) return std::nullopt;
  if (number == std::trunc(number) && std::abs(number) < kExactMax) {
    return fmt::format("{}", static_cast<int64_t>(number));
  }
  return fmt::format("{}", number);
}

// ------------------------------------------------------------------------------------- type names

// Objects must be of the type that the path of fields to them names. Lists and maps in between have
// no names.
class TypeNames {
 public:
  explicit TypeNames(std::string_view root) : path_{std::string(root)} {}

  void Check(const Value& value) {
    if (depth_ == patch::kDepthMax) return;  // the conversion refuses it
    ++depth_;
    if (const MadeObject* const made = MadeObjectOf(value); made != nullptr) {
      CheckObject(*made, value.map());
    } else if (value.is(ValueKind::kList)) {
      for (const Value& element : value.list().items()) Check(element);
    } else if (value.is(ValueKind::kMap) && value.map().view == nullptr) {
      for (const cel::MapEntry& entry : value.map().entries()) Check(entry.value);
    }
    --depth_;
  }

  /// Empty: all are right.
  std::string Problems() const { return fmt::format("{}", fmt::join(problems_, "\n")); }

 private:
  static constexpr size_t kProblemsMax = 100;

  void CheckObject(const MadeObject& made, const cel::Map& fields) {
    const std::string expected = fmt::format("{}", fmt::join(path_, "."));
    if (made.type() != expected && problems_.size() < kProblemsMax) {
      problems_.push_back(
          fmt::format("unexpected type name {}, expected {}, which matches field "
                      "name path from root Object type",
                      api::GoQuote(made.type()),
                      api::GoQuote(expected)));
    }
    for (const cel::MapEntry& field : fields.entries()) {
      path_.emplace_back(field.key.text());
      Check(field.value);
      path_.pop_back();
    }
  }

  std::vector<std::string> path_;
  std::vector<std::string> problems_;
  size_t depth_ = 0;
};

std::expected<void, std::string> CheckTypeNames(std::string_view root, const Value& value) {
  TypeNames names(root);
  names.Check(value);
  std::string problems = names.Problems();
  if (!problems.empty()) return std::unexpected("type mismatch: " + std::move(problems));
  return {};
}

// ---------------------------------------------------------------------------------- configurations

std::string GoText(const Value& value);

std::string GoTextOfMap(const cel::Map& map) {
  std::string text;
  for (const cel::MapEntry& entry : map.entries()) {
    if (text.size() > api::kGoTextMax) break;
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", GoText(entry.key), GoText(entry.value));
  }
  return fmt::format("map[{}]", text);
}

// With %v. What is deep inside is left out.
std::string GoText(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kNull: return "NULL_VALUE";
    case ValueKind::kBool: return value.boolean() ? "true" : "false";
    case ValueKind::kInt: return fmt::format("{}", value.integer());
    case ValueKind::kUint: return fmt::format("{}", value.unsigned_integer());
    case ValueKind::kDouble: return fmt::format("{}", value.number());
    case ValueKind::kString: return std::string(value.text());
    default: return std::string(cel::TypeName(value));
  }
}

class ApplyConverter {
 public:
  std::expected<ApplyDocument, std::string> Run(const Value& made) && {
    ApplyDocument document;
    document.tree = Convert(made, Within::kField);
    if (is_too_deep_) {
      return std::unexpected(fmt::format("the configuration is deeper than {}", patch::kDepthMax));
    }
    document.odd = std::move(odd_);
    return document;
  }

 private:
  enum class Within : uint8_t { kField, kLiteral };
  static constexpr size_t kOddMax = 100;

  JsonTree Convert(const Value& value, Within within) {
    switch (value.kind()) {
      case ValueKind::kBool: return Scalar(JsonKind::kBool, GoText(value));
      case ValueKind::kInt:
      case ValueKind::kUint: return Scalar(JsonKind::kNumber, GoText(value));
      case ValueKind::kDouble: {
        std::optional<std::string> text = TextOf(value.number());
        if (!text.has_value()) return Odd(value);
        return Scalar(JsonKind::kNumber, *std::move(text));
      }
      case ValueKind::kString: return Scalar(JsonKind::kString, std::string(value.text()));
      case ValueKind::kList:
      case ValueKind::kMap: return Container(value, within);
      default: return Odd(value);
    }
  }

  JsonTree Container(const Value& value, Within within) {
    if (path_.size() == patch::kDepthMax) is_too_deep_ = true;
    if (is_too_deep_) return Null();
    const bool is_literal = value.is(ValueKind::kMap) && value.map().view == nullptr;
    if (is_literal && within == Within::kLiteral) return Odd(value);
    if (value.is(ValueKind::kList)) return List(value.list());
    // Members of documents and of objects that are made are fields again.
    return Map(value.map(), is_literal ? Within::kLiteral : Within::kField);
  }

  JsonTree List(const cel::List& list) {
    JsonTree tree = Scalar(JsonKind::kArray, {});
    for (size_t i = 0; i < list.size(); ++i) {
      path_.emplace_back(i);
      tree.elements().push_back(Convert(list.At(i), Within::kLiteral));
      path_.pop_back();
    }
    return tree;
  }

  JsonTree Map(const cel::Map& map, Within within) {
    JsonTree tree = JsonTree::Object();
    for (const cel::MapEntry& entry : map.entries()) {
      const std::string name = GoText(entry.key);
      path_.emplace_back(name);
      tree.members().Set(name, Convert(entry.value, within));
      path_.pop_back();
    }
    return tree;
  }

  JsonTree Odd(const Value& value) {
    if (odd_.size() < kOddMax) {
      const std::string text = value.is(ValueKind::kMap) ? GoTextOfMap(value.map()) : GoText(value);
      odd_.push_back(
          {.path = path_, .text = text, .go_type = std::string(cel::eval::GoTypeHeld(value))});
    }
    return Null();
  }

  std::vector<PatchStep> path_;
  std::vector<OddValue> odd_;
  bool is_too_deep_ = false;
};

// ----------------------------------------------------------------------------------------- patches

std::expected<JsonTree, std::string> TreeOf(const Value& json, size_t depth) {
  if (depth > patch::kDepthMax)
    return std::unexpected(fmt::format("deeper than {}", patch::kDepthMax));
  switch (json.kind()) {
    case ValueKind::kBool: return Scalar(JsonKind::kBool, GoText(json));
    case ValueKind::kDouble: {
      std::optional<std::string> text = TextOf(json.number());
      if (!text.has_value()) return std::unexpected("a number that JSON does not have");
      return Scalar(JsonKind::kNumber, *std::move(text));
    }
    case ValueKind::kString: return Scalar(JsonKind::kString, std::string(json.text()));
    case ValueKind::kList: {
      JsonTree tree = Scalar(JsonKind::kArray, {});
      for (const Value& item : json.list().items()) {
        auto element = TreeOf(item, depth + 1);
        if (!element.has_value()) return element;
        tree.elements().push_back(*std::move(element));
      }
      return tree;
    }
    case ValueKind::kMap: {
      JsonTree tree = JsonTree::Object();
      for (const cel::MapEntry& entry : json.map().entries()) {
        auto member = TreeOf(entry.value, depth + 1);
        if (!member.has_value()) return member;
        tree.members().Set(entry.key.text(), *std::move(member));
      }
      return tree;
    }
    default: return Null();
  }
}

std::string NoJson(std::string_view why) {
  return fmt::format(
      "JSONPath valueExpression evaluated to a type that could not marshal to JSON: {}", why);
}

std::expected<JsonTree, std::string> PatchValueOf(const Value& value, cel::Arena& arena) {
  if (const MadeObject* const made = MadeObjectOf(value); made != nullptr) {
    if (auto fits = CheckTypeNames(made->type(), value); !fits.has_value()) {
      return std::unexpected(std::move(fits).error());
    }
    auto document = ApplyConverter().Run(value);
    if (!document.has_value()) return std::unexpected(std::move(document).error());
    if (document->odd.empty()) return std::move(document->tree);
    return std::unexpected(
        NoJson(fmt::format("proto: invalid type: {}", document->odd.front().go_type)));
  }
  const Value json = cel::eval::JsonValueOf(arena, value);
  if (json.is_error()) return std::unexpected(NoJson(json.text()));
  auto tree = TreeOf(json, 1);
  if (!tree.has_value()) return std::unexpected(NoJson(tree.error()));
  return tree;
}

std::expected<JsonTree, std::string> OperationOf(const Value& element, cel::Arena& arena) {
  const MadeObject* const made = MadeObjectOf(element);
  if (made == nullptr || made->type() != kJsonPatchType) {
    return std::unexpected(
        fmt::format("type mismatch: JSONPatchType.expression should evaluate to array of "
                    "JSONPatch, got element of {}",
                    cel::TypeName(element)));
  }
  JsonTree operation = JsonTree::Object();
  for (const std::string_view name : {"op", "path", "from"}) {
    const Value* const text = element.map().view->Find(name);
    const bool is_there = text != nullptr && !text->text().empty();
    if (!is_there && name == "from") continue;
    operation.members().Set(name,
                            Scalar(JsonKind::kString, std::string(is_there ? text->text() : "")));
  }
  const Value* const value = element.map().view->Find("value");
  if (value == nullptr) return operation;
  auto tree = PatchValueOf(*value, arena);
  if (!tree.has_value()) return tree;
  operation.members().Set("value", *std::move(tree));
  return operation;
}

}  // namespace

std::expected<ApplyDocument, std::string> ApplyDocumentOf(const Value& made) {
  const MadeObject* const object = MadeObjectOf(made);
  if (object == nullptr) {
    return std::unexpected(fmt::format(
        "unsupported return type from ApplyConfiguration expression: {}", cel::TypeName(made)));
  }
  if (auto fits = CheckTypeNames(object->type(), made); !fits.has_value()) {
    return std::unexpected(std::move(fits).error());
  }
  return ApplyConverter().Run(made);
}

std::expected<JsonTree, std::string> JsonPatchOf(const Value& made, cel::Arena& arena) {
  if (!made.is(ValueKind::kList)) {
    return std::unexpected("type mismatch: JSONPatchType.expression should evaluate to array");
  }
  JsonTree patch = Scalar(JsonKind::kArray, {});
  for (const Value& element : made.list().items()) {
    auto operation = OperationOf(element, arena);
    if (!operation.has_value()) return operation;
    patch.elements().push_back(*std::move(operation));
  }
  return patch;
}

}  // namespace dray::server::policies
