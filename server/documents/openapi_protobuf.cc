// SPDX-License-Identifier: Apache-2.0
// The messages are tables: which member of a JSON object is which field, and how it is written.
// Numbers are those of gnostic's OpenAPIv2.proto.
#include "server/documents/openapi_protobuf.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>

#include "api/codec/json_tree.h"
#include "api/codec/protobuf_wire.h"

namespace dray::server::documents {
namespace {

using api::JsonTree;
using api::WireType;
using Numbers = std::span<const uint32_t>;

constexpr size_t kDocumentDepthMax = 100;

enum class Form : uint8_t {
  kText,
  kTexts,  // each a field
  kFlag,
  kMessage,
  kNamed,      // an object: for each member a field {name = 1, value = 2}
  kAny,        // YAML in {yaml = 2}
  kAnys,       // each a field
  kParameters  // each a field; those of each place are messages of their own
};

struct Message;

struct Member {
  std::string_view name;
  uint32_t number;
  Form form;
  const Message& (*message)() = nullptr;
  /// Fields around the value, in messages that have nothing else; the innermost first.
  Numbers around = {};
  /// The same around each value of kNamed.
  Numbers around_values = {};
};

struct Message {
  std::span<const Member> members;  // ascending numbers
  uint32_t extensions = 0;          // the field of x-…, past all others; 0: none
};

constexpr uint32_t kFirst[] = {1};
constexpr uint32_t kSecond[] = {2};

const Message& Schema() {
  static constexpr Member kMembers[] = {
      {.name = "$ref", .number = 1, .form = Form::kText},
      {.name = "format", .number = 2, .form = Form::kText},
      {.name = "description", .number = 4, .form = Form::kText},
      {.name = "default", .number = 5, .form = Form::kAny},
      {.name = "required", .number = 19, .form = Form::kTexts},
      {.name = "enum", .number = 20, .form = Form::kAnys},
      {.name = "additionalProperties",
       .number = 21,
       .form = Form::kMessage,
       .message = Schema,
       .around = kFirst},
      {.name = "type", .number = 22, .form = Form::kText, .around = kFirst},
      {.name = "items", .number = 23, .form = Form::kMessage, .message = Schema, .around = kFirst},
      {.name = "properties",
       .number = 25,
       .form = Form::kNamed,
       .message = Schema,
       .around = kFirst}};
  static constexpr Message kMessage = {.members = kMembers, .extensions = 31};
  return kMessage;
}

const Message& BodyParameter() {
  static constexpr Member kMembers[] = {
      {.name = "description", .number = 1, .form = Form::kText},
      {.name = "name", .number = 2, .form = Form::kText},
      {.name = "in", .number = 3, .form = Form::kText},
      {.name = "required", .number = 4, .form = Form::kFlag},
      {.name = "schema", .number = 5, .form = Form::kMessage, .message = Schema}};
  static constexpr Message kMessage = {.members = kMembers};
  return kMessage;
}

const Message& QueryParameter() {
  static constexpr Member kMembers[] = {{.name = "in", .number = 2, .form = Form::kText},
                                        {.name = "description", .number = 3, .form = Form::kText},
                                        {.name = "name", .number = 4, .form = Form::kText},
                                        {.name = "type", .number = 6, .form = Form::kText},
                                        {.name = "uniqueItems", .number = 20, .form = Form::kFlag}};
  static constexpr Message kMessage = {.members = kMembers};
  return kMessage;
}

const Message& PathParameter() {
  static constexpr Member kMembers[] = {{.name = "required", .number = 1, .form = Form::kFlag},
                                        {.name = "in", .number = 2, .form = Form::kText},
                                        {.name = "description", .number = 3, .form = Form::kText},
                                        {.name = "name", .number = 4, .form = Form::kText},
                                        {.name = "type", .number = 5, .form = Form::kText},
                                        {.name = "uniqueItems", .number = 19, .form = Form::kFlag}};
  static constexpr Message kMessage = {.members = kMembers};
  return kMessage;
}

struct Place {
  std::string_view in;
  const Message& (*message)();
  Numbers around;
};
constexpr uint32_t kAroundBody[] = {1, 1};
constexpr uint32_t kAroundQuery[] = {3, 2, 1};
constexpr uint32_t kAroundPath[] = {4, 2, 1};
constexpr Place kPlaces[] = {{.in = "body", .message = BodyParameter, .around = kAroundBody},
                             {.in = "query", .message = QueryParameter, .around = kAroundQuery},
                             {.in = "path", .message = PathParameter, .around = kAroundPath}};

const Message& Response() {
  static constexpr Member kMembers[] = {
      {.name = "description", .number = 1, .form = Form::kText},
      {.name = "schema", .number = 2, .form = Form::kMessage, .message = Schema, .around = kFirst}};
  static constexpr Message kMessage = {.members = kMembers};
  return kMessage;
}

const Message& Operation() {
  static constexpr Member kMembers[] = {
      {.name = "tags", .number = 1, .form = Form::kTexts},
      {.name = "description", .number = 3, .form = Form::kText},
      {.name = "operationId", .number = 5, .form = Form::kText},
      {.name = "produces", .number = 6, .form = Form::kTexts},
      {.name = "consumes", .number = 7, .form = Form::kTexts},
      {.name = "parameters", .number = 8, .form = Form::kParameters},
      {.name = "responses",
       .number = 9,
       .form = Form::kNamed,
       .message = Response,
       .around = kFirst,
       .around_values = kFirst},
      {.name = "schemes", .number = 10, .form = Form::kTexts}};
  static constexpr Message kMessage = {.members = kMembers, .extensions = 13};
  return kMessage;
}

const Message& PathItem() {
  static constexpr Member kMembers[] = {
      {.name = "get", .number = 2, .form = Form::kMessage, .message = Operation},
      {.name = "put", .number = 3, .form = Form::kMessage, .message = Operation},
      {.name = "post", .number = 4, .form = Form::kMessage, .message = Operation},
      {.name = "delete", .number = 5, .form = Form::kMessage, .message = Operation},
      {.name = "patch", .number = 8, .form = Form::kMessage, .message = Operation},
      {.name = "parameters", .number = 9, .form = Form::kParameters}};
  static constexpr Message kMessage = {.members = kMembers};
  return kMessage;
}

const Message& Info() {
  static constexpr Member kMembers[] = {{.name = "title", .number = 1, .form = Form::kText},
                                        {.name = "version", .number = 2, .form = Form::kText}};
  static constexpr Message kMessage = {.members = kMembers};
  return kMessage;
}

const Message& Document() {
  static constexpr Member kMembers[] = {
      {.name = "swagger", .number = 1, .form = Form::kText},
      {.name = "info", .number = 2, .form = Form::kMessage, .message = Info},
      {.name = "paths", .number = 8, .form = Form::kNamed, .message = PathItem, .around = kSecond},
      {.name = "definitions",
       .number = 9,
       .form = Form::kNamed,
       .message = Schema,
       .around = kFirst}};
  static constexpr Message kMessage = {.members = kMembers};
  return kMessage;
}

// Writes from the last byte to the first, as the wire writer does.
class DocumentWriter {
 public:
  std::string Write(const JsonTree& document) {
    Fields(document, Document());
    return std::string(out_.text());
  }

 private:
  void Fields(const JsonTree& tree, const Message& message) {
    if (message.extensions != 0) {
      for (const auto& [name, value] : std::views::reverse(tree.members().All())) {
        if (name.starts_with("x-")) Extension(message.extensions, name, *value);
      }
    }
    for (const Member& member : std::views::reverse(message.members)) {
      const JsonTree* value = tree.members().Find(member.name);
      if (value != nullptr) Value(member, *value);
    }
  }

  void Value(const Member& member, const JsonTree& value) {
    switch (member.form) {
      case Form::kText: return Field(member.number, member.around, [&] { out_.Raw(value.text); });
      case Form::kTexts:
        for (const JsonTree& text : std::views::reverse(value.elements())) {
          Field(member.number, {}, [&] { out_.Raw(text.text); });
        }
        return;
      case Form::kFlag:
        if (value.text != "true") return;
        out_.Varint(1);
        return out_.Tag({.number = member.number, .type = WireType::kVarint});
      case Form::kMessage:
        return Field(member.number, member.around, [&] { Fields(value, member.message()); });
      case Form::kNamed: return Named(member, value);
      case Form::kAny: return Any(member.number, value);
      case Form::kAnys:
        for (const JsonTree& one : std::views::reverse(value.elements())) Any(member.number, one);
        return;
      case Form::kParameters:
        for (const JsonTree& one : std::views::reverse(value.elements())) {
          Parameter(member.number, one);
        }
        return;
    }
  }

  // `write` writes what lies inside the message, or text, of the field.
  template <class F>
  void Field(uint32_t number, Numbers around, F write) {
    const size_t end = out_.size();
    write();
    for (const uint32_t inner : around) Close(inner, end);
    Close(number, end);
  }

  void Close(uint32_t number, size_t end) {
    out_.Length(end);
    out_.Tag({.number = number, .type = WireType::kBytes});
  }

  void Named(const Member& member, const JsonTree& object) {
    Field(member.number, {}, [&] {
      for (const auto& [name, value] : std::views::reverse(object.members().All())) {
        Field(member.around.front(), {}, [&] {
          Field(2, member.around_values, [&] { Fields(*value, member.message()); });
          Field(1, {}, [&] { out_.Raw(name); });
        });
      }
    });
  }

  void Parameter(uint32_t number, const JsonTree& parameter) {
    const JsonTree* in = parameter.members().Find("in");
    const auto* const place = std::ranges::find(
        kPlaces, in == nullptr ? std::string_view() : std::string_view(in->text), &Place::in);
    if (place == std::end(kPlaces)) return;
    Field(number, place->around, [&] { Fields(parameter, place->message()); });
  }

  void Any(uint32_t number, const JsonTree& value) {
    Field(number, kSecond, [&] { Yaml(value); });
  }

  void Extension(uint32_t number, std::string_view name, const JsonTree& value) {
    Field(number, {}, [&] {
      Field(2, kSecond, [&] { Yaml(value); });
      Field(1, {}, [&] { out_.Raw(name); });
    });
  }

  // JSON is YAML.
  void Yaml(const JsonTree& value) {
    std::string text;
    WriteJsonTree(value, text);
    out_.Raw(text);
  }

  api::WireWriter out_;
};

}  // namespace

Result<std::string> OpenApiV2Protobuf(std::string_view json) {
  DRAY_TRY(const JsonTree document, api::ParseJsonTree(json, kDocumentDepthMax));
  return DocumentWriter().Write(document);
}

}  // namespace dray::server::documents
