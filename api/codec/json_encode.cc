// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <charconv>
#include <utility>

#include "api/codec/custom_json.h"
#include "api/codec/json.h"
#include "api/codec/json_writer.h"
#include "api/codec/value_as.h"
#include "api/codec/written_members.h"
#include "api/codec/yaml_scalar.h"
#include "base/text/base64.h"
#include "base/text/json_text.h"
#include "base/text/scratch_text.h"
#include "base/text/text_scan.h"

namespace dray::api::inline codec {
namespace {

/// Appends to a string through a pointer. It reserves room once per value, not per byte. A
/// JsonWriter cannot do that, because its users append to the string too.
class Output {
 public:
  explicit Output(std::string& out)
      : out_(out), at_(out.data() + out.size()), end_(out.data() + out.size()) {}
  ~Output() { out_.resize(Size()); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void Put(char c) {
    *Room(1) = c;
    ++at_;
  }
  void Put(std::string_view text) {
    text.copy(Room(text.size()), text.size());
    at_ += text.size();
  }
  /// `c"name":`
  void PutName(char c, std::string_view name) {
    char* to = Room(name.size() + 4);
    *to++ = c;
    *to++ = '"';
    name.copy(to, name.size());
    to += name.size();
    *to++ = '"';
    *to++ = ':';
    at_ = to;
  }
  void PutInt(int64_t number) {
    constexpr size_t kDigitsMax = 20;
    char* to = Room(kDigitsMax);
    at_ = std::to_chars(to, to + kDigitsMax, number).ptr;
  }
  void PutQuoted(std::string_view text) {
    char* to = Room(text.size() + 2);
    *to++ = '"';
    if (!CopyUnlessEscaped(to, text.data(), text.size())) return PutEscaped(text);
    to += text.size();
    *to++ = '"';
    at_ = to;
  }

 private:
  size_t Size() const { return static_cast<size_t>(at_ - out_.data()); }
  char* Room(size_t size) {
    if (static_cast<size_t>(end_ - at_) < size) [[unlikely]]
      Grow(size);
    return at_;
  }
  void Grow(size_t size);
  void PutEscaped(std::string_view text);

  std::string& out_;
  char* at_;   // in out_, which is longer
  char* end_;  // of out_
};

void Output::Grow(size_t size) {
  constexpr size_t kAtOnce = 512;
  const size_t used = Size();
  out_.resize_and_overwrite(2 * (used + size) + kAtOnce, [](char*, size_t all) { return all; });
  at_ = out_.data() + used;
  end_ = out_.data() + out_.size();
}

void Output::PutEscaped(std::string_view text) {
  Put('"');
  EscapeJson(text, JsonEscapes::kWeb, [this](std::string_view piece) { Put(piece); });
  Put('"');
}

class JsonEncoder {
 public:
  JsonEncoder(std::string& out, Wire wire) : out_(out), wire_(wire) {}

  Output& out() { return out_; }

  void Members(const Type& type, const void* value, char& separator) {
    const uint64_t filled = type.fields.empty() ? 0 : type.filled(value);
    for (uint64_t left = filled | type.always; left != 0; left &= left - 1) {
      const auto index = static_cast<size_t>(std::countr_zero(left));
      const Field& field = type.fields[index];
      const void* member = field.of(value);
      if (!field.usual && !field.IsOn(wire_)) continue;
      if (field.facets.inlined) {
        Members(field.type(), member, separator);
        continue;
      }
      const bool is_filled = (filled >> index & 1U) != 0;
      if (!field.left_out && IsOmitted(field, member, is_filled, wire_.release)) continue;
      out_.PutName(std::exchange(separator, ','), field.name);
      if (is_filled && field.type().kind == TypeKind::kOptional) {
        Value(field.type().element(), field.type().container->at(member, 0));
      } else {
        Value(field.type(), member);
      }
    }
  }

  void Value(const Type& type, const void* value) {
    switch (type.kind) {
      case TypeKind::kBool: return out_.Put(ValueAs<bool>(value) ? "true" : "false");
      case TypeKind::kInt32: return out_.PutInt(ValueAs<int32_t>(value));
      case TypeKind::kInt64: return out_.PutInt(ValueAs<int64_t>(value));
      case TypeKind::kDouble: return out_.Put(FormatJsonDouble(ValueAs<double>(value)));
      case TypeKind::kString: return out_.PutQuoted(ValueAs<std::string>(value));
      case TypeKind::kBytes: return out_.PutQuoted(EncodeBase64(ValueAs<Bytes>(value).bytes));
      case TypeKind::kQuantity: return out_.PutQuoted(ValueAs<Quantity>(value).ToString());
      case TypeKind::kTime: return Moment(ValueAs<Time>(value));
      case TypeKind::kMicroTime: return Moment(ValueAs<MicroTime>(value));
      case TypeKind::kDuration: return out_.PutQuoted(ValueAs<Duration>(value).ToString());
      case TypeKind::kIntOrString: return NumberOrText(ValueAs<IntOrString>(value));
      case TypeKind::kRawJson: return Raw(ValueAs<RawJson>(value));
      case TypeKind::kOptional:
        if (type.container->size(value) == 0) return out_.Put("null");
        return Value(type.element(), type.container->at(value, 0));
      case TypeKind::kList: return List(type, value);
      case TypeKind::kMap: return Map(type, value);
      case TypeKind::kStruct: return Struct(type, value);
    }
  }

 private:
  void Struct(const Type& type, const void* value) {
    if (type.one_form) [[unlikely]]
      return OneForm(type, value);
    char separator = '{';
    Members(type, value, separator);
    out_.Put(separator == '{' ? "{}" : "}");
  }

  void OneForm(const Type& type, const void* value) {
    const auto first = static_cast<size_t>(std::countr_zero(type.filled(value)));
    const Field& field = type.fields[std::min(first, type.fields.size() - 1)];
    Value(field.type(), field.of(value));
  }

  void List(const Type& type, const void* value) {
    const size_t size = type.container->size(value);
    if (size == 0) return out_.Put(type.container->present(value) ? "[]" : "null");
    const Type& element = type.element();
    for (size_t i = 0; i < size; ++i) {
      out_.Put(i == 0 ? '[' : ',');
      Value(element, type.container->at(value, i));
    }
    out_.Put(']');
  }

  void Map(const Type& type, const void* value) {
    const size_t size = type.container->size(value);
    if (size == 0) return out_.Put("null");
    const Type& element = type.element();
    for (size_t i = 0; i < size; ++i) {
      out_.Put(i == 0 ? '{' : ',');
      out_.PutQuoted(type.container->key(value, i));
      out_.Put(':');
      Value(element, type.container->at(value, i));
    }
    out_.Put('}');
  }

  void Raw(const RawJson& value) {
    if (value.is_compact()) {
      out_.Put(value.bytes());
    } else {
      out_.Put(value.compact());
    }
  }

  template <class T>
  void Moment(const T& time) {
    if (time.IsZero()) {
      out_.Put("null");
    } else {
      out_.PutQuoted(time.text());
    }
  }

  void NumberOrText(const IntOrString& value) {
    if (value.is_string()) {
      out_.PutQuoted(value.text());
    } else {
      out_.PutInt(value.number());
    }
  }

  Output out_;
  Wire wire_;
};

}  // namespace

bool IsOmitted(const Field& field, const void* member, bool is_filled, Release release) {
  const Facets& facets = field.facets;
  const Type& type = field.type();
  if (facets.required && !facets.omit_empty) return false;
  if (facets.nullable.Rules(release)) return false;
  if (facets.plain.Rules(release)) {  // an optional that is none in this release
    if (type.element().kind == TypeKind::kRawJson) return false;
    return !is_filled || IsZero(type.element(), type.container->at(member, 0));
  }
  return facets.omit_zero ? IsZero(type, member) : !is_filled;
}

void QuoteJson(std::string_view text, std::string& out) {
  AppendJsonString(text, JsonEscapes::kWeb, out);
}

void EncodeJson(const Type& type, const void* value, std::string& out, Wire wire) {
  JsonEncoder(out, wire).Value(type, value);
}

namespace {

struct Names {
  std::string_view kind;
  std::string_view api_version;
};

void EncodeWhole(
    const Names& names, const Type& type, const void* value, std::string& out, Wire wire) {
  JsonEncoder encoder(out, wire);
  char separator = '{';
  const auto put = [&](std::string_view name, std::string_view text) {
    if (text.empty()) return;
    encoder.out().PutName(std::exchange(separator, ','), name);
    encoder.out().PutQuoted(text);
  };
  put("kind", names.kind);
  put("apiVersion", names.api_version);
  encoder.Members(type, value, separator);
  encoder.out().Put(separator == '{' ? "{}" : "}");
}

}  // namespace

void EncodeJson(
    const TypeMeta& meta, const Type& type, const void* value, std::string& out, Wire wire) {
  EncodeWhole({.kind = meta.kind, .api_version = meta.api_version}, type, value, out, wire);
}

void EncodeJson(const Object& object, std::string& out, Wire wire) {
  const KindInfo& kind = object.kind();
  if (IsCustom(kind)) return EncodeCustom(object, out);
  EncodeWhole({.kind = kind.kind, .api_version = kind.api_version},
              object.type(),
              object.value(),
              out,
              wire);
}

void EncodeJson(const Type& type, const void* value, JsonWriter& json, Wire wire) {
  json.Encoded([&](std::string& out) { EncodeJson(type, value, out, wire); });
}

void EncodeJson(const Object& object, JsonWriter& json, Wire wire) {
  json.Encoded([&](std::string& out) { EncodeJson(object, out, wire); });
}

std::string ToJson(const Object& object, Wire wire) {
  ScratchText text;
  EncodeJson(object, *text, wire);
  return *text;  // no longer than it is: many are kept
}

std::string PrettyJson(std::string_view json) {
  const size_t size_max = kIndentedMin + kIndentedPerByte * json.size();
  std::string out;
  size_t depth = 0;
  bool in_string = false;
  const auto line = [&] { out.append("\n").append(2 * depth, ' '); };
  for (size_t i = 0; i < json.size(); ++i) {
    if (out.size() > size_max) return std::string(json);
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

}  // namespace dray::api::inline codec
