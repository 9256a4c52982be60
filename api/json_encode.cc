// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "api/json.h"
#include "base/base64.h"

namespace dray::api {
namespace {

template <class T>
const T& Get(const void* value) {
  return *static_cast<const T*>(value);
}

void AppendInt(int64_t number, std::string& out) {
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out.append(digits.data(), end.ptr);
}

// What is written as null where it must be written.
bool IsNull(const Type& type, const void* value) {
  switch (type.kind) {
    case TypeKind::kList: return !type.container->present(value);
    case TypeKind::kOptional:
    case TypeKind::kMap: return type.container->size(value) == 0;
    case TypeKind::kTime:
    case TypeKind::kMicroTime:
    case TypeKind::kRawJson: return IsZero(type, value);
    case TypeKind::kBool:
    case TypeKind::kInt32:
    case TypeKind::kInt64:
    case TypeKind::kString:
    case TypeKind::kBytes:
    case TypeKind::kQuantity:
    case TypeKind::kDuration:
    case TypeKind::kIntOrString:
    case TypeKind::kStruct: return false;
  }
  return false;
}

// Go's omitempty: false, 0, "", nil and empty containers; never a struct, which needs omitzero.
bool IsEmpty(const Type& type, const void* member) {
  switch (type.kind) {
    case TypeKind::kStruct:
    case TypeKind::kQuantity:
    case TypeKind::kIntOrString:
    case TypeKind::kTime:
    case TypeKind::kMicroTime:
    case TypeKind::kRawJson: return false;
    case TypeKind::kOptional:
    case TypeKind::kList:
    case TypeKind::kMap: return type.container->size(member) == 0;
    case TypeKind::kBool:
    case TypeKind::kInt32:
    case TypeKind::kInt64:
    case TypeKind::kString:
    case TypeKind::kBytes:
    case TypeKind::kDuration: return IsZero(type, member);
  }
  return false;
}

bool IsOmitted(const Field& field, const void* member, Release release) {
  const Facets& facets = field.facets;
  const Type& type = field.type();
  if (facets.required && !facets.omit_empty) return false;
  if (facets.nullable.Rules(release)) return false;
  if (facets.plain.Rules(release)) {  // an optional that is none in this release
    const Type& element = type.element();
    if (type.container->size(member) != 0) return IsEmpty(element, type.container->at(member, 0));
    return element.kind != TypeKind::kRawJson;
  }
  if (facets.omit_zero) return IsZero(type, member);
  return IsEmpty(type, member);
}

class Encoder {
 public:
  Encoder(std::string& out, Wire wire) : out_(out), wire_(wire) {}

  void Members(const Type& type, const void* value, char& separator) {
    for (const Field& field : type.fields) {
      const void* member = field.of(value);
      const Type& member_type = field.type();
      if (!field.IsOn(wire_)) continue;
      if (field.facets.inlined) {
        Members(member_type, member, separator);
        continue;
      }
      if (IsOmitted(field, member, wire_.release)) continue;
      out_ += std::exchange(separator, ',');
      out_ += '"';
      out_ += field.name;
      out_ += "\":";
      Value(member_type, member);
    }
  }

  void Value(const Type& type, const void* value);

 private:
  void List(const Type& type, const void* value) {
    const size_t size = type.container->size(value);
    const Type& element = type.element();
    out_ += '[';
    for (size_t i = 0; i < size; ++i) {
      if (i != 0) out_ += ',';
      Value(element, type.container->at(value, i));
    }
    out_ += ']';
  }

  void Map(const Type& type, const void* value) {
    const Type& element = type.element();
    char separator = '{';
    VisitMap(type, value, [&](std::string_view key, const void* entry) {
      out_ += std::exchange(separator, ',');
      QuoteJson(key, out_);
      out_ += ':';
      Value(element, entry);
    });
    out_ += '}';
  }

  std::string& out_;
  Wire wire_;
};

void EncodeIntOrString(const IntOrString& value, std::string& out) {
  if (value.is_string()) {
    QuoteJson(value.text(), out);
  } else {
    AppendInt(value.number(), out);
  }
}

}  // namespace

void QuoteJson(std::string_view text, std::string& out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  size_t start = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool is_line_separator = c == 0xE2 && text.substr(i, 2) == "\xE2\x80" &&
                                   i + 2 < text.size() &&
                                   (text[i + 2] == '\xA8' || text[i + 2] == '\xA9');
    if (c >= 0x20 && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&' &&
        !is_line_separator) {
      continue;
    }
    out += text.substr(start, i - start);
    start = i + 1;
    if (c == '"' || c == '\\') {
      out += '\\';
      out += text[i];
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\b') {
      out += "\\b";
    } else if (c == '\f') {
      out += "\\f";
    } else if (is_line_separator) {
      out += text[i + 2] == '\xA8' ? "\\u2028" : "\\u2029";
      i += 2;
      start = i + 1;
    } else {
      out += "\\u00";
      out += kHex[c >> 4U];
      out += kHex[c & 0xFU];
    }
  }
  out += text.substr(start);
  out += '"';
}

void Encoder::Value(const Type& type, const void* value) {
  if (IsNull(type, value)) {
    out_ += "null";
    return;
  }
  switch (type.kind) {
    case TypeKind::kBool: out_ += Get<bool>(value) ? "true" : "false"; return;
    case TypeKind::kInt32: AppendInt(Get<int32_t>(value), out_); return;
    case TypeKind::kInt64: AppendInt(Get<int64_t>(value), out_); return;
    case TypeKind::kString: QuoteJson(Get<std::string>(value), out_); return;
    case TypeKind::kBytes: QuoteJson(EncodeBase64(Get<Bytes>(value).bytes), out_); return;
    case TypeKind::kQuantity: QuoteJson(Get<Quantity>(value).ToString(), out_); return;
    case TypeKind::kTime: QuoteJson(Get<Time>(value).ToString(), out_); return;
    case TypeKind::kMicroTime: QuoteJson(Get<MicroTime>(value).ToString(), out_); return;
    case TypeKind::kDuration: QuoteJson(Get<Duration>(value).ToString(), out_); return;
    case TypeKind::kIntOrString: EncodeIntOrString(Get<IntOrString>(value), out_); return;
    case TypeKind::kRawJson: out_ += Get<RawJson>(value).compact(); return;
    case TypeKind::kOptional: Value(type.element(), type.container->at(value, 0)); return;
    case TypeKind::kList: List(type, value); return;
    case TypeKind::kMap: Map(type, value); return;
    case TypeKind::kStruct: {
      char separator = '{';
      Members(type, value, separator);
      out_ += separator == '{' ? "{}" : "}";
      return;
    }
  }
}

void EncodeJson(const Type& type, const void* value, std::string& out, Wire wire) {
  Encoder(out, wire).Value(type, value);
}

namespace {

void PutMember(std::string_view name, std::string_view text, char& separator, std::string& out) {
  out += std::exchange(separator, ',');
  QuoteJson(name, out);
  out += ':';
  QuoteJson(text, out);
}

}  // namespace

void EncodeJson(
    const TypeMeta& meta, const Type& type, const void* value, std::string& out, Wire wire) {
  char separator = '{';
  if (!meta.kind.empty()) PutMember("kind", meta.kind, separator, out);
  if (!meta.api_version.empty()) PutMember("apiVersion", meta.api_version, separator, out);
  Encoder(out, wire).Members(type, value, separator);
  out += separator == '{' ? "{}" : "}";
}

void EncodeJson(const Object& object, std::string& out, Wire wire) {
  const KindInfo& kind = object.kind();
  EncodeJson({.api_version = kind.api_version(), .kind = std::string(kind.kind)},
             object.type(),
             object.value(),
             out,
             wire);
}

std::string ToJson(const Object& object, Wire wire) {
  std::string out;
  EncodeJson(object, out, wire);
  return out;
}

std::string PrettyJson(std::string_view json) {
  std::string out;
  size_t depth = 0;
  bool in_string = false;
  const auto line = [&] { out.append("\n").append(2 * depth, ' '); };
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string) {
      out += c;
      if (c == '\\') {
        out += json[++i];
      } else if (c == '"') {
        in_string = false;
      }
      continue;
    }
    const bool is_empty =
        (c == '{' || c == '[') && i + 1 < json.size() && json[i + 1] == (c == '{' ? '}' : ']');
    if (is_empty) {
      out += c;
      out += json[++i];
    } else if (c == '{' || c == '[') {
      out += c;
      ++depth;
      line();
    } else if (c == '}' || c == ']') {
      --depth;
      line();
      out += c;
    } else if (c == ',') {
      out += c;
      line();
    } else if (c == ':') {
      out += ": ";
    } else {
      in_string = c == '"';
      out += c;
    }
  }
  return out;
}

}  // namespace dray::api
