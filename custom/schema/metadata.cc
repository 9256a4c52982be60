// SPDX-License-Identifier: Apache-2.0
#include "custom/schema/metadata.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/codec/tree_json.h"
#include "api/reflect.h"
#include "api/text/names.h"
#include "api/validation/field_error.h"
#include "api/validation/field_path.h"
#include "base/check.h"
#include "base/text/ascii.h"
#include "custom/schema/shown.h"

namespace dray::custom::schema {
namespace {

using api::Tree;
using api::meta_v1::ObjectMeta;
using api::validation::FieldErrors;
using api::validation::Path;

const api::Type& TypeOfMetadata() {
  return api::TypeOf<ObjectMeta>();
}

// Decoding reports `unknown field "labels.x"`; nothing else can be found in a tree.
void AddPaths(const api::DecodeIssues& issues,
              std::string_view path,
              std::vector<std::string>* unknown) {
  constexpr std::string_view kIntro = "unknown field \"";
  for (const std::string& issue : issues) {
    if (unknown == nullptr || !issue.starts_with(kIntro)) continue;
    unknown->push_back(
        fmt::format("{}.{}", path, issue.substr(kIntro.size(), issue.size() - kIntro.size() - 1)));
  }
}

// The members that can be read, each of which does.
Tree Readable(const Tree& metadata) {
  Tree readable = metadata;
  readable.EraseMembers([](const Tree::Member& member) {
    std::vector<Tree::Member> alone{member};
    ObjectMeta ignored;
    const std::string json = ToJson(Tree::Object(std::move(alone)));
    return !api::DecodeJson(TypeOfMetadata(), json, &ignored, nullptr).has_value();
  });
  return readable;
}

bool IsTypeName(std::string_view name) {
  return name == "apiVersion" || name == "kind";
}

// Walks to the embedded resources of a value.
class Coercer {
 public:
  Coercer(Malformed malformed, std::vector<std::string>* unknown)
      : malformed_(malformed), unknown_(unknown) {}

  std::optional<ErrorCause> Run(Tree& value,
                                const Node& node,
                                const Path& path,
                                Resource resource) {
    if (resource == Resource::kYes && !node.is_embedded_resource && value.is_object()) {
      Coerce(value, path);
    }
    Walk(value, node, path);
    std::vector<ErrorCause> causes = std::move(errors_).Take();
    if (causes.empty()) return std::nullopt;
    return std::move(causes.front());
  }

 private:
  void Walk(Tree& value, const Node& node, const Path& path) {
    if (!node.has_embedded || !errors_.empty()) return;
    if (value.is_list() && node.items != nullptr) {
      for (size_t i = 0; i < value.size() && node.items->has_embedded; ++i) {
        if (value.elements()[i].size() > 0)
          Walk(value.MutableElement(i), *node.items, path.Index(i));
      }
    }
    if (!value.is_object()) return;
    if (node.is_embedded_resource) Coerce(value, path);
    for (size_t i = 0; i < value.size(); ++i) {
      const Tree::Member& member = value.members()[i];
      const Node* const property = node.FindProperty(member.name());
      const Node* const inner = property != nullptr ? property : node.others;
      if (inner == nullptr || !inner->has_embedded || member.value.size() == 0) continue;
      Walk(value.MutableValue(i),
           *inner,
           property != nullptr ? path.Child(member.name()) : path.Key(member.name()));
    }
  }

  void Coerce(Tree& resource, const Path& path) {
    const auto is_malformed = [](const Tree::Member& member) {
      return IsTypeName(member.name()) && !member.value.is_text();
    };
    if (malformed_ == Malformed::kDrop) {
      resource.EraseMembers(is_malformed);
    } else if (const auto wrong = std::ranges::find_if(resource.members(), is_malformed);
               wrong != resource.members().end()) {
      errors_.Invalid(path.Child(wrong->name()), ShownTree(wrong->value), "must be a string");
      return;
    }
    Tree* const metadata = resource.FindMutable("metadata");
    if (metadata == nullptr) return;
    const Path at = path.Child("metadata");
    Result<ObjectMeta> read = ReadMetadata(*metadata, at.ToString(), malformed_, unknown_);
    if (read) {
      *metadata = WriteMetadata(*read);
    } else if (malformed_ == Malformed::kRefuse) {
      errors_.Invalid(at, ShownTree(*metadata), read.error().message);
    }
  }

  Malformed malformed_;
  std::vector<std::string>* unknown_;
  FieldErrors errors_;
};

// What is wrong with the embedded resources of a value.
class EmbeddedChecker {
 public:
  explicit EmbeddedChecker(const MetadataRules& rules) : rules_(rules) {}

  void Run(const Tree& value, const Node& node, const Path& path, Resource resource) {
    if (resource == Resource::kYes && !node.is_embedded_resource && value.is_object()) {
      Check(value, path);
    }
    Walk(value, node, path);
  }

  std::vector<ErrorCause> Take() && { return std::move(errors_).Take(); }

 private:
  void Walk(const Tree& value, const Node& node, const Path& path) {
    if (!node.has_embedded || errors_.is_full()) return;
    if (value.is_list() && node.items != nullptr && node.items->has_embedded) {
      for (size_t i = 0; i < value.size(); ++i)
        Walk(value.elements()[i], *node.items, path.Index(i));
    }
    if (!value.is_object()) return;
    if (node.is_embedded_resource) Check(value, path);
    for (const Tree::Member& member : value.members()) {
      const Node* const property = node.FindProperty(member.name());
      if (property != nullptr) {
        Walk(member.value, *property, path.Child(member.name()));
      } else if (node.others != nullptr) {
        Walk(member.value, *node.others, path.Key(member.name()));
      }
    }
  }

  void Check(const Tree& resource, const Path& path) {
    for (const std::string_view name : {"apiVersion", "kind"}) {
      if (resource.Find(name) == nullptr) errors_.Required(path.Child(name));
    }
    for (const std::string_view name : {"apiVersion", "kind"}) {
      const Tree* const value = resource.Find(name);
      if (value == nullptr) continue;
      if (!value->is_text()) {
        errors_.Invalid(path.Child(name), ShownTree(*value), "must be a string");
      } else if (value->text().empty()) {
        errors_.Invalid(path.Child(name), ShownTree(*value), "must not be empty");
      } else if (name == "kind") {
        CheckKind(value->text(), path.Child(name));
      } else if (std::ranges::count(value->text(), '/') > 1) {
        errors_.Invalid(path.Child(name),
                        ShownTree(*value),
                        fmt::format("unexpected GroupVersion string: {}", value->text()));
      }
    }
    if (const Tree* const metadata = resource.Find("metadata"); metadata != nullptr) {
      CheckMetadata(*metadata, path.Child("metadata"));
    }
  }

  void CheckKind(std::string_view kind, const Path& path) {
    const api::NameErrors problems = api::CheckDns1035Label(LowerAscii(kind));
    if (problems.empty()) return;
    errors_.Invalid(path,
                    api::validation::Shown(kind),
                    fmt::format("may have mixed case, but should otherwise match: {}",
                                fmt::join(problems, ",")));
  }

  void CheckMetadata(const Tree& metadata, const Path& path) {
    Result<ObjectMeta> read = ReadMetadata(metadata, {}, Malformed::kRefuse, nullptr);
    if (!read) {
      errors_.Invalid(path, ShownTree(metadata), read.error().message);
      return;
    }
    if (!rules_) return;
    if (read->name.empty()) read->name = "fakename";
    std::vector<ErrorCause> found = rules_(*read);
    // The rules name fields from "metadata" on.
    constexpr std::string_view kMetadata = "metadata";
    const std::string place = path.ToString();
    for (ErrorCause& cause : found) {
      if (cause.field.starts_with(kMetadata)) cause.field.replace(0, kMetadata.size(), place);
      errors_.Report(cause.reason, Path(cause.field), cause.message);
    }
  }

  const MetadataRules& rules_;
  FieldErrors errors_;
};

}  // namespace

Result<ObjectMeta> ReadMetadata(const Tree& metadata,
                                std::string_view path,
                                Malformed malformed,
                                std::vector<std::string>* unknown) {
  ObjectMeta read;
  api::DecodeIssues issues;
  const Result<> decoded = api::DecodeJson(TypeOfMetadata(), ToJson(metadata), &read, &issues);
  if (!decoded && malformed == Malformed::kDrop && metadata.is_object()) {
    return ReadMetadata(Readable(metadata), path, Malformed::kRefuse, unknown);
  }
  if (!decoded) return Fail(decoded.error());
  AddPaths(issues, path, unknown);
  return read;
}

Tree WriteMetadata(const ObjectMeta& metadata) {
  std::string json;
  api::EncodeJson(TypeOfMetadata(), &metadata, json);
  Result<Tree> tree = api::ReadTree(json);
  DRAY_CHECK(tree.has_value());
  tree->EraseMembers([](const Tree::Member& member) { return member.value.is_null(); });
  return *std::move(tree);
}

std::optional<ErrorCause> CoerceEmbedded(Tree& object,
                                         const Schema& schema,
                                         Malformed malformed,
                                         std::vector<std::string>* unknown) {
  const auto before = static_cast<ptrdiff_t>(unknown == nullptr ? 0 : unknown->size());
  std::optional<ErrorCause> cause =
      Coercer(malformed, unknown).Run(object, schema.root(), Path(""), Resource::kIfMarked);
  if (unknown != nullptr) std::sort(unknown->begin() + before, unknown->end());
  return cause;
}

std::optional<ErrorCause> CoerceEmbeddedValue(Tree& value,
                                              const Node& node,
                                              std::string_view path,
                                              Resource resource) {
  return Coercer(Malformed::kRefuse, nullptr).Run(value, node, Path(path), resource);
}

std::vector<ErrorCause> CheckEmbedded(const Tree& value,
                                      const Node& node,
                                      std::string_view path,
                                      const MetadataRules& rules,
                                      Resource resource) {
  EmbeddedChecker checker(rules);
  checker.Run(value, node, Path(path), resource);
  return std::move(checker).Take();
}

}  // namespace dray::custom::schema
