// SPDX-License-Identifier: Apache-2.0
// Objects that the encoder reports as readable can be decoded.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "api/codec/protobuf.h"
#include "api/codec/protobuf_wire.h"
#include "api/coordination_v1.h"
#include "api/testing/random_object.h"
#include "base/simulated_world.h"

namespace dray::api {
namespace {

constexpr std::string_view kNoUtf8 = "cut off: \xE2\x82";

/// Why the decoder does not read what EncodeStored() makes of `object`; empty when it does.
std::string Refusal(const Object& object, Readable& readable) {
  std::string bytes;
  readable = EncodeStored(object, bytes);
  std::string as_before;
  EncodeProtobuf(object, as_before, {.stored = true});
  EXPECT_EQ(bytes, as_before);
  const auto envelope = ReadProtobufEnvelope(bytes);
  if (!envelope.has_value()) return envelope.error().message;
  const auto decoded = DecodeEnvelope(object.kind(), *envelope, nullptr, {.stored = true});
  return decoded.has_value() ? std::string() : decoded.error().message;
}

/// Makes one value of an object such that no reader takes it.
class Spoiler {
 public:
  /// The `which`th that can be spoilt, from 0 on.
  explicit Spoiler(size_t which) : left_(which) {}

  /// Returns the kind of the spoilt value; nothing if there are fewer values.
  std::optional<TypeKind> Spoil(const Type& type, void* value) {
    switch (type.kind) {
      case TypeKind::kStruct: return Members(type, value);
      case TypeKind::kOptional:
      case TypeKind::kList: return Elements(type, value);
      case TypeKind::kMap:
        if (IsChosen()) {
          type.container->add(value, kNoUtf8);
          return TypeKind::kMap;
        }
        return Elements(type, value);
      default: break;
    }
    if (!CanBeSpoilt(type.kind) || !IsChosen()) return std::nullopt;
    Scalar(type.kind, value);
    return type.kind;
  }

 private:
  bool IsChosen() { return left_-- == 0; }

  std::optional<TypeKind> Members(const Type& type, void* value) {
    for (const Field& field : type.fields) {
      const auto spoilt = Spoil(field.type(), MutableMember(field, value));
      if (spoilt.has_value()) return spoilt;
    }
    return std::nullopt;
  }

  std::optional<TypeKind> Elements(const Type& type, void* value) {
    for (size_t i = 0; i < type.container->size(value); ++i) {
      const auto spoilt = Spoil(type.element(), const_cast<void*>(type.container->at(value, i)));
      if (spoilt.has_value()) return spoilt;
    }
    return std::nullopt;
  }

  static bool CanBeSpoilt(TypeKind kind) {
    constexpr TypeKind kAlwaysFine[] = {
        TypeKind::kBool, TypeKind::kInt32, TypeKind::kInt64, TypeKind::kBytes, TypeKind::kDuration};
    return std::ranges::count(kAlwaysFine, kind) == 0;
  }

  static void Scalar(TypeKind kind, void* value) {
    switch (kind) {
      case TypeKind::kString: *static_cast<std::string*>(value) = kNoUtf8; return;
      case TypeKind::kDouble:
        *static_cast<double*>(value) = std::numeric_limits<double>::infinity();
        return;
      case TypeKind::kQuantity:
        *static_cast<Quantity*>(value) = *Quantity::Parse("1e1000") * 1'000'000;
        return;
      case TypeKind::kTime:
        *static_cast<Time*>(value) = Time::FromUnixSeconds(kTimeMaxUnixSeconds + 1);
        return;
      case TypeKind::kMicroTime:
        *static_cast<MicroTime*>(value) =
            MicroTime::FromUnixMicros(std::numeric_limits<int64_t>::max());
        return;
      case TypeKind::kIntOrString:
        *static_cast<IntOrString*>(value) = IntOrString(std::string(kNoUtf8));
        return;
      case TypeKind::kRawJson: *static_cast<RawJson*>(value) = RawJson(R"({"a":1)"); return;
      default: FAIL() << "a type without a value that no reader takes";
    }
  }

  size_t left_;
};

TEST(EncodeStored, SaysOfEveryKindWhetherItCanBeRead) {
  constexpr uint64_t kTries = 150;
  constexpr uint64_t kPlaces = 100;
  SeededRandom random(7);
  std::vector<TypeKind> spoilt;
  for (const KindInfo* kind : BuiltinKinds()) {
    if (&kind->storage() != kind || !kind->served || kind->create_only) continue;
    for (uint64_t i = 0; i < kTries; ++i) {
      SCOPED_TRACE(std::string(kind->kind));
      Object object = testing::RandomObject(*kind, random, {.wire = {.stored = true}});
      Readable readable = Readable::kPerhaps;
      EXPECT_EQ(Refusal(object, readable), "");
      EXPECT_EQ(readable, Readable::kSurely);
      Spoiler spoiler(random.Next() % kPlaces);
      const auto what = spoiler.Spoil(object.type(), object.mutable_value());
      if (!what.has_value()) continue;
      EXPECT_NE(Refusal(object, readable), "") << "after a " << static_cast<int>(*what);
      EXPECT_EQ(readable, Readable::kPerhaps) << "after a " << static_cast<int>(*what);
      spoilt.push_back(*what);
    }
  }
  for (const TypeKind kind : {TypeKind::kString,
                              TypeKind::kDouble,
                              TypeKind::kMap,
                              TypeKind::kQuantity,
                              TypeKind::kTime,
                              TypeKind::kMicroTime,
                              TypeKind::kIntOrString,
                              TypeKind::kRawJson}) {
    EXPECT_GT(std::ranges::count(spoilt, kind), 0) << static_cast<int>(kind);
  }
}

TEST(EncodeStored, KeepsTimesWithinTheYearsThatAreRead) {
  const auto readable = [](Time created, int64_t renewed_seconds) {
    coordination_v1::Lease lease;
    lease.metadata.creation_timestamp = created;
    lease.spec.renew_time = MicroTime::FromUnixMicros(renewed_seconds * 1'000'000);
    Readable said = Readable::kPerhaps;
    EXPECT_EQ(Refusal(Object::Of(lease), said).empty(), said == Readable::kSurely);
    return said == Readable::kSurely;
  };
  const auto at = [](int64_t seconds) { return Time::FromUnixSeconds(seconds); };
  EXPECT_TRUE(readable(at(kTimeMinUnixSeconds), kTimeMinUnixSeconds));
  EXPECT_TRUE(readable(at(kTimeMaxUnixSeconds), kTimeMaxUnixSeconds));
  EXPECT_FALSE(readable(at(kTimeMinUnixSeconds - 1), 0));
  EXPECT_FALSE(readable(at(kTimeMaxUnixSeconds + 1), 0));
  EXPECT_FALSE(readable(at(0), kTimeMinUnixSeconds - 1));
  EXPECT_FALSE(readable(at(0), kTimeMaxUnixSeconds + 1));
}

// Nesting depth of messages in values of `type` that JSON can express; `structs` are the enclosing
// ones. A struct that contains itself does so in a map, whose entries are messages too.
size_t DepthOf(const Type& type, size_t around = 0, std::vector<const Type*> structs = {}) {
  if (type.kind == TypeKind::kMap) return DepthOf(type.element(), around + 1, std::move(structs));
  if (type.element_type != nullptr) return DepthOf(type.element(), around, std::move(structs));
  if (std::ranges::count(structs, &type) > 0)
    return around + 2 * (kNestedStructsMax - structs.size());
  size_t depth = around + 1;
  structs.push_back(&type);
  for (const Field& field : type.fields) {
    depth = std::max(depth, DepthOf(field.type(), around + 1, structs));
  }
  return depth;
}

TEST(EncodeStored, NestsNoMessagesDeeperThanTheyAreRead) {
  for (const KindInfo* kind : BuiltinKinds()) {
    EXPECT_LE(DepthOf(kind->type()), kProtobufDepthMax) << kind->kind;
  }
}

}  // namespace
}  // namespace dray::api
