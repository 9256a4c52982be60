// SPDX-License-Identifier: Apache-2.0
#include "server/documents/openapi_messages.h"

#include <algorithm>
#include <cstddef>
#include <ranges>

#include "api/codec/protobuf_wire.h"

namespace dray::server::documents::gnostic {
namespace {

using api::JsonTree;
using api::WireType;

// Writes from the last byte to the first, as the wire writer does.
class DocumentWriter {
 public:
  std::string Write(const JsonTree& document, const Message& message) {
    Fields(document, message);
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
      case Form::kMessage: return Field(member.number, member.around, [&] { Body(member, value); });
      case Form::kMessages:
        for (const JsonTree& one : std::views::reverse(value.elements())) {
          Field(member.number, member.around, [&] { Body(member, one); });
        }
        return;
      case Form::kNamed: return Named(member, value);
      case Form::kAny: return Any(member.number, value);
      case Form::kAnys:
        for (const JsonTree& one : std::views::reverse(value.elements())) Any(member.number, one);
        return;
      case Form::kParameters:
        for (const JsonTree& one : std::views::reverse(value.elements())) {
          Parameter(member, one);
        }
        return;
    }
  }

  void Body(const Member& member, const JsonTree& value) {
    if (!member.or_reference) return Fields(value, member.message());
    if (const JsonTree* path = value.members().Find("$ref")) {
      return Field(2, kFirst, [&] { out_.Raw(path->text); });
    }
    Field(1, {}, [&] { Fields(value, member.message()); });
  }

  // `write` writes the contents of the message, or text, of the field.
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
          Field(2, member.around_values, [&] { Body(member, *value); });
          Field(1, {}, [&] { out_.Raw(name); });
        });
      }
    });
  }

  void Parameter(const Member& member, const JsonTree& parameter) {
    const JsonTree* in = parameter.members().Find("in");
    const auto place = std::ranges::find(
        member.places, in == nullptr ? std::string_view() : std::string_view(in->text), &Place::in);
    if (place == member.places.end()) return;
    Field(member.number, place->around, [&] { Fields(parameter, place->message()); });
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

std::string Write(const api::JsonTree& document, const Message& message) {
  return DocumentWriter().Write(document, message);
}

}  // namespace dray::server::documents::gnostic
