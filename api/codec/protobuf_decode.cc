// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/codec/decode_budget.h"
#include "api/codec/json_reader.h"
#include "api/codec/protobuf.h"
#include "api/codec/protobuf_outline.h"
#include "api/codec/protobuf_wire.h"
#include "api/codec/value_as.h"
#include "base/text/text_scan.h"
#include "base/try.h"

namespace dray::api::inline codec {
namespace {

constexpr int32_t kNanosMax = 999'999'999;

/// Finds fields by number. Writers sort them, so the field after the last one is tried first.
class FieldFinder {
 public:
  explicit FieldFinder(const Type& type) : type_(type) {}

  /// Null when the struct has no such field.
  const Field* Find(uint32_t number) {
    const auto numbers = type_.by_number;
    for (size_t i = next_; i < std::min(next_ + 2, numbers.size()); ++i) {
      const Field& field = type_.fields[numbers[i]];
      if (field.number != number) continue;
      next_ = i;
      return &field;
    }
    const auto number_of = [&](uint16_t index) { return type_.fields[index].number; };
    const auto at = std::ranges::lower_bound(numbers, number, std::ranges::less(), number_of);
    if (at == numbers.end() || number_of(*at) != number) return nullptr;
    next_ = static_cast<size_t>(at - numbers.begin());
    return &type_.fields[*at];
  }

 private:
  const Type& type_;
  size_t next_ = 0;  // in by_number
};

/// One walk over a message. The path of a mistake is put together on the way back from it.
class ProtobufDecoder {
 public:
  ProtobufDecoder(std::string_view text, Wire wire, bool is_converted)
      : reader_(text), wire_(wire), budget_(text.size(), wire, is_converted) {}

  /// Leaves structs of the type `part` empty, and puts their messages into `parts`.
  void LeaveOut(const Type& part, std::vector<std::string_view>& parts) {
    part_ = &part;
    parts_ = &parts;
  }

  Result<> Run(const Type& type, void* value) {
    Message(type, value);
    SettleMapsFrom(0);
    if (reader_.failed()) return Fail(reader_.error(path_));
    return {};
  }

  void Message(const Type& type, void* value) {
    FieldFinder finder(type);
    bool has_maps = false;
    while (!reader_.AtEnd()) {
      const char* const start = reader_.at();
      const WireTag tag = reader_.Tag();
      const Field* field = finder.Find(tag.number);
      if (field == nullptr || (!field->usual && !field->IsOn(wire_))) {
        if (!reader_.failed()) reader_.Skip(tag);
        continue;
      }
      const size_t settled = unsettled_.size();
      Member(field->type(), tag, start, MutableMember(*field, value));
      if (!field->usual && field->facets.plain.Rules(wire_.release)) {
        SettleMapsFrom(settled);
        Unset(*field, value);
      }
      if (reader_.failed()) return Descended(field->name);
      has_maps |= field->type().kind == TypeKind::kMap;
    }
    if (has_maps) NoteUnsettled(type, value);
  }

 private:
  // For a field that could not be absent in this release: its zero means absent here.
  static void Unset(const Field& field, void* object) {
    void* member = MutableMember(field, object);
    const Type& type = field.type();
    const bool is_set = type.container->size(member) != 0;
    if (is_set && IsZero(type.element(), type.container->at(member, 0))) {
      type.container->clear(member);
    }
  }

  // A message that occurs again is merged into the earlier one. Sorting its maps costs their size,
  // so they are sorted once, when the enclosing message is complete. Until then it does not move.
  void NoteUnsettled(const Type& type, void* object) {
    const std::pair<const Type*, void*> noted(&type, object);
    if (std::ranges::find(unsettled_, noted) == unsettled_.end()) unsettled_.push_back(noted);
  }

  void SettleMapsFrom(size_t first) {
    if (unsettled_.size() != first) SettleNotedFrom(first);
  }

  // Apart from the question whether there are any, which every entry of a map asks.
  [[gnu::noinline]] void SettleNotedFrom(size_t first) {
    for (size_t i = first; i < unsettled_.size(); ++i) {
      for (const Field& field : unsettled_[i].first->fields) {
        if (field.type().kind != TypeKind::kMap) continue;
        field.type().container->settle(MutableMember(field, unsettled_[i].second));
      }
    }
    unsettled_.resize(first);
  }

  void Descended(std::string_view name) {
    const bool is_index = path_.empty() || path_.front() == '[';
    path_ = fmt::format("{}{}{}", name, is_index ? "" : ".", path_);
  }

  bool Spend(size_t bytes) {
    if (budget_.Spend(bytes)) return true;
    reader_.Fail("takes too much memory when decoded");
    return false;
  }

  void Member(const Type& type, WireTag tag, const char* start, void* member) {
    switch (type.kind) {
      case TypeKind::kOptional: return Optional(type, tag, start, member);
      case TypeKind::kList: return List(type, tag, start, member);
      case TypeKind::kMap: return Map(type, tag, start, member);
      default: return Single(type, tag, start, member);
    }
  }

  void Optional(const Type& type, WireTag tag, const char* start, void* member) {
    const Type& element = type.element();
    if (&type == &Reflected<std::optional<std::string>>::kType && tag.type == WireType::kBytes) {
      ValueAs<std::optional<std::string>>(member).emplace(Utf8Bytes());  // most of all
    } else if (&type == &Reflected<std::optional<int64_t>>::kType &&
               tag.type == WireType::kVarint) {
      Number(element, &ValueAs<std::optional<int64_t>>(member).emplace());
    } else {  // a message is merged into the one before
      const bool is_set = type.container->size(member) != 0;
      void* value = is_set ? type.container->own(member, 0) : type.container->add(member, {});
      Single(element, tag, start, value);
    }
  }

  void Single(const Type& type, WireTag tag, const char* start, void* value) {
    switch (type.kind) {
      case TypeKind::kBool:
      case TypeKind::kInt32:
      case TypeKind::kInt64:
        if (reader_.Expect(tag, WireType::kVarint, start)) Number(type, value);
        return;
      case TypeKind::kDouble:
        if (reader_.Expect(tag, WireType::kFixed64, start))
          ReadDouble(start, ValueAs<double>(value));
        return;
      case TypeKind::kString:
        if (reader_.Expect(tag, WireType::kBytes, start)) ValueAs<std::string>(value) = Utf8Bytes();
        return;
      case TypeKind::kBytes:
        if (reader_.Expect(tag, WireType::kBytes, start))
          ValueAs<Bytes>(value).bytes = reader_.Bytes();
        return;
      default: break;
    }
    if (!reader_.Expect(tag, WireType::kBytes, start)) return;
    const char* const outer = reader_.Open();
    if (!reader_.failed()) Content(type, value);
    reader_.Close(outer);
  }

  // Wider numbers lose their upper bits, as in Go.
  void Number(const Type& type, void* value) {
    const uint64_t bits = reader_.Varint();
    if (type.kind == TypeKind::kBool) {
      ValueAs<bool>(value) = bits != 0;
    } else if (type.kind == TypeKind::kInt32) {
      ValueAs<int32_t>(value) = static_cast<int32_t>(bits);
    } else {
      ValueAs<int64_t>(value) = static_cast<int64_t>(bits);
    }
  }

  // JSON has no others.
  void ReadDouble(const char* start, double& number) {
    number = std::bit_cast<double>(reader_.Fixed64());
    if (!std::isfinite(number)) reader_.FailAt(start, "no finite number");
  }

  std::string_view Utf8Bytes() {
    const std::string_view bytes = reader_.Bytes();
    const char* const end = bytes.data() + bytes.size();
    // NOLINTBEGIN(bugprone-suspicious-stringview-data-usage): both are given where the bytes begin
    if (FindNonAscii(bytes.data(), end) != end && !IsUtf8(bytes)) {
      reader_.FailAt(bytes.data(), "invalid UTF-8");
    }
    // NOLINTEND(bugprone-suspicious-stringview-data-usage)
    return bytes;
  }

  // Reads the contents of a message that has been entered.
  void Content(const Type& type, void* value) {
    switch (type.kind) {
      case TypeKind::kStruct:
        if (&type == part_) return parts_->push_back(reader_.Rest());
        return Message(type, value);
      case TypeKind::kQuantity: return ReadQuantity(ValueAs<Quantity>(value));
      case TypeKind::kTime: return ReadTime(ValueAs<Time>(value));
      case TypeKind::kMicroTime: return ReadMicroTime(ValueAs<MicroTime>(value));
      case TypeKind::kDuration: return ReadDuration(ValueAs<Duration>(value));
      case TypeKind::kIntOrString: return ReadIntOrString(ValueAs<IntOrString>(value));
      case TypeKind::kRawJson: return ReadRawJson(ValueAs<RawJson>(value));
      case TypeKind::kList:  // as the value of a map: upstream's ExtraValue
        return reader_.ForEachField([&](WireTag tag, const char* start) {
          if (tag.number == 1) List(type, tag, start, value);
          return tag.number == 1;
        });
      default: return reader_.Fail("no message is expected");
    }
  }

  // ------------------------------------------------------------------------- lists and maps

  void List(const Type& type, WireTag tag, const char* start, void* list) {
    const Type& element = type.element();
    const bool is_number = element.kind == TypeKind::kBool || element.kind == TypeKind::kInt32 ||
                           element.kind == TypeKind::kInt64;
    if (is_number && tag.type == WireType::kBytes) return Packed(type, list);
    const size_t index = type.container->size(list);
    if (!Spend(element.size)) return;
    if (index == 0) budget_.Reserve(type, list, reader_.CountRun(tag, start));
    const size_t settled = unsettled_.size();
    Single(element, tag, start, type.container->add(list, {}));
    SettleMapsFrom(settled);
    if (reader_.failed()) Descended(fmt::format("[{}]", index));
  }

  // Numbers without tags of their own, as newer writers put them.
  void Packed(const Type& type, void* list) {
    const char* const outer = reader_.Open();
    while (!reader_.AtEnd()) {
      if (Spend(type.element().size)) Number(type.element(), type.container->add(list, {}));
    }
    reader_.Close(outer);
  }

  void Map(const Type& type, WireTag tag, const char* start, void* map) {
    if (!reader_.Expect(tag, WireType::kBytes, start)) return;
    const Type& element = type.element();
    if (!Spend(sizeof(std::string) + element.size)) return;
    if (std::exchange(last_map_, map) != map && type.container->size(map) == 0) {
      budget_.Reserve(type, map, reader_.CountRun(tag, start));
    }
    const char* const outer = reader_.Open();
    const std::string_view key = KeyOfEntry();
    if (!reader_.failed()) {
      void* value = type.container->append(map, key);
      const size_t settled = unsettled_.size();
      reader_.ForEachField([&](WireTag inner, const char* at) {
        if (inner.number == 2) Single(element, inner, at, value);
        return inner.number == 2;
      });
      SettleMapsFrom(settled);
      if (reader_.failed()) Descended(fmt::format("[{}]", key));
    }
    reader_.Close(outer);
  }

  // The key of the entry that was opened. Goes behind it in the usual entry, a key and a value;
  // else back to the beginning: fields can come in any order, and the last of several keys counts.
  std::string_view KeyOfEntry() {
    constexpr WireTag kKey = {.number = 1, .type = WireType::kBytes};
    constexpr WireTag kValue = {.number = 2, .type = WireType::kBytes};
    const char* const begin = reader_.at();
    std::string_view key;
    if (!reader_.AtEnd() && reader_.Tag() == kKey) {
      key = Utf8Bytes();
      const char* const behind = reader_.at();
      if (!reader_.AtEnd() && reader_.Tag() == kValue) {
        reader_.Bytes();
        if (reader_.AtEnd()) {
          reader_.Rewind(behind);
          return key;
        }
      }
    }
    reader_.Rewind(begin);
    reader_.ForEachField([&](WireTag tag, const char* start) {
      if (tag.number != 1 || !reader_.Expect(tag, WireType::kBytes, start)) return false;
      key = Utf8Bytes();
      return true;
    });
    reader_.Rewind(begin);
    return key;
  }

  // ------------------------------------------------------------------- values that are messages

  void ReadQuantity(Quantity& quantity) {
    reader_.ForEachField([&](WireTag tag, const char* start) {
      if (tag.number != 1 || !reader_.Expect(tag, WireType::kBytes, start)) return false;
      const std::string_view text = reader_.Bytes();
      if (reader_.failed()) return true;
      Result<Quantity> parsed = Quantity::Parse(text);
      if (!parsed) reader_.FailAt(start, std::move(parsed.error().message));
      if (parsed) quantity = *std::move(parsed);
      return true;
    });
  }

  struct Instant {
    int64_t seconds = kZeroTimeUnixSeconds;
    int32_t nanos = 0;
  };

  Instant ReadInstant() {
    const char* const begin = reader_.at();
    Instant instant;
    if (reader_.AtEnd()) return instant;
    instant.seconds = 0;
    reader_.ForEachField([&](WireTag tag, const char* start) {
      if (tag.number > 2 || !reader_.Expect(tag, WireType::kVarint, start)) return false;
      const auto bits = static_cast<int64_t>(reader_.Varint());
      if (tag.number == 1) instant.seconds = bits;
      if (tag.number == 2) instant.nanos = static_cast<int32_t>(bits);
      return true;
    });
    if (instant.nanos < 0 || instant.nanos > kNanosMax) {
      reader_.FailAt(begin, fmt::format("{} nanoseconds are not within a second", instant.nanos));
    }
    if (instant.seconds < kTimeMinUnixSeconds || instant.seconds > kTimeMaxUnixSeconds) {
      reader_.FailAt(begin,
                     fmt::format("{} s are no time of the years 0 to 9999", instant.seconds));
    }
    return instant;
  }

  void ReadTime(Time& time) { time = Time::FromUnixSeconds(ReadInstant().seconds); }

  void ReadMicroTime(MicroTime& time) {
    const Instant instant = ReadInstant();
    time = MicroTime::FromUnix(instant.seconds, instant.nanos);
  }

  void ReadDuration(Duration& duration) {
    reader_.ForEachField([&](WireTag tag, const char* start) {
      if (tag.number != 1 || !reader_.Expect(tag, WireType::kVarint, start)) return false;
      duration = Duration::FromNanos(static_cast<int64_t>(reader_.Varint()));
      return true;
    });
  }

  void ReadIntOrString(IntOrString& value) {
    const char* const begin = reader_.at();
    uint64_t type = 0;
    int32_t number = 0;
    std::string text;
    reader_.ForEachField([&](WireTag tag, const char* start) {
      if (tag.number > 3) return false;
      if (!reader_.Expect(tag, tag.number == 3 ? WireType::kBytes : WireType::kVarint, start))
        return false;
      if (tag.number == 1) type = reader_.Varint();
      if (tag.number == 2) number = static_cast<int32_t>(reader_.Varint());
      if (tag.number == 3) text = Utf8Bytes();
      return true;
    });
    if (type > 1) reader_.FailAt(begin, fmt::format("neither number nor text: type {}", type));
    value = type == 1 ? IntOrString(std::move(text)) : IntOrString(number);
  }

  void ReadRawJson(RawJson& json) {
    reader_.ForEachField([&](WireTag tag, const char* start) {
      if (tag.number != 1 || !reader_.Expect(tag, WireType::kBytes, start)) return false;
      const std::string_view bytes = reader_.Bytes();
      JsonReader check(bytes);
      if (!bytes.empty()) check.Skip();
      if (!bytes.empty() && !check.Finish()) {
        reader_.FailAt(bytes.data() + check.offset(), check.error().message);
      }
      json = RawJson(std::string(bytes));
      return true;
    });
  }

  WireReader reader_;
  Wire wire_;
  DecodeBudget budget_;
  const void* last_map_ = nullptr;                        // that got an entry
  std::vector<std::pair<const Type*, void*>> unsettled_;  // structs whose maps have new entries
  std::string path_;
  const Type* part_ = nullptr;  // what is left out, and where it goes
  std::vector<std::string_view>* parts_ = nullptr;
};

}  // namespace

Result<> DecodeProtobuf(const Type& type, std::string_view raw, void* value, Wire wire) {
  return ProtobufDecoder(raw, wire, false).Run(type, value);
}

Result<Object> DecodeProtobuf(const KindInfo& kind, std::string_view raw, Wire wire) {
  Object object = Object::Make(kind);
  DRAY_TRY_VOID(
      ProtobufDecoder(raw, wire, IsConverted(kind)).Run(object.type(), object.mutable_value()));
  return object;
}

Result<ProtobufOutline> DecodeProtobufOutline(const KindInfo& kind,
                                              const Type& part,
                                              std::string_view raw,
                                              Wire wire) {
  ProtobufOutline outline{.object = Object::Make(kind), .parts = {}};
  ProtobufDecoder decoder(raw, wire, IsConverted(kind));
  decoder.LeaveOut(part, outline.parts);
  DRAY_TRY_VOID(decoder.Run(outline.object.type(), outline.object.mutable_value()));
  return outline;
}

}  // namespace dray::api::inline codec
