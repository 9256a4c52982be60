// SPDX-License-Identifier: Apache-2.0
#include "api/codec/custom_json.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/codec/json_reader.h"
#include "api/codec/tree_json.h"
#include "api/codec/written_members.h"
#include "api/meta_v1/object_meta.h"
#include "api/text/go_quote.h"
#include "base/try.h"

namespace dray::api::inline codec {
namespace {

constexpr std::string_view kApiVersion = "apiVersion";
constexpr std::string_view kKind = "kind";
constexpr std::string_view kMetadata = "metadata";

bool IsFrame(std::string_view name) {
  return name == kApiVersion || name == kKind || name == kMetadata;
}

Failure WrongType(const KindInfo& kind, std::string_view found, std::string_view field) {
  return Fail(StatusReason::kBadRequest,
              fmt::format("json: cannot unmarshal {} into Go struct field {}.{} of type string",
                          found,
                          kind.kind,
                          field));
}

std::string_view NameOf(Tree::Kind kind) {
  switch (kind) {
    case Tree::Kind::kNull: return "null";
    case Tree::Kind::kBool: return "bool";
    case Tree::Kind::kInteger:
    case Tree::Kind::kDouble: return "number";
    case Tree::Kind::kText: return "string";
    case Tree::Kind::kList: return "array";
    case Tree::Kind::kObject: return "object";
  }
  return {};
}

Result<std::string> TextOf(const KindInfo& kind, const Tree& document, std::string_view name) {
  const Tree* member = document.Find(name);
  if (member == nullptr || member->is_null()) return std::string();
  if (!member->is_text()) return WrongType(kind, NameOf(member->kind()), name);
  return std::string(member->text());
}

// The source text of the last member "metadata"; empty when there is none.
std::string_view MetadataText(std::string_view json) {
  JsonReader reader(json);
  std::string_view text;
  std::string_view name;
  reader.EnterObject();
  while (reader.NextKey(name)) {
    const bool is_metadata = name == kMetadata;
    const std::string_view value = reader.Skip();
    if (is_metadata) text = value;
  }
  return reader.failed() ? std::string_view() : text;
}

// What the reader of the metadata alone says, in a document: `unknown field "a"` is
// `unknown field "metadata.a"`.
void Report(const DecodeIssues& of_metadata, DecodeIssues& issues) {
  constexpr std::string_view kBefore = "field \"";
  for (const std::string& issue : of_metadata) {
    const size_t at = issue.find(kBefore);
    if (at == std::string::npos || issues.size() >= kDecodeIssuesMax) continue;
    // The reader of the whole document has told of duplicates.
    if (issue.starts_with("duplicate")) continue;
    std::string whole = issue;
    whole.insert(at + kBefore.size(), "metadata.");
    issues.push_back(std::move(whole));
  }
}

Result<> ReadMetadata(std::string_view json,
                      const Tree& document,
                      DecodeIssues* issues,
                      meta_v1::ObjectMeta& meta) {
  const Tree* member = document.Find(kMetadata);
  if (member == nullptr || member->is_null()) return {};
  DecodeIssues found;
  DRAY_TRY_VOID(DecodeJson(Reflected<meta_v1::ObjectMeta>::kType,
                           MetadataText(json),
                           &meta,
                           issues == nullptr ? nullptr : &found));
  if (issues != nullptr) Report(found, *issues);
  return {};
}

// The members of a struct by their names: their places in its table.
using Order = std::vector<size_t>;

const Order& OrderOf(const Type& type) {
  static const std::map<const Type*, Order> kOrders = [] {
    std::map<const Type*, Order> orders;
    for (const Type* known : {&Reflected<meta_v1::ObjectMeta>::kType,
                              &Reflected<meta_v1::OwnerReference>::kType,
                              &Reflected<meta_v1::ManagedFieldsEntry>::kType}) {
      Order& order = orders[known];
      for (size_t i = 0; i < known->fields.size(); ++i) order.push_back(i);
      std::ranges::sort(order, {}, [&](size_t i) { return known->fields[i].name; });
    }
    return orders;
  }();
  static const Order kNone;
  const auto found = kOrders.find(&type);
  return found == kOrders.end() ? kNone : found->second;
}

// A list of structs, or anything without any.
void EncodeMember(const Type& type, const void* value, std::string& out) {
  if (type.kind != TypeKind::kList || type.element().kind != TypeKind::kStruct) {
    return EncodeJson(type, value, out);
  }
  const size_t size = type.container->size(value);
  if (size == 0) out += '[';
  for (size_t i = 0; i < size; ++i) {
    out += i == 0 ? '[' : ',';
    EncodeSorted(type.element(), type.container->at(value, i), out);
  }
  out += ']';
}

}  // namespace

Result<Object> DecodeCustom(const CustomKind& kind,
                            std::string_view json,
                            DecodeIssues* issues,
                            Wire wire,
                            TypeMeta* said) {
  DRAY_TRY(Tree document, ReadTree(json, {}, issues));
  if (document.is_null()) document = Tree::Object();
  if (!document.is_object()) return WrongType(kind, NameOf(document.kind()), "");
  DRAY_TRY(std::string api_version, TextOf(kind, document, kApiVersion));
  DRAY_TRY(std::string name, TextOf(kind, document, kKind));
  if (said != nullptr) *said = {.api_version = std::move(api_version), .kind = std::move(name)};
  Object object = Object::Make(kind);
  auto& custom = object.Mutable<CustomObject>();
  DRAY_TRY_VOID(ReadMetadata(json, document, issues, custom.metadata));
  document.EraseMembers([](const Tree::Member& member) { return IsFrame(member.name()); });
  custom.content = std::move(document);
  if (wire.stored) return object;
  const Frozen<CustomVersion> version = kind.now.Load();
  if (version == nullptr) return object;
  std::vector<std::string> unknown;
  version->Prune(custom, issues == nullptr ? nullptr : &unknown);
  DRAY_TRY_VOID(version->SetDefaults(custom));
  for (const std::string& path : unknown) {
    if (issues->size() >= kDecodeIssuesMax) break;
    issues->push_back(fmt::format("unknown field {}", GoQuote(path)));
  }
  return object;
}

void EncodeSorted(const Type& type, const void* value, std::string& out) {
  const uint64_t written = WrittenMembers(type, value, {});
  char separator = '{';
  for (const size_t index : OrderOf(type)) {
    if ((written >> index & 1U) == 0) continue;
    const Field& field = type.fields[index];
    out += std::exchange(separator, ',');
    QuoteJson(field.name, out);
    out += ':';
    EncodeMember(field.type(), field.of(value), out);
  }
  out += separator == '{' ? "{}" : "}";
}

void EncodeCustom(const Object& object, std::string& out) {
  const KindInfo& kind = object.kind();
  const auto& custom = object.As<CustomObject>();
  char separator = '{';
  const auto name = [&](std::string_view word) {
    out += std::exchange(separator, ',');
    QuoteJson(word, out);
    out += ':';
  };
  const auto frame = [&](std::string_view word) {
    name(word);
    if (word == kMetadata) {
      EncodeSorted(Reflected<meta_v1::ObjectMeta>::kType, &custom.metadata, out);
    } else {
      QuoteJson(word == kKind ? kind.kind : kind.api_version, out);
    }
  };
  constexpr std::string_view kFrame[] = {kApiVersion, kKind, kMetadata};
  size_t next = 0;
  for (const Tree::Member& member : custom.content.members()) {
    while (next < std::size(kFrame) && kFrame[next] < member.name()) frame(kFrame[next++]);
    name(member.name());
    WriteTree(member.value, out);
  }
  while (next < std::size(kFrame)) frame(kFrame[next++]);
  out += '}';
}

}  // namespace dray::api::inline codec
