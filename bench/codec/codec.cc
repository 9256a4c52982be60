// SPDX-License-Identifier: Apache-2.0
// One ResourceSlice of 16 devices with 10 attributes each, read and written here and by the peers:
// nlohmann/json, RapidJSON and simdjson with hand-written members, and the classes that protoc
// generates for libprotobuf. The two codecs of a pair run in turns, so that both see the same
// machine. The fastest turn counts; the slowest one is printed too. Instructions show the cost of a
// change even on a busy machine; they are 0 if the kernel does not count them.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/codec/protobuf.h"
#include "api/resource_v1/slice.h"
#include "base/check.h"
#include "base/testing/instruction_counter.h"
#include "base/world.h"
#include "bench/codec/nlohmann_slice.h"
#ifdef DRAY_BENCH_RAPIDJSON
#include "bench/codec/rapidjson_slice.h"
#endif
#ifdef DRAY_BENCH_SIMDJSON
#include "bench/codec/simdjson_slice.h"
#endif
#include "slice.pb.h"

namespace {

using namespace dray;  // NOLINT(google-build-using-namespace): this file is only glue
namespace v1 = api::resource_v1;

constexpr size_t kDevices = 16;
constexpr size_t kTurns = 200;
constexpr size_t kCallsPerTurn = 50;

v1::Device MakeDevice(size_t index) {
  v1::Device device;
  device.name = fmt::format("gpu-{}", index);
  auto& attributes = device.attributes;
  attributes["architecture"].string = "Hopper";
  attributes["brand"].string = "Example";
  attributes["computeCapability"].version = "9.0.0";
  attributes["driverVersion"].version = "550.54.15";
  attributes["index"].int_ = static_cast<int64_t>(index);
  attributes["mig"].bool_ = index % 2 == 0;
  attributes["minor"].int_ = static_cast<int64_t>(index + 100);
  attributes["productName"].string = "Example H100";
  attributes["resource.kubernetes.io/pcieRoot"].string = fmt::format("pci0000:{:02x}", index);
  attributes["uuid"].string = fmt::format("8b1ad2f4-3c55-4f9e-9d5f-{:012}", index);
  return device;
}

v1::ResourceSlice MakeSlice() {
  v1::ResourceSlice slice;
  slice.metadata.name = "node-1-gpu.example.com-7x2kd";
  slice.metadata.uid = "5d1f4c0e-93a1-4c08-8f0c-0c6a4d7a5e11";
  slice.metadata.resource_version = "48213";
  slice.metadata.generation = 3;
  slice.metadata.creation_timestamp = api::Time::FromUnixSeconds(1'800'000'000);
  slice.spec.driver = "gpu.example.com";
  slice.spec.node_name = "node-1";
  slice.spec.pool = {.name = "node-1", .generation = 3, .resource_slice_count = 1};
  for (size_t i = 0; i < kDevices; ++i) slice.spec.devices.push_back(MakeDevice(i));
  return slice;
}

struct Cost {
  double nanoseconds = std::numeric_limits<double>::max();
  double nanoseconds_max = 0;
  double instructions = std::numeric_limits<double>::max();
};

/// The instructions so far. One counter serves all measurements, because several would be
/// multiplexed.
uint64_t Instructions() {
  static const testing::InstructionCounter kCounter(0);
  return kCounter.Read().value_or(0);
}

/// The cost of one call, averaged over a turn.
template <class F>
Cost Turn(F&& call) {
  const Clock& clock = RealWorld().clock;
  const uint64_t instructions = Instructions();
  const auto begin = clock.Monotonic();
  for (size_t i = 0; i < kCallsPerTurn; ++i) call();
  const std::chrono::duration<double, std::nano> taken = clock.Monotonic() - begin;
  return {.nanoseconds = taken.count() / kCallsPerTurn,
          .nanoseconds_max = taken.count() / kCallsPerTurn,
          .instructions = static_cast<double>(Instructions() - instructions) /
                          static_cast<double>(kCallsPerTurn)};
}

void TakeLess(const Cost& cost, Cost& best) {
  best.nanoseconds = std::min(best.nanoseconds, cost.nanoseconds);
  best.nanoseconds_max = std::max(best.nanoseconds_max, cost.nanoseconds_max);
  best.instructions = std::min(best.instructions, cost.instructions);
}

/// Runs both in turns. Prints the fastest turn of each, the fewest instructions, and the required
/// ratio of times, if there is one.
template <class Ours, class Theirs>
void Compare(std::string_view what, double bar, Ours&& ours, Theirs&& theirs) {
  Cost our_best, their_best;
  for (size_t i = 0; i < kTurns; ++i) {
    TakeLess(Turn(ours), our_best);
    TakeLess(Turn(theirs), their_best);
  }
  fmt::print("{:<28} {:>7.2f} us {:>8.2f} {:>9.2f} us {:>8.2f} {:>12.0f} {:>12.0f} {:>7.1f} x{}\n",
             what,
             our_best.nanoseconds / 1000,
             our_best.nanoseconds_max / 1000,
             their_best.nanoseconds / 1000,
             their_best.nanoseconds_max / 1000,
             our_best.instructions,
             their_best.instructions,
             their_best.nanoseconds / our_best.nanoseconds,
             bar > 0 ? fmt::format("   (bar: {:.0f})", bar) : "");
}

void CompareReading(const api::KindInfo& kind, const std::string& json) {
  const auto ours = [&] {
    api::DecodeIssues issues;
    DRAY_CHECK(api::DecodeJson(kind, json, &issues).has_value());
  };
  Compare("read JSON, nlohmann/json", 8, ours, [&] {
    DRAY_CHECK(!bench::ReadWithNlohmann(json).spec.devices.empty());
  });
#ifdef DRAY_BENCH_RAPIDJSON
  Compare("read JSON, RapidJSON", 0, ours, [&] {
    DRAY_CHECK(!bench::ReadWithRapidJson(json).spec.devices.empty());
  });
#endif
#ifdef DRAY_BENCH_SIMDJSON
  Compare("read JSON, simdjson", 0, ours, [&] {
    DRAY_CHECK(!bench::ReadWithSimdjson(json).spec.devices.empty());
  });
#endif
}

void CompareWriting(const api::Object& object) {
  const auto& slice = object.As<v1::ResourceSlice>();
  const auto ours = [&] { DRAY_CHECK(!api::ToJson(object).empty()); };
  Compare("write JSON, nlohmann/json", 10, ours, [&] {
    DRAY_CHECK(!bench::WriteWithNlohmann(slice).empty());
  });
#ifdef DRAY_BENCH_RAPIDJSON
  Compare("write JSON, RapidJSON", 0, ours, [&] {
    DRAY_CHECK(!bench::WriteWithRapidJson(slice).empty());
  });
#endif
}

/// Checks that both sides do the same work.
void CheckPeers(const v1::ResourceSlice& slice, const std::string& json) {
  DRAY_CHECK(bench::ReadWithNlohmann(json) == slice);
  DRAY_CHECK(bench::WriteWithNlohmann(slice).size() == json.size());
#ifdef DRAY_BENCH_RAPIDJSON
  DRAY_CHECK(bench::ReadWithRapidJson(json) == slice);
  DRAY_CHECK(bench::WriteWithRapidJson(slice).size() == json.size());
#endif
#ifdef DRAY_BENCH_SIMDJSON
  DRAY_CHECK(bench::ReadWithSimdjson(json) == slice);
#endif
}

}  // namespace

int main() {
  const api::Object object = api::Object::Of(MakeSlice());
  const auto& slice = object.As<v1::ResourceSlice>();
  const api::KindInfo& kind = object.kind();
  const std::string json = api::ToJson(object);
  std::string message;
  api::EncodeProtobuf(object.type(), object.value(), message);
  CheckPeers(slice, json);
  bench::ResourceSlice parsed;
  DRAY_CHECK(parsed.ParseFromString(message) && parsed.spec().devices_size() == kDevices);
  DRAY_CHECK(parsed.spec().devices(0).attributes_size() == 10);

  fmt::print("a ResourceSlice of {} devices: {} bytes of JSON, {} of protobuf\n",
             kDevices,
             json.size(),
             message.size());
  fmt::print("{:<28} {:>10} {:>8} {:>12} {:>8} {:>12} {:>12}\n",
             "",
             "dray",
             "max",
             "peer",
             "max",
             "dray instr",
             "peer instr");
  CompareReading(kind, json);
  CompareWriting(object);
  Compare(
      "read protobuf, libprotobuf",
      2,
      [&] { DRAY_CHECK(api::DecodeProtobuf(kind, message).has_value()); },
      [&] {
        bench::ResourceSlice classes;
        DRAY_CHECK(classes.ParseFromString(message));
      });
  Compare(
      "write protobuf, libprotobuf",
      0,
      [&] {
        std::string bytes;
        api::EncodeProtobuf(object.type(), object.value(), bytes);
        DRAY_CHECK(!bytes.empty());
      },
      [&] { DRAY_CHECK(!parsed.SerializeAsString().empty()); });
  return 0;
}
