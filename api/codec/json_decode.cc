// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "api/codec/custom_json.h"
#include "api/codec/decode_budget.h"
#include "api/codec/json.h"
#include "api/codec/json_place.h"
#include "api/codec/json_reader.h"
#include "api/codec/json_said.h"
#include "api/codec/value_as.h"
#include "api/text/go_quote.h"
#include "base/text/base64.h"
#include "base/try.h"

namespace dray::api::inline codec {
namespace {

/// The first fields of a struct are tracked as bits.
constexpr size_t kMetBits = 64;

/// The index of a field that the struct has itself; kMetBits or more if there is none. Documents
/// have them in the order of the schema more often than not, so the search begins at `next`.
inline size_t FindOwn(const Type& type, std::string_view name, size_t next, Wire wire) {
  const std::span<const Field> fields = type.fields;
  const auto is = [&](const Field& field) {
    return field.name == name && (field.usual || (!field.facets.inlined && field.IsOn(wire)));
  };
  for (size_t i = next; i < fields.size(); ++i) {
    if (is(fields[i])) return i;
  }
  for (size_t i = 0; i < std::min(next, fields.size()); ++i) {
    if (is(fields[i])) return i;
  }
  return kMetBits;
}

/// A field found by its JSON name, and the struct (perhaps an inlined one) it belongs to.
struct FoundMember {
  const Field* field = nullptr;
  void* object = nullptr;
};

FoundMember FindMember(const Type& type, void* object, std::string_view name, Wire wire) {
  for (const Field& field : type.fields) {
    if (!field.IsOn(wire)) continue;
    if (!field.facets.inlined) {
      if (field.name == name) return {&field, object};
      continue;
    }
    const FoundMember inner = FindMember(field.type(), MutableMember(field, object), name, wire);
    if (inner.field != nullptr) return inner;
  }
  return {};
}

// Limit of the bytes of issues formatted for one document, most of which may be reported already.
constexpr size_t kIssueBytesMin = 1U << 20U;
constexpr size_t kIssueBytesPerByte = 2;

/// Whether a map's keys come in order, and which come twice.
class MetKeys {
 public:
  bool is_sorted() const { return !keys_.has_value(); }

  /// Notes that `key` comes next; `map` has the earlier keys. Returns whether the key occurred
  /// before, which is determined only if `tell`. The key's text must stay valid.
  bool Meet(const Type& type, const void* map, std::string_view key, bool tell) {
    if (is_sorted() && (last_.data() == nullptr || IsBefore(last_, key))) {
      last_ = key;
      return false;
    }
    if (is_sorted()) {
      keys_.emplace();
      for (size_t i = 0; tell && i < type.container->size(map); ++i) {
        keys_->emplace(type.container->key(map, i));
      }
    }
    // The set was made above, because `tell` holds.
    return tell && !keys_->emplace(key).second;
  }

 private:
  static bool IsBefore(std::string_view a, std::string_view b) {
    if (a.empty() || b.empty() || a[0] == b[0]) return a < b;
    return static_cast<unsigned char>(a[0]) < static_cast<unsigned char>(b[0]);
  }

  std::string_view last_;
  std::optional<std::set<std::string, std::less<>>> keys_;
};

/// One walk over a document.
class JsonDecoder {
 public:
  /// `said`, if not null, gets kind and apiVersion of the document.
  JsonDecoder(std::string_view json,
              std::string_view root,
              DecodeIssues* issues,
              Wire wire,
              bool is_converted,
              TypeMeta* said = nullptr)
      : reader_(json),
        root_(root),
        issues_(issues),
        wire_(wire),
        size_(json.size()),
        budget_(json.size(), wire, is_converted),
        issue_bytes_left_(kIssueBytesMin + kIssueBytesPerByte * json.size()),
        said_(said) {}

  Result<> Run(const Type& type, void* value, bool has_type_meta) {
    if (type.kind != TypeKind::kStruct) {
      Value(type, value);
    } else if (reader_.Peek() == JsonKind::kNull) {
      reader_.Null();
    } else if (Expect(JsonKind::kObject, type)) {
      Struct(type, value, has_type_meta);
    }
    if (!mismatch_.empty()) return Fail(StatusReason::kBadRequest, std::move(mismatch_));
    if (!reader_.Finish()) return Fail(reader_.error());
    return {};
  }

 private:
  void Refuse(std::string message) {
    if (reader_.failed()) return;
    mismatch_ = std::move(message);
    reader_.Stop();
  }

  [[gnu::noinline]] void Mismatch(std::string_view found, std::string_view wanted) {
    Refuse(fmt::format("json: cannot unmarshal {} into Go struct field {}.{} of type {}",
                       found,
                       root_,
                       PathOf(place_),
                       wanted));
  }

  [[gnu::noinline]] void Issue(std::string_view what, std::string_view name) {
    if (issues_ == nullptr || issues_->size() >= kDecodeIssuesMax || issue_bytes_left_ == 0) return;
    const JsonPlace place{.outer = place_, .name = name};
    std::string issue = fmt::format("{} field {}", what, GoQuote(PathOf(&place)));
    issue_bytes_left_ -= std::min(issue_bytes_left_, issue.size());
    if (std::ranges::find(*issues_, issue) == issues_->end()) issues_->push_back(std::move(issue));
  }

  bool Spend(size_t size) {
    if (budget_.Spend(size)) return true;
    RefuseSize();
    return false;
  }
  [[gnu::noinline]] void RefuseSize() {
    Refuse(fmt::format("json: {} takes too much memory when decoded", PathOf(place_)));
  }

  /// True when the next value begins as values of `kind` do; notes the mismatch otherwise.
  bool Expect(JsonKind kind, const Type& type) {
    if (reader_.Peek() == kind) [[likely]]
      return true;
    NoteMismatch(type);
    return false;
  }

  [[gnu::noinline]] void NoteMismatch(const Type& type) {
    const JsonKind found = reader_.Peek();
    if (found == JsonKind::kInvalid) {
      reader_.Skip();  // makes the reader report the error
    } else {
      Mismatch(JsonKindName(found), type.name);
    }
  }

  void Value(const Type& type, void* value) {
    if (reader_.NextIs('n')) [[unlikely]] {
      reader_.Null();
      Clear(type, value);
      return;
    }
    switch (type.kind) {
      case TypeKind::kString: return String(type, ValueAs<std::string>(value));
      case TypeKind::kOptional: return Optional(type.element(), type, value);
      case TypeKind::kList: return List(type, value);
      case TypeKind::kMap: return ReadMap(type, value);
      case TypeKind::kStruct:
        if (type.one_form) return OneForm(type, value);
        if (Expect(JsonKind::kObject, type)) Struct(type, value, false);
        return;
      case TypeKind::kBool:
        if (Expect(JsonKind::kBool, type)) ValueAs<bool>(value) = reader_.Bool();
        return;
      case TypeKind::kInt32: return Integer(type, ValueAs<int32_t>(value));
      case TypeKind::kInt64: return Integer(type, ValueAs<int64_t>(value));
      default: return Parsed(type, value);
    }
  }

  // The types with a syntax of their own. Apart from the others, which need no room for results.
  [[gnu::noinline]] void Parsed(const Type& type, void* value) {
    switch (type.kind) {
      case TypeKind::kDouble: return Double(type, ValueAs<double>(value));
      case TypeKind::kBytes: return Base64(type, value);
      case TypeKind::kQuantity: return ReadQuantity(type, value);
      case TypeKind::kTime: return Text<Time>(type, value);
      case TypeKind::kMicroTime: return Text<MicroTime>(type, value);
      case TypeKind::kDuration: return Text<Duration>(type, value);
      case TypeKind::kIntOrString: return ReadIntOrString(type, value);
      case TypeKind::kRawJson:
        ValueAs<RawJson>(value) = RawJson(std::string(reader_.Skip()));
        return;
      default: return;  // Value() reads the others
    }
  }

  // The usual ones without a detour over tables.
  void Optional(const Type& element, const Type& type, void* value) {
    if (&type == &Reflected<std::optional<std::string>>::kType) {
      String(element, ValueAs<std::optional<std::string>>(value).emplace());
    } else if (&type == &Reflected<std::optional<int64_t>>::kType) {
      Integer(element, ValueAs<std::optional<int64_t>>(value).emplace());
    } else if (&type == &Reflected<std::optional<bool>>::kType) {
      if (Expect(JsonKind::kBool, element)) ValueAs<std::optional<bool>>(value) = reader_.Bool();
    } else {
      Value(element, type.container->add(value, {}));
    }
  }

  void String(const Type& type, std::string& text) {
    if (!reader_.NextIs('"')) return NoteMismatch(type);
    reader_.String(text);
  }

  template <class T>
  void Integer(const Type& type, T& number) {
    if (!Expect(JsonKind::kNumber, type)) return;
    const std::string_view text = reader_.Number();
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size()) {
      RefuseNumber(text, type);
    }
  }
  void Double(const Type& type, double& number) {
    if (!Expect(JsonKind::kNumber, type)) return;
    const std::string_view text = reader_.Number();
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    // A number that is too small becomes zero.
    if (read.ec != std::errc()) number = std::strtod(std::string(text).c_str(), nullptr);
    if (!std::isfinite(number)) RefuseNumber(text, type);
  }
  [[gnu::noinline]] void RefuseNumber(std::string_view text, const Type& type) {
    Mismatch(fmt::format("number {}", text), type.name);
  }

  /// Keeps the result or the error of a type's own Parse.
  template <class T>
  void Take(Result<T> parsed, void* value) {
    if (parsed) {
      ValueAs<T>(value) = *std::move(parsed);
    } else {
      Refuse(std::move(parsed.error().message));
    }
  }

  /// The text of a string, or nothing.
  std::string_view TextOf(const Type& type) {
    std::string_view text;
    if (Expect(JsonKind::kString, type)) reader_.String(scratch_, text);
    return text;
  }

  template <class T>
  void Text(const Type& type, void* value) {
    const std::string_view text = TextOf(type);
    if (!reader_.failed()) Take(T::Parse(text), value);
  }

  void Base64(const Type& type, void* value) {
    const std::string_view text = TextOf(type);
    if (reader_.failed()) return;
    std::optional<std::string> bytes = DecodeBase64(text);
    if (!bytes) return Refuse("illegal base64 data at " + PathOf(place_));
    ValueAs<Bytes>(value).bytes = *std::move(bytes);
  }

  void ReadQuantity(const Type& type, void* value) {
    const bool is_number = reader_.Peek() == JsonKind::kNumber;
    const std::string_view text = is_number ? reader_.Number() : TextOf(type);
    if (!reader_.failed()) Take(Quantity::ParseTrimmed(text), value);
  }

  void ReadIntOrString(const Type& type, void* value) {
    if (reader_.Peek() == JsonKind::kNumber) {
      int32_t number = 0;
      Integer(type, number);
      ValueAs<IntOrString>(value) = IntOrString(number);
    } else {
      ValueAs<IntOrString>(value) = IntOrString(std::string(TextOf(type)));
    }
  }

  void List(const Type& type, void* value) {
    if (!Expect(JsonKind::kArray, type)) return;
    const Type& element = type.element();
    Clear(type, value);
    type.container->set_present(value);
    reader_.EnterArray();
    JsonPlace here{.outer = std::exchange(place_, &here), .name = {}};
    const size_t start = reader_.offset();
    for (; reader_.NextElement(); ++here.index) {
      if (here.index == 0) budget_.ReserveAsBefore(type, value);
      if (here.index == kManyElements) [[unlikely]] {
        const size_t at = reader_.offset();
        budget_.ReserveRest(type, value, element.size, at - start, size_ - at);
      }
      if (Spend(element.size)) Element(element, type.container->add(value, {}));
    }
    budget_.Remember(type, here.index);
    place_ = here.outer;
  }

  void ReadMap(const Type& type, void* value) {
    if (!Expect(JsonKind::kObject, type)) return;
    const Type& element = type.element();
    Clear(type, value);
    reader_.EnterObject();
    JsonPlace here{.outer = std::exchange(place_, &here), .name = {}};
    const size_t entry_size = sizeof(std::string) + element.size;
    const size_t start = reader_.offset();
    MetKeys met;
    while (reader_.NextKey(here.name)) {
      if (met.Meet(type, value, here.name, issues_ != nullptr)) Duplicate(here);
      if (here.index == 0) budget_.ReserveAsBefore(type, value);
      if (here.index++ == kManyElements) [[unlikely]] {
        const size_t at = reader_.offset();
        budget_.ReserveRest(type, value, entry_size, at - start, size_ - at);
      }
      if (!Spend(entry_size)) break;
      Element(element, type.container->append(value, here.name));
    }
    if (!met.is_sorted()) type.container->settle(value);
    budget_.Remember(type, here.index);
    place_ = here.outer;
  }

  void Element(const Type& type, void* value) {
    if (type.kind == TypeKind::kStruct && reader_.NextIs('{') && !type.one_form) {
      Struct(type, value, false);
    } else {
      Value(type, value);
    }
  }

  // Reads a struct that is written as one of its members (json=first): the member that has the form
  // of the value. Upstream ignores values of other forms, except where a bool is allowed.
  [[gnu::noinline]] void OneForm(const Type& type, void* value) {
    Clear(type, value);
    const JsonKind found = reader_.Peek();
    const Field* chosen = nullptr;
    const Field* flag = nullptr;
    for (const Field& field : type.fields) {
      const TypeKind kind = field.type().kind;
      const JsonKind form = kind == TypeKind::kList   ? JsonKind::kArray
                            : kind == TypeKind::kBool ? JsonKind::kBool
                                                      : JsonKind::kObject;
      if (form == found) chosen = &field;
      if (kind == TypeKind::kBool) flag = &field;
    }
    if (chosen != nullptr) {
      if (flag != nullptr) ValueAs<bool>(MutableMember(*flag, value)) = true;
      return Value(chosen->type(), MutableMember(*chosen, value));
    }
    if (found == JsonKind::kInvalid || flag == nullptr) {
      reader_.Skip();
    } else {
      Refuse("boolean or JSON schema expected");
    }
  }

  void Struct(const Type& type, void* value, bool has_type_meta) {
    if (nested_ == kNestedStructsMax) [[unlikely]]
      return Refuse(fmt::format("json: {} is nested too deep", PathOf(place_)));
    ++nested_;
    reader_.EnterObject();
    JsonPlace here{.outer = std::exchange(place_, &here), .name = {}};
    const uint64_t visit = ++visits_;
    uint64_t met = 0;  // bit i: fields[i]
    size_t next = 0;   // the field that is expected
    while (reader_.NextKey(here.name)) {
      if (has_type_meta && (here.name == "kind" || here.name == "apiVersion")) {
        TypeMetaMember(here, visit);
        continue;
      }
      const size_t own = FindOwn(type, here.name, next, wire_);
      if (own < kMetBits) [[likely]] {
        const uint64_t bit = uint64_t{1} << own;
        if ((std::exchange(met, met | bit) & bit) != 0) Duplicate(here);
        next = own + 1;
        Member(type.fields[own], value);
        continue;
      }
      const FoundMember found = FindMember(type, value, here.name, wire_);
      if (found.field == nullptr) {
        place_ = here.outer;
        Issue("unknown", here.name);
        place_ = &here;
        reader_.Skip();
        continue;
      }
      if (MeetAgain(visit, found.field)) Duplicate(here);
      Member(*found.field, found.object);
    }
    place_ = here.outer;
    --nested_;
  }

  // For names that are no fields of the struct itself: whether this object had the name before.
  bool MeetAgain(uint64_t visit, const void* field) { return !met_.emplace(visit, field).second; }

  void Member(const Field& field, void* object) {
    const Type& type = field.type();
    void* member = MutableMember(field, object);
    std::string_view text;
    if (&type == &Reflected<std::optional<std::string>>::kType && reader_.PlainString(text)) {
      ValueAs<std::optional<std::string>>(member).emplace(
          text);  // most of all; no need to look further
    } else {
      Element(type, member);  // a struct that comes twice merges into the first, as in Go
    }
    if (field.usual || !field.facets.plain.Rules(wire_.release)) return;
    // In this release the member could not be absent, so its zero means absent here.
    const bool is_set = type.container->size(member) != 0;
    if (is_set && IsZero(type.element(), type.container->at(member, 0))) {
      type.container->clear(member);
    }
  }

  void Duplicate(const JsonPlace& here) {
    place_ = here.outer;
    Issue("duplicate", here.name);
    place_ = &here;
  }

  void TypeMetaMember(const JsonPlace& here, uint64_t visit) {
    const bool is_kind = here.name == "kind";
    if (MeetAgain(visit, is_kind ? &kKindMark : &kVersionMark)) Duplicate(here);
    const JsonKind found = reader_.Peek();
    if (found == JsonKind::kString && said_ != nullptr) {
      reader_.String(is_kind ? said_->kind : said_->api_version);
    } else if (found == JsonKind::kString || found == JsonKind::kNull ||
               found == JsonKind::kInvalid) {
      reader_.Skip();
    } else {
      Mismatch(JsonKindName(found), "string");
    }
  }

  static constexpr char kKindMark = 0;
  static constexpr char kVersionMark = 0;

  JsonReader reader_;
  std::string_view root_;
  DecodeIssues* issues_;
  Wire wire_;
  size_t size_;  // of the document
  DecodeBudget budget_;
  const JsonPlace* place_ = nullptr;
  uint64_t visits_ = 0;  // number of objects begun
  size_t nested_ = 0;    // and not yet ended
  std::set<std::pair<uint64_t, const void*>>
      met_;  // of an object: inlined fields, kind, apiVersion
  std::string scratch_;
  std::string mismatch_;
  size_t issue_bytes_left_;  // for formatting issues, including those that were reported already
  TypeMeta* said_;
};

}  // namespace

Result<TypeMeta> ReadTypeMeta(std::string_view json) {
  JsonReader reader(json);
  TypeMeta meta;
  std::string_view key;
  if (reader.Peek() != JsonKind::kObject && reader.Peek() != JsonKind::kInvalid) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("json: cannot unmarshal {} into an object with kind and apiVersion",
                            JsonKindName(reader.Peek())));
  }
  reader.EnterObject();
  while (reader.NextKey(key)) {
    std::string* member = key == "kind"         ? &meta.kind
                          : key == "apiVersion" ? &meta.api_version
                                                : nullptr;
    if (member != nullptr && reader.Peek() == JsonKind::kString) {
      reader.String(*member);
    } else if (member != nullptr && reader.Peek() != JsonKind::kNull &&
               reader.Peek() != JsonKind::kInvalid) {
      return Fail(StatusReason::kBadRequest,
                  fmt::format("json: cannot unmarshal {} into the field {} of type string",
                              JsonKindName(reader.Peek()),
                              key));
    } else {
      reader.Skip();
    }
  }
  if (!reader.Finish()) return Fail(reader.error());
  return meta;
}

Result<> DecodeJson(
    const Type& type, std::string_view json, void* value, DecodeIssues* issues, Wire wire) {
  return JsonDecoder(json, type.name, issues, wire, false).Run(type, value, false);
}

Result<Object> DecodeJson(const KindInfo& kind,
                          std::string_view json,
                          DecodeIssues* issues,
                          Wire wire) {
  if (const CustomKind* custom = CustomOf(kind); custom != nullptr) {
    return DecodeCustom(*custom, json, issues, wire, nullptr);
  }
  Object object = Object::Make(kind);
  DRAY_TRY_VOID(JsonDecoder(json, kind.kind, issues, wire, IsConverted(kind))
                    .Run(object.type(), object.mutable_value(), true));
  return object;
}

Result<Object> DecodeJson(
    const KindInfo& kind, std::string_view json, DecodeIssues* issues, Wire wire, TypeMeta& said) {
  if (const CustomKind* custom = CustomOf(kind); custom != nullptr) {
    return DecodeCustom(*custom, json, issues, wire, &said);
  }
  Object object = Object::Make(kind);
  DRAY_TRY_VOID(JsonDecoder(json, kind.kind, issues, wire, IsConverted(kind), &said)
                    .Run(object.type(), object.mutable_value(), true));
  return object;
}

}  // namespace dray::api::inline codec
