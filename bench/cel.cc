// SPDX-License-Identifier: Apache-2.0
// Selectors on devices: compilation, single devices, and a million at once.
//
//   cel_bench            Dray alone
//   cel_bench PEER       with the engine of Kubernetes (the program PEER, written in Go): the same
//                        expressions on the same devices in one run, and how many times faster
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "base/testing/instruction_counter.h"
#include "base/world.h"
#include "bench/samples.h"
#include "cel/batch/batch_selector.h"
#include "cel/selector.h"
#include "tests/vectors/cel_device.h"

// The number of allocations.
static size_t allocations = 0;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

// NOLINTBEGIN(cppcoreguidelines-no-malloc,cppcoreguidelines-owning-memory): that is what they are
void* operator new(size_t size) {
  ++allocations;
  void* const memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t /*size*/) noexcept {
  std::free(memory);
}
// NOLINTEND(cppcoreguidelines-no-malloc,cppcoreguidelines-owning-memory)

namespace {

using namespace dray;  // NOLINT(google-build-using-namespace): this file is only glue
using vectors::CelDevice;

constexpr const char* kDomain = "gpu.example.com";

struct Expression {
  std::string name;
  std::string text;
};

double Nanoseconds() {
  return static_cast<double>(RealWorld().clock.Monotonic().time_since_epoch().count());
}

// Times of `run`, which is repeated for each sample until the sample is long enough to measure.
bench::Samples TimesOf(const std::function<void()>& run, double sample_ns = 2e7) {
  constexpr int kSamples = 15;
  bench::Samples times;
  for (int sample = 0; sample < kSamples; ++sample) {
    const double start = Nanoseconds();
    double elapsed = 0;
    int runs = 0;
    do {
      run();
      ++runs;
      elapsed = Nanoseconds() - start;
    } while (elapsed < sample_ns);
    times.Add(elapsed / runs);
  }
  return times;
}

// The fewest instructions of a run; 0 if the kernel does not count them.
double Instructions(const std::function<void()>& run) {
  const testing::InstructionCounter counter(0);
  uint64_t least = std::numeric_limits<uint64_t>::max();
  for (int round = 0; round < 3; ++round) {
    const uint64_t before = counter.Read().value_or(0);
    run();
    least = std::min(least, counter.Read().value_or(0) - before);
  }
  return static_cast<double>(least);
}

std::string OutputOf(const std::string& command) {
  std::string out;
  std::FILE* const pipe =
      popen(command.c_str(), "r");  // NOLINT(cert-env33-c): the caller's program
  if (pipe == nullptr) return out;
  char buffer[65536];
  while (const size_t size = std::fread(buffer, 1, sizeof buffer, pipe)) out.append(buffer, size);
  pclose(pipe);
  return out;
}

// The peer's results for one expression.
struct PeerRow {
  size_t matches = 0;
  double compile = 0;
  double device_matches = 0;
  double plain = 0;
};

// Columns: selector, matches, cost max, compile, DeviceMatches, allocations, Eval, plain cel-go.
PeerRow RowOf(const std::string& table, const std::string& name) {
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    const size_t at = line.find(name + "  ");
    if (at == std::string::npos || line.find_first_not_of(' ') != at) continue;
    std::istringstream cells(line.substr(at + name.size()));
    PeerRow row;
    double skipped = 0;
    cells >> row.matches >> skipped >> row.compile >> row.device_matches >> skipped >> skipped >>
        row.plain;
    return row;
  }
  return {};
}

struct Input {
  std::vector<Expression> expressions;
  std::deque<CelDevice> devices;
};

Input ReadDump(const std::string& dump) {
  Input input;
  const auto json = boost::json::parse(dump).as_object();
  for (const auto& item : json.at("expressions").as_array()) {
    input.expressions.push_back({std::string(item.as_object().at("name").as_string()),
                                 std::string(item.as_object().at("expr").as_string())});
  }
  for (const auto& item : json.at("devices").as_array())
    input.devices.emplace_back(item.as_object());
  return input;
}

// Dray's own devices and expressions, used without a peer.
std::string OwnDump() {
  boost::json::array devices;
  constexpr const char* kModels[] = {"A100-SXM4-80GB", "H100-SXM5-80GB", "L4", "T4"};
  for (size_t i = 0; i < 1000; ++i) {
    devices.push_back(boost::json::object{
        {"driver", kDomain},
        {"attributes",
         {{"productName", {{"string", kModels[i % 4]}}},
          {"type", {{"string", "gpu"}}},
          {"architecture", {{"string", i % 2 == 0 ? "Ampere" : "Hopper"}}},
          {"driverVersion", {{"version", fmt::format("535.{}.5", 100 + i % 8)}}},
          {"index", {{"int", std::to_string(i % 8)}}}}},
        {"capacity", {{"memory", i % 3 == 0 ? "24Gi" : "80Gi"}}}});
  }
  const boost::json::array expressions = {
      {{"name", "string"},
       {"expr", "device.attributes['gpu.example.com'].productName == 'A100-SXM4-80GB'"}},
      {{"name", "quantity"},
       {"expr", "device.capacity['gpu.example.com'].memory.compareTo(quantity('40Gi')) >= 0"}}};
  return boost::json::serialize(
      boost::json::object{{"expressions", expressions}, {"devices", devices}});
}

void MeasureScalar(const Input& input, const std::string& peer_table) {
  fmt::print("one device after the other, {} devices\n", input.devices.size());
  fmt::print("{:>14} {:>8} {:>14} {:>15} {:>12} {:>9} {:>13} {:>9} {:>12} {:>10} {:>16} {:>11}\n",
             "selector",
             "matches",
             "compile, instr",
             "evaluate, instr",
             "compile, ns",
             "max",
             "evaluate, ns",
             "max",
             "allocations",
             "compile x",
             "DeviceMatches x",
             "plain Go x");
  for (const Expression& expression : input.expressions) {
    const auto selector = cel::Selector::Compile(expression.text, {});
    if (!selector.has_value()) {
      fmt::print("{}: {}\n", expression.name, selector.error().message);
      continue;
    }
    const auto compile_once = [&] {
      static_cast<void>(cel::Selector::Compile(expression.text, {}));
    };
    size_t matches = 0;
    const auto evaluate_all = [&] {
      matches = 0;
      for (const CelDevice& device : input.devices) {
        matches += selector->Evaluate(device.activation()).matches() ? 1 : 0;
      }
    };
    const auto devices = static_cast<double>(input.devices.size());
    const bench::Samples compiles = TimesOf(compile_once);
    const bench::Samples evaluations = TimesOf(evaluate_all);
    const double compile = compiles.median();
    const double evaluate = evaluations.median() / devices;
    const size_t before = allocations;
    for (const CelDevice& device : input.devices) {
      static_cast<void>(selector->Evaluate(device.activation()));
    }
    fmt::print("{:>14} {:>8} {:>14.0f} {:>15.0f} {:>12.0f} {:>9.0f} {:>13.1f} {:>9.1f} {:>12}",
               expression.name,
               matches,
               Instructions(compile_once),
               Instructions(evaluate_all) / devices,
               compile,
               compiles.max(),
               evaluate,
               evaluations.max() / devices,
               allocations - before);
    const PeerRow row = RowOf(peer_table, expression.name);
    if (row.compile > 0) {
      fmt::print(" {:>10.1f} {:>16.1f} {:>11.1f}{}",
                 row.compile / compile,
                 row.device_matches / evaluate,
                 row.plain / evaluate,
                 row.matches == matches ? "" : "  MATCHES DIFFER");
    }
    fmt::print("\n");
  }
}

// A table of a million devices: `shapes` different ones, with distinct serial numbers.
std::shared_ptr<const cel::batch::DeviceTable> MakeTable(size_t count, size_t shapes) {
  const std::vector<std::string> models = {"A100-SXM4-80GB", "H100-SXM5-80GB", "L4", "T4"};
  const std::vector<std::string> architectures = {"Ampere", "Hopper", "Ada"};
  std::vector<api::Quantity> amounts;
  for (int i = 1; i <= 10; ++i) amounts.push_back(api::Quantity::FromInt(int64_t{i} << 33));
  const std::vector<std::string> versions = {
      "535.100.5", "535.101.5", "535.102.5", "535.103.5", "535.104.5"};
  cel::batch::DeviceTableBuilder builder;
  for (size_t i = 0; i < count; ++i) {
    const size_t shape = i * 7919 % shapes;
    const std::string serial = fmt::format("SN-{:08}", shape);
    cel::Device device{.driver = kDomain};
    device.attributes = {{"type", std::string_view("gpu")},
                         {"productName", std::string_view(models[shape % models.size()])},
                         {"architecture", std::string_view(architectures[shape % 3])},
                         {"driverVersion", cel::VersionText{versions[shape % versions.size()]}},
                         {"serial", std::string_view(serial)}};
    device.capacity = {{"memory", &amounts[shape % amounts.size()]}};
    builder.Add(device);
  }
  return builder.Build();
}

// The time to read as many bytes as the codes of `columns` columns have at most.
double StreamingRead(size_t bytes) {
  const std::vector<uint64_t> data(bytes / sizeof(uint64_t), 1);
  volatile uint64_t sink = 0;
  return TimesOf([&] {
           uint64_t sum = 0;
           for (const uint64_t word : data) sum += word;
           sink = sum;
         })
      .median();
}

void MeasureBatch(size_t shapes) {
  constexpr size_t kDevices = 1'000'000;
  const auto table = MakeTable(kDevices, shapes);
  fmt::print("\n{} devices at once, {} shapes\n", kDevices, table->shapes());
  fmt::print("{:>12} {:>9} {:>16} {:>9} {:>29}\n",
             "selector",
             "matches",
             "ns per device",
             "max",
             "x a read of 4 bytes a column");
  struct Case {
    const char* name;
    size_t columns;
    std::string text;
  };
  const std::string attribute = fmt::format("device.attributes['{}']", kDomain);
  const std::string memory =
      fmt::format("device.capacity['{}'].memory.compareTo(quantity('40Gi')) >= 0", kDomain);
  const Case cases[] = {
      {"model", 1, attribute + ".productName == 'A100-SXM4-80GB'"},
      {"serial", 1, attribute + ".serial == 'SN-00000042'"},
      {"capacity", 1, memory},
      {"compound",
       5,
       fmt::format("device.driver == '{}' && {}.type == 'gpu' && {}.architecture in ['Ampere', "
                   "'Hopper'] && {}.driverVersion.compareTo(semver('535.102.5')) >= 0 && {}",
                   kDomain,
                   attribute,
                   attribute,
                   attribute,
                   memory)},
  };
  for (const Case& item : cases) {
    const cel::batch::BatchSelector batch(cel::Selector::Compile(item.text, {}).value());
    cel::batch::Outcomes outcomes;
    const bench::Samples times = TimesOf([&] { batch.Evaluate(*table, outcomes); });
    const double read = StreamingRead(kDevices * item.columns * sizeof(uint32_t));
    fmt::print("{:>12} {:>9} {:>16.3f} {:>9.3f} {:>29.2f}\n",
               item.name,
               outcomes.matched.Count(),
               times.median() / kDevices,
               times.max() / kDevices,
               times.median() / read);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string peer = argc > 1 ? argv[1] : "";
  const std::string table = peer.empty() ? "" : OutputOf(peer);
  const Input input = ReadDump(peer.empty() ? OwnDump() : OutputOf(peer + " --dump"));
  MeasureScalar(input, table);
  if (!peer.empty()) fmt::print("(x: how many times faster than {})\n", "Kubernetes' engine");
  for (const size_t shapes : {size_t{200}, size_t{1'000'000}}) MeasureBatch(shapes);
  return 0;
}
