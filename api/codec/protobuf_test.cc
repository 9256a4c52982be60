// SPDX-License-Identifier: Apache-2.0
#include "api/codec/protobuf.h"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/authentication_v1.h"
#include "api/codec/decode_budget.h"
#include "api/codec/protobuf_metadata.h"
#include "api/codec/protobuf_outline.h"
#include "api/codec/protobuf_wire.h"
#include "api/coordination_v1.h"
#include "api/core_v1/config_map.h"
#include "api/core_v1/pod_spec.h"
#include "api/meta_v1/list_meta.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/slice.h"
#include "api/resource_v1alpha3.h"
#include "base/try.h"

namespace dray::api {
namespace {

using std::string_literals::operator""s;

template <class T>
const KindInfo& KindOf() {
  return Reflected<T>::kKind;
}

template <class T>
std::string Message(const T& value, Wire wire = {}) {
  std::string out;
  EncodeProtobuf(TypeOf<T>(), &value, out, wire);
  return out;
}

template <class T>
Result<T> Decoded(std::string_view raw, Wire wire = {}) {
  T value;
  DRAY_TRY_VOID(DecodeProtobuf(TypeOf<T>(), raw, &value, wire));
  return value;
}

// A message field: a tag with `number` and the wire type of lengths, the length, the bytes.
std::string FieldBytes(uint32_t number, std::string_view bytes) {
  WireWriter out;
  out.Bytes(bytes);
  out.Tag({.number = number, .type = WireType::kBytes});
  return std::string(out.text());
}

std::string Number(uint32_t number, uint64_t value) {
  WireWriter out;
  out.Varint(value);
  out.Tag({.number = number, .type = WireType::kVarint});
  return std::string(out.text());
}

// ------------------------------------------------------------------------------ what is written

TEST(ProtobufEncode, WritesZeroesWhereGoHasNoPointer) {
  // {1 name, 2 generation, 3 resourceSliceCount}: two numbers and a text, all zero
  EXPECT_EQ(Message(resource_v1::ResourcePool()), "\x0a\x00\x10\x00\x18\x00"s);
  // no member of the union is set, so nothing is written
  EXPECT_EQ(Message(resource_v1::DeviceAttribute()), "");
  resource_v1::DeviceAttribute attribute;
  attribute.bool_ = false;
  attribute.string = "";
  EXPECT_EQ(Message(attribute), "\x18\x00\x22\x00"s);
}

TEST(ProtobufEncode, SortsByNumberAndByKey) {
  resource_v1::DeviceAttribute attribute;
  attribute.version = "1.0.0";
  attribute.int_ = 300;
  EXPECT_EQ(Message(attribute), "\x10\xac\x02\x2a\x05"s + "1.0.0");
  core_v1::ConfigMap map;
  map.data["b"] = "2";
  map.data["a"] = "";
  const std::string data = FieldBytes(2, FieldBytes(1, "a") + FieldBytes(2, "")) +
                           FieldBytes(2, FieldBytes(1, "b") + FieldBytes(2, "2"));
  EXPECT_THAT(Message(map), ::testing::EndsWith(data));
}

TEST(ProtobufEncode, WritesNegativeNumbersWithSixtyFourBits) {
  core_v1::Toleration toleration;
  toleration.toleration_seconds = -1;
  EXPECT_THAT(Message(toleration),
              ::testing::EndsWith("\x28\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s));
}

TEST(ProtobufEncode, WritesListsElementByElement) {
  resource_v1::DeviceAttribute attribute;
  attribute.ints = {1, 128};
  attribute.bools = {Bool{true}, Bool{false}};
  attribute.strings = {"", "x"};
  EXPECT_EQ(Message(attribute), "\x30\x01\x30\x80\x01\x38\x01\x38\x00\x42\x00\x42\x01x"s);
}

TEST(ProtobufEncode, KnowsTheTypesThatAreMessages) {
  resource_v1::DeviceCapacity capacity;
  EXPECT_THAT(Message(capacity), ::testing::StartsWith(FieldBytes(1, FieldBytes(1, "0"))));
  capacity.value = Quantity::Parse("1500m").value_or(Quantity());
  EXPECT_THAT(Message(capacity), ::testing::StartsWith(FieldBytes(1, FieldBytes(1, "1500m"))));

  meta_v1::Condition condition;  // a time that is no pointer: there, and empty
  EXPECT_THAT(Message(condition), ::testing::HasSubstr("\x22\x00"s));
  condition.last_transition_time = Time::FromUnixSeconds(5);
  EXPECT_THAT(Message(condition), ::testing::HasSubstr("\x22\x04\x08\x05\x10\x00"s));

  coordination_v1::LeaseSpec lease;
  lease.renew_time = MicroTime::FromUnixMicros(-1);
  EXPECT_EQ(Message(lease),
            FieldBytes(4, Number(1, static_cast<uint64_t>(-1)) + Number(2, 999'999'000)));

  core_v1::HTTPGetAction get;
  get.port = IntOrString("web");
  EXPECT_THAT(
      Message(get),
      ::testing::HasSubstr(FieldBytes(2, Number(1, 1) + Number(2, 0) + FieldBytes(3, "web"))));
  get.port = IntOrString(80);
  EXPECT_THAT(
      Message(get),
      ::testing::HasSubstr(FieldBytes(2, Number(1, 0) + Number(2, 80) + FieldBytes(3, ""))));

  resource_v1::OpaqueDeviceConfiguration opaque;
  EXPECT_EQ(Message(opaque), FieldBytes(1, "") + FieldBytes(2, ""));
  opaque.parameters = RawJson("{}");
  EXPECT_EQ(Message(opaque), FieldBytes(1, "") + FieldBytes(2, FieldBytes(1, "{}")));

  authentication_v1::UserInfo user;
  user.extra["k"] = {"v", ""};
  EXPECT_THAT(Message(user),
              ::testing::EndsWith(FieldBytes(
                  4, FieldBytes(1, "k") + FieldBytes(2, FieldBytes(1, "v") + FieldBytes(1, "")))));
}

TEST(ProtobufEncode, NestsWhatJsonInlines) {
  resource_v1::DeviceClaimConfiguration config;
  config.device_configuration.opaque.emplace().driver = "d";
  EXPECT_EQ(Message(config), FieldBytes(2, FieldBytes(1, FieldBytes(1, "d") + FieldBytes(2, ""))));
}

TEST(ProtobufEncode, FollowsTheRelease) {
  resource_v1alpha3::DeviceRequest request;
  request.name = "r";
  const auto in = [&](Release release) { return Message(request, {.release = release}); };
  // In 1.31 adminAccess was no pointer.
  EXPECT_THAT(in(Release::k1_31), ::testing::EndsWith("\x30\x00"s));
  EXPECT_THAT(in(Release::k1_32), ::testing::Not(::testing::EndsWith("\x30\x00"s)));
  resource_v1alpha3::ResourceClaimSpec spec;
  spec.controller = "c";
  EXPECT_EQ(Message(spec, {.release = Release::k1_31}), FieldBytes(1, "") + FieldBytes(2, "c"));
  EXPECT_EQ(Message(spec, {.release = Release::k1_32}), FieldBytes(1, ""));
}

TEST(ProtobufEncode, KeepsHubFieldsForTheStore) {
  resource_v1::ResourceClaimSpec spec;
  spec.controller = "c";
  EXPECT_EQ(Message(spec), FieldBytes(1, ""));
  EXPECT_EQ(Message(spec, {.stored = true}), FieldBytes(1, "") + FieldBytes(2, "c"));
}

// -------------------------------------------------------------------------------- what is read

TEST(ProtobufDecode, TakesFieldsInAnyOrderAndSkipsUnknownOnes) {
  const std::string raw = FieldBytes(5, "1.0.0") + Number(99, 7) + "\xa1\x06"s +
                          std::string(8, 'x') + Number(2, 4) + "\xa5\x06"s + std::string(4, 'x') +
                          "\xa3\x06"s + Number(1, 1) + "\xa4\x06"s + Number(2, 5);
  const auto attribute = Decoded<resource_v1::DeviceAttribute>(raw);
  ASSERT_TRUE(attribute) << attribute.error().message;
  EXPECT_EQ(attribute->int_, 5);
  EXPECT_EQ(attribute->version.value_or(""), "1.0.0");
}

TEST(ProtobufDecode, MergesMessagesAndReplacesScalars) {
  const std::string raw =
      FieldBytes(2, FieldBytes(1, "one") + Number(2, 3)) + FieldBytes(2, FieldBytes(1, "two"));
  const auto spec = Decoded<resource_v1::ResourceSliceSpec>(raw);
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->pool.name, "two");
  EXPECT_EQ(spec->pool.generation, 3);
}

TEST(ProtobufDecode, TakesPackedNumbers) {
  const auto attribute =
      Decoded<resource_v1::DeviceAttribute>(Number(6, 1) + FieldBytes(6, "\x02\x80\x01"s));
  ASSERT_TRUE(attribute);
  EXPECT_EQ(attribute->ints, (std::vector<int64_t>{1, 2, 128}));
}

TEST(ProtobufDecode, TakesMapEntriesAsTheyCome) {
  const std::string raw =
      FieldBytes(2, FieldBytes(1, "z") + FieldBytes(2, "1"))    // not in order
      + FieldBytes(2, FieldBytes(2, "2") + FieldBytes(1, "a"))  // the value first
      + FieldBytes(2, FieldBytes(1, "x") + FieldBytes(1, "b") + FieldBytes(2, "3"))  // two keys
      + FieldBytes(2, FieldBytes(1, "z") + FieldBytes(2, "4"))                       // again
      + FieldBytes(2, "");                                                           // neither
  const auto map = Decoded<core_v1::ConfigMap>(raw);
  ASSERT_TRUE(map) << map.error().message;
  EXPECT_EQ(map->data, (Map<std::string>{{"", ""}, {"a", "2"}, {"b", "3"}, {"z", "4"}}));
}

TEST(ProtobufDecode, MergesMapsOfAMessageThatComesAgain) {
  const auto labels = [](std::string_view key, std::string_view value) {
    return FieldBytes(1, FieldBytes(11, FieldBytes(1, key) + FieldBytes(2, value)));
  };
  const auto map = Decoded<core_v1::ConfigMap>(
      labels("b", "1") + labels("a", "2") + FieldBytes(2, FieldBytes(1, "k") + FieldBytes(2, "v")) +
      labels("b", "3"));
  ASSERT_TRUE(map) << map.error().message;
  EXPECT_EQ(map->metadata.labels, (Map<std::string>{{"a", "2"}, {"b", "3"}}));
  EXPECT_EQ(map->data, (Map<std::string>{{"k", "v"}}));
}

TEST(ProtobufDecode, PutsMapsOfElementsInOrder) {
  const auto attribute = [](std::string_view key) {
    return FieldBytes(2, FieldBytes(1, key) + FieldBytes(2, Number(2, 1)));
  };
  std::string raw;
  for (int i = 0; i < 9; ++i) raw += FieldBytes(6, attribute("z") + attribute("a"));
  const auto spec = Decoded<resource_v1::ResourceSliceSpec>(raw);
  ASSERT_TRUE(spec) << spec.error().message;
  ASSERT_EQ(spec->devices.size(), 9U);
  for (const resource_v1::Device& device : spec->devices) {
    ASSERT_EQ(device.attributes.size(), 2U);
    EXPECT_EQ(device.attributes.begin()->first, "a");
  }
}

TEST(ProtobufDecode, DropsTheZeroOfWhatCouldNotBeAbsent) {
  const std::string raw = Number(6, 0);
  const auto old = Decoded<resource_v1alpha3::DeviceRequest>(raw, {.release = Release::k1_31});
  const auto now = Decoded<resource_v1alpha3::DeviceRequest>(raw, {.release = Release::k1_32});
  ASSERT_TRUE(old && now);
  EXPECT_EQ(old->admin_access, std::nullopt);
  EXPECT_EQ(now->admin_access, false);
}

struct BadMessage {
  std::string raw;
  const char* message;
};

TEST(ProtobufDecode, RefusesWithByteAndField) {
  const std::string deep = [] {
    const std::string groups(kProtobufDepthMax + 1, '\x0b');
    return "\xa3\x06"s + groups;
  }();
  const BadMessage messages[] = {
      {"\x0a", "byte 1: metadata: the number is cut off"},
      {"\x12\x05"s + "abc", "byte 1: spec: 5 bytes are announced, 3 are left"},
      {"\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s, "are announced, 0 are left"},
      {"\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s, "the number has more than 64 bits"},
      {Number(2, 1), "byte 0: spec: wire type 0 instead of 2"},
      {"\x02\x00"s, "byte 0: no field can have the number 0"},
      {"\x80\x80\x80\x80\x10\x00"s, "byte 0: no field can have the number 536870912"},
      {"\x16"s, "byte 0: unknown wire type 6"},
      {"\x14"s, "byte 0: the end of a group that was not begun"},
      {"\xa3\x06"s, "byte 2: the group has no end"},
      {deep, "exceeded max depth"},
      {"\xa5\x06xx"s, "byte 2: the number is cut off"},
      {FieldBytes(2, FieldBytes(1, "a\xff")), "byte 4: spec.driver: invalid UTF-8"},
      {FieldBytes(2, FieldBytes(2, FieldBytes(2, "x"))),
       "byte 4: spec.pool.generation: wire type 2 instead of 0"},
      {FieldBytes(2,
                  FieldBytes(6,
                             FieldBytes(2,
                                        FieldBytes(1, "k") +
                                            FieldBytes(2, Number(3, 1) + FieldBytes(3, ""))))),
       "byte 13: spec.devices[0].attributes[k].bool: wire type 2 instead of 0"},
      {FieldBytes(2,
                  FieldBytes(6,
                             FieldBytes(3,
                                        FieldBytes(1, "m") +
                                            FieldBytes(2, FieldBytes(1, FieldBytes(1, "1x")))))),
       "spec.devices[0].capacity[m].value: quantities must match the regular expression"},
      {FieldBytes(1, FieldBytes(8, Number(1, 1) + Number(2, 1'000'000'000))),
       "metadata.creationTimestamp: 1000000000 nanoseconds are not within a second"},
      {FieldBytes(1, FieldBytes(8, Number(1, 1ULL << 62U))),
       "metadata.creationTimestamp: 4611686018427387904 s"},
  };
  for (const BadMessage& bad : messages) {
    const auto object = DecodeProtobuf(KindOf<resource_v1::ResourceSlice>(), bad.raw);
    ASSERT_FALSE(object) << bad.message;
    EXPECT_EQ(object.error().reason, StatusReason::kBadRequest);
    EXPECT_THAT(object.error().message, ::testing::HasSubstr(bad.message));
    EXPECT_THAT(object.error().message, ::testing::StartsWith("protobuf: byte "));
  }
}

TEST(ProtobufDecode, ReadsMetadataAlone) {
  const api::KindInfo& kind = KindOf<resource_v1::ResourceSlice>();
  const std::string metadata = FieldBytes(1, FieldBytes(1, "a"));
  for (const std::string& message : {metadata, metadata + "\x12\x7f", Number(9, 1) + metadata}) {
    const auto object = DecodeProtobufMetadata(kind, message);
    ASSERT_TRUE(object.has_value()) << object.error().message;
    EXPECT_EQ(object->metadata().name, "a") << "what follows is not read";
  }
  EXPECT_EQ(DecodeProtobufMetadata(kind, "")->metadata().name, "");
  for (const std::string& message :
       {"\x0a\x7f"s, Number(1, 1), "\x12\x7f"s, FieldBytes(1, Number(1, 1))}) {
    EXPECT_FALSE(DecodeProtobufMetadata(kind, message).has_value());
  }
}

TEST(ProtobufDecode, LeavesStructsOutAndReturnsTheirMessages) {
  const api::KindInfo& kind = KindOf<resource_v1::ResourceSlice>();
  const std::string metadata = FieldBytes(1, FieldBytes(1, "a"));
  const std::string device = FieldBytes(1, "gpu-0");
  const std::string broken = "\x0a\x7f"s;
  const std::string message =
      metadata + FieldBytes(2, FieldBytes(6, device) + FieldBytes(6, broken) + FieldBytes(6, ""));
  const auto outline = DecodeProtobufOutline(kind, TypeOf<resource_v1::Device>(), message);
  ASSERT_TRUE(outline.has_value()) << outline.error().message;
  EXPECT_THAT(outline->parts, ::testing::ElementsAre(device, broken, ""));
  resource_v1::ResourceSlice expected;
  expected.metadata.name = "a";
  expected.spec.devices.resize(3);
  EXPECT_EQ(outline->object, api::Object::Of(expected));

  for (const std::string& bad : {metadata + broken, FieldBytes(2, Number(6, 1))}) {
    EXPECT_FALSE(DecodeProtobufOutline(kind, TypeOf<resource_v1::Device>(), bad).has_value());
  }
}

TEST(ProtobufDecode, TakesTheLargestNumberOfAFieldAndTheLastNanosecond) {
  for (const std::string& message :
       {"\xf8\xff\xff\xff\x0f\x00"s,
        FieldBytes(1, FieldBytes(8, Number(1, 1) + Number(2, 999'999'999)))}) {
    const auto object = DecodeProtobuf(KindOf<resource_v1::ResourceSlice>(), message);
    EXPECT_TRUE(object.has_value()) << object.error().message;
  }
}

TEST(ProtobufDecode, RefusesOpaqueParametersThatAreNotJson) {
  const auto with = [](std::string_view json) {
    return Decoded<resource_v1::OpaqueDeviceConfiguration>(FieldBytes(2, FieldBytes(1, json)));
  };
  EXPECT_TRUE(with("{\"a\":[1]}"));
  EXPECT_TRUE(with(""));
  for (const char* bad : {"{", "1}", "nul", "\"\xff\""}) EXPECT_FALSE(with(bad)) << bad;
}

TEST(ProtobufDecode, StopsAtItsDepth) {
  const auto groups = [](size_t depth) {
    std::string raw;
    for (size_t i = 0; i < depth; ++i) raw += "\xa3\x06"s;
    for (size_t i = 0; i < depth; ++i) raw += "\xa4\x06"s;
    return Decoded<meta_v1::ListMeta>(raw);
  };
  EXPECT_TRUE(groups(kProtobufDepthMax));
  EXPECT_FALSE(groups(kProtobufDepthMax + 1));
}

// Each two bytes make a container of more than a kilobyte.
TEST(ProtobufDecode, TakesNoMoreMemoryThanItsBudget) {
  const auto containers = [](size_t count) {
    std::string pod;
    for (size_t i = 0; i < count; ++i) pod += FieldBytes(2, "");
    return Decoded<core_v1::PodSpec>(pod);
  };
  const size_t size = sizeof(core_v1::Container);
  const size_t most = kDecodedBytesMin / (size - 2 * kDecodedBytesPerByte);
  EXPECT_TRUE(containers(most));
  const auto refused = containers(most + 2);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("takes too much memory when decoded"));
}

TEST(ProtobufDecode, NeverReadsBehindAPrefix) {
  resource_v1::ResourceSlice slice;
  slice.metadata.name = "slice";
  slice.metadata.labels["a"] = "b";
  slice.spec.devices.emplace_back().attributes["model"].string = "x";
  const std::string whole = Message(slice);
  ASSERT_EQ(Decoded<resource_v1::ResourceSlice>(whole).value_or(resource_v1::ResourceSlice()),
            slice);
  for (size_t size = 0; size < whole.size(); ++size) {
    // A copy without room behind it, for the sanitizer.
    const std::vector<char> prefix(whole.begin(),
                                   whole.begin() + static_cast<std::ptrdiff_t>(size));
    const std::string_view raw(prefix.data(), prefix.size());
    const auto read = Decoded<resource_v1::ResourceSlice>(raw);
    if (read) EXPECT_NE(*read, slice) << size;
  }
}

// ------------------------------------------------------------------------------- what is around

TEST(ProtobufEnvelope, HasAllFourFields) {
  std::string out;
  EncodeProtobufEnvelope({.meta = {.api_version = "v1", .kind = "Pod"}, .raw = "xyz"}, out);
  EXPECT_EQ(out, "k8s\0\x0a\x09\x0a\x02v1\x12\x03Pod\x12\x03xyz\x1a\x00\x22\x00"s);
  const auto read = ReadProtobufEnvelope(out);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->meta.api_version, "v1");
  EXPECT_EQ(read->meta.kind, "Pod");
  EXPECT_EQ(read->raw, "xyz");
}

TEST(ProtobufEnvelope, RefusesWhatIsNone) {
  const auto message = [](std::string_view text) {
    const auto read = ReadProtobufEnvelope(text);
    return read ? std::string() : read.error().message;
  };
  EXPECT_EQ(message(""), "empty data");
  EXPECT_EQ(
      message("{}"),
      "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  EXPECT_EQ(message("k8s\0"s), "empty body");
  EXPECT_EQ(message("k8s\0\x12\x09x"s),
            "protobuf: byte 5: envelope: 9 bytes are announced, 1 are left");
  EXPECT_EQ(message("k8s\0\x10\x09"s), "protobuf: byte 4: envelope: wire type 0 instead of 2");
  EXPECT_TRUE(IsCutOffEnvelope("k8s\0\x12\x09x"s));
  EXPECT_TRUE(IsCutOffEnvelope("k8s\0\xff\xff"s));
  EXPECT_FALSE(IsCutOffEnvelope("k8s\0\x10\x09"s));
  EXPECT_FALSE(IsCutOffEnvelope("k8s\0"s));
  EXPECT_FALSE(IsCutOffEnvelope("{"));
}

TEST(ProtobufEnvelope, MayHoldJson) {
  const KindInfo& kind = KindOf<core_v1::ConfigMap>();
  DecodeIssues issues;
  const ProtobufEnvelope envelope = {
      .meta = {}, .raw = R"({"data":{"a":"b"},"x":1})", .content_type = "application/json"};
  const auto object = DecodeEnvelope(kind, envelope, &issues);
  ASSERT_TRUE(object);
  EXPECT_EQ(object->As<core_v1::ConfigMap>().data.at("a"), "b");
  EXPECT_THAT(issues, ::testing::ElementsAre("unknown field \"x\""));
  ProtobufEnvelope zipped = envelope;
  zipped.content_encoding = "gzip";
  EXPECT_FALSE(DecodeEnvelope(kind, zipped, &issues));
}

TEST(ProtobufList, HoldsMessagesWithoutEnvelopes) {
  core_v1::ConfigMap map;
  map.metadata.name = "a";
  const std::string first = Message(map);
  map.metadata.name = "b";
  const std::string second = Message(map);
  const std::string_view items[] = {first, second};
  std::string elements;
  EncodeProtobufListItems(items, elements);
  const ProtobufListFrame frame = FrameProtobufList(
      {.api_version = "v1", .kind = "ConfigMapList"}, {.resource_version = "7"}, elements.size());
  const std::string out = frame.head + elements + frame.tail;
  const auto envelope = ReadProtobufEnvelope(out);
  ASSERT_TRUE(envelope);
  EXPECT_EQ(envelope->raw,
            FieldBytes(1, FieldBytes(1, "") + FieldBytes(2, "7") + FieldBytes(3, "")) +
                FieldBytes(2, first) + FieldBytes(2, second));
  const auto list = DecodeProtobufList(KindOf<core_v1::ConfigMap>(), envelope->raw);
  ASSERT_TRUE(list);
  EXPECT_EQ(list->metadata.resource_version, "7");
  ASSERT_EQ(list->items.size(), 2U);
  EXPECT_EQ(list->items[1].As<core_v1::ConfigMap>(), map);
}

TEST(ProtobufWatch, EventsCarryEnvelopes) {
  const ProtobufEnvelope object{.meta = {.api_version = "v1", .kind = "Pod"}, .raw = "xyz"};
  std::string envelope;
  EncodeProtobufEnvelope(object, envelope);
  std::string out;
  EncodeProtobufWatchFrame("ADDED", object, out);
  const std::string message = FieldBytes(1, "ADDED") + FieldBytes(2, FieldBytes(1, envelope));
  ASSERT_LT(message.size(), 128U);
  EXPECT_EQ(out, "\0\0\0"s + static_cast<char>(message.size()) + message);
  const auto event = ReadProtobufWatchEvent(message);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->type, "ADDED");
  EXPECT_EQ(event->object, envelope);
  EXPECT_FALSE(ReadProtobufWatchEvent("\x12\x05"s));
}

// The length precedes the whole envelope, most significant byte first.
TEST(ProtobufWatch, LengthsAreFourBytesTheHighestFirst) {
  for (const size_t size : {size_t{100}, size_t{16'384}, size_t{3} << 20U}) {
    const std::string raw(size, 'x');
    std::string out;
    EncodeProtobufWatchFrame(
        "MODIFIED", {.meta = {.api_version = "v1", .kind = "Pod"}, .raw = raw}, out);
    size_t length = 0;
    for (size_t i = 0; i < 4; ++i) length = length << 8U | static_cast<unsigned char>(out[i]);
    EXPECT_EQ(length, out.size() - 4);
    const auto event = ReadProtobufWatchEvent(std::string_view(out).substr(4));
    ASSERT_TRUE(event);
    const auto envelope = ReadProtobufEnvelope(event->object);
    ASSERT_TRUE(envelope);
    EXPECT_EQ(envelope->raw, raw);
  }
}

// Every value that JSON can express survives protobuf, except the difference of [] and an absent
// list.
TEST(Protobuf, RoundTripsEveryKindWhenEmpty) {
  for (const KindInfo* kind : BuiltinKinds()) {
    const Object object = Object::Make(*kind);
    std::string out;
    EncodeProtobuf(object, out);
    const auto envelope = ReadProtobufEnvelope(out);
    ASSERT_TRUE(envelope) << kind->kind;
    const auto again = DecodeProtobuf(*kind, envelope->raw);
    ASSERT_TRUE(again) << kind->kind << again.error().message;
    EXPECT_EQ(*again, object) << kind->kind;
  }
}

}  // namespace
}  // namespace dray::api
