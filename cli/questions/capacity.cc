// SPDX-License-Identifier: Apache-2.0
// dray capacity: the devices of a cluster, and what is left.
#include "planning/capacity/capacity.h"

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/codec/json_writer.h"
#include "api/resource_v1alpha3.h"
#include "base/text/spelling.h"
#include "base/try.h"
#include "cli/command_line/common_options.h"
#include "cli/input/offline_input.h"
#include "cli/input/watch.h"
#include "cli/questions/count_devices.h"
#include "cli/questions/questions.h"
#include "cli/reports/capacity_report.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "controllers/pool_status.h"

namespace dray::cli::inline questions {
namespace {

namespace v1 = api::resource_v1;
using planning::CapacityBy;
using PoolRequest = api::resource_v1alpha3::ResourcePoolStatusRequest;

constexpr std::array<std::string_view, 4> kByWords = {"driver", "pool", "class", "node"};
constexpr size_t kNotesMax = 10;
constexpr size_t kPoolsListedMax = 1'000;  // in one ResourcePoolStatusRequest

struct CapacityOptions {
  OfflineInputOptions input;
  std::string by = "driver";
  std::string driver, pool;  // only these; empty: all
  bool watch = false;
  bool pool_status = false;  // as ResourcePoolStatusRequests
  std::string format = "text";
};

Result<> CheckOptions(const CapacityOptions& options) {
  if (!options.pool_status) return {};
  if (options.format == "csv" || options.format == "prometheus") {
    return Fail(StatusReason::kBadRequest,
                fmt::format("--pool-status prints objects: -o {} does not go with it, -o yaml does",
                            options.format));
  }
  if (!options.input.node.empty()) {
    return Fail(StatusReason::kBadRequest,
                "--pool-status is about whole pools: --node does not go with it, --pool does");
  }
  return {};
}

/// Errors: kBadRequest  --driver or --pool names nothing in the input.
Result<> CheckNames(const CapacityOptions& options, const planning::OfflineObjects& objects) {
  std::set<std::string> drivers;
  std::set<std::string> pools;
  for (const auto& slice : objects.slices) {
    drivers.insert(slice->spec.driver);
    if (options.driver.empty() || options.driver == slice->spec.driver)
      pools.insert(slice->spec.pool.name);
  }
  const auto check = [](std::string_view option,
                        std::string_view what,
                        const std::string& name,
                        const std::set<std::string>& there) -> Result<> {
    if (name.empty() || there.contains(name)) return {};
    const std::vector<std::string> known(there.begin(), there.end());
    return Fail(
        StatusReason::kBadRequest,
        fmt::format("{}: no {} {} in the input; {}", option, what, name, KnownNames(name, known)));
  };
  DRAY_TRY_VOID(check("--driver", "driver", options.driver, drivers));
  return check("--pool", "pool", options.pool, pools);
}

/// One question and its answer as text.
class Account {
 public:
  Account(World& world, const CapacityOptions& options, const OfflineInput& input)
      : world_(world), options_(options), input_(input), claims_(ClaimsOf(input.objects)) {}

  /// Errors: an option names nothing in the input, or a slice is invalid.
  Result<std::string> Text(Progress& progress, const Output& output) {
    DRAY_TRY_VOID(CheckNames(options_, input_.objects));
    return options_.pool_status ? PoolStatus(progress, output) : Capacity(progress, output);
  }

 private:
  Result<std::string> Capacity(Progress& progress, const Output& output) {
    DRAY_TRY(const planning::CapacityReport report, Report());
    progress.Clear();
    std::vector<std::string> notes = report.notes;
    if (notes.size() > kNotesMax) {
      const size_t more = notes.size() - kNotesMax;
      notes.resize(kNotesMax);
      notes.push_back(fmt::format("… and {} more", more));
    }
    output.Notes(notes);
    if (options_.format == "csv") return CsvOf(report);
    if (options_.format == "prometheus") return PrometheusOf(report);
    if (options_.format == "text") return TextOf(report, output.colours);
    return DocumentText(FormatOf(options_.format), JsonOf(report));
  }

  Result<planning::CapacityReport> Report() {
    std::vector<std::string> names;
    names.reserve(input_.objects.nodes.size());
    for (const auto& [name, node] : input_.objects.nodes) names.push_back(name);
    DRAY_TRY_VOID(CheckNode(options_.input, names));
    const auto* by = std::ranges::find(kByWords, options_.by);
    return CountDevices(world_,
                        input_,
                        {.by = static_cast<CapacityBy>(by - kByWords.begin()),
                         .node = options_.input.node,
                         .driver = options_.driver,
                         .pool = options_.pool});
  }

  /// One answered ResourcePoolStatusRequest for each driver.
  Result<std::string> PoolStatus(Progress& progress, const Output& output) {
    progress.Clear();
    std::set<std::string> drivers = {options_.driver};
    if (options_.driver.empty()) {
      drivers.clear();
      for (const auto& slice : input_.objects.slices) drivers.insert(slice->spec.driver);
    }
    std::vector<std::string> requests;
    for (const std::string& driver : drivers) {
      PoolRequest request;
      request.metadata.name = driver;
      request.spec.driver = driver;
      request.spec.limit = static_cast<int32_t>(kPoolsListedMax);
      if (!options_.pool.empty()) request.spec.pool_name = options_.pool;
      request.status =
          controllers::PoolStatusOf(request.spec,
                                    {.slices = input_.objects.slices, .claims = claims_},
                                    api::Time::Of(world_.clock.Now()));
      const auto pools = static_cast<size_t>(request.status->pool_count.value_or(0));
      if (pools > kPoolsListedMax) {
        output.Notes(std::vector<std::string>{
            fmt::format("driver {} has {} pools, of which the first {} are listed: --pool chooses",
                        driver,
                        pools,
                        kPoolsListedMax)});
      }
      requests.push_back(api::ToJson(api::Object::Of(std::move(request))));
    }
    const OutputFormat format =
        options_.format == "json" ? OutputFormat::kJson : OutputFormat::kYaml;
    return DocumentText(format, ListOf(requests));
  }

  /// One value; several become a v1 List.
  static std::string ListOf(const std::vector<std::string>& objects) {
    if (objects.size() == 1) return objects.front();
    return api::JsonText([&](api::JsonWriter& json) {
      json.Object([&] {
        json.Member("apiVersion", "v1");
        json.Member("kind", "List");
        json.Member("items").Array([&] {
          for (const std::string& object : objects) json.Raw(object);
        });
      });
    });
  }

  World& world_;
  const CapacityOptions& options_;
  const OfflineInput& input_;
  std::vector<Frozen<v1::ResourceClaim>> claims_;
};

/// Errors: bad options or unreadable input.
Result<Said> Count(World& world, const CapacityOptions& options, const Output& output) {
  DRAY_TRY(OfflineInput input, ReadOfflineInput(world, options.input, output));
  if (!input.is_known) {
    return Fail(StatusReason::kBadRequest,
                "nothing was counted: the files hold no objects that Dray knows");
  }
  NoteWhatLacks(input.objects, output);
  Progress progress(output, world.clock);
  progress.Now("counting");
  Account account(world, options, input);
  Result<std::string> text = account.Text(progress, output);
  if (!text) return Fail(text.error());
  return Said{.text = *std::move(text), .code = kExitYes, .listed = std::move(input.listed)};
}

/// Returns the exit code. Errors: bad options or unreadable input.
Result<int> RunCapacity(World& world, const CapacityOptions& options, const Output& output) {
  DRAY_TRY_VOID(CheckOptions(options));
  const auto ask = [&] { return Count(world, options, output); };
  if (options.watch) {
    return WatchAnswers(
        world, options.input, {.command = "capacity", .format = options.format}, ask, output);
  }
  DRAY_TRY(const Said said, ask());
  cli::Print(output.out, "{}", Composed(said.text));
  return said.code;
}

void AddOptions(Command& command, CapacityOptions& options) {
  AddFiles(command, options.input);
  AddLiveInput(command, options.input);
  AddProfile(command, options.input);
  const Option& by = command.Text("--by", options.by, "a row for each driver, pool, class or node")
                         .OneOf({"driver", "pool", "class", "node"})
                         .ShowsDefault();
  command.Text("--driver DRIVER", options.driver, "only devices of this driver");
  command.Text("--pool POOL", options.pool, "only devices of this pool");
  command.Text("--node NODE", options.input.node, "only devices that this node can use");
  AddWatch(command, options.watch);
  command
      .Flag("--pool-status",
            options.pool_status,
            "print ResourcePoolStatusRequests as a cluster would answer them (KEP-5677)")
      .Excludes(by);
  AddOutput(command, options.format, {"text", "json", "yaml", "csv", "prometheus"});
}

}  // namespace

void AddCapacity(Command& program) {
  const auto options = std::make_shared<CapacityOptions>();
  Command& command = program.Add("capacity", "which devices there are, and what is left of them");
  AddOptions(command, *options);
  command.Notes(
      "Each device counts once: used (a claim has it, or a share), free, tainted, cordoned or node "
      "tainted (its node keeps pods away), blocked (others have the counters that it draws from) "
      "or unusable (its pool is incomplete or contradicts itself). Nothing is written anywhere.\n"
      "Exit codes: 0 counted, 2 bad options or unreadable input.\n"
      "Examples:\n"
      "  dray capacity --by node                  # where kubectl asks\n"
      "  dray capacity -f dump.yaml --by class -o csv\n"
      "  dray capacity -f examples/stories/partitions/cluster.yaml\n"
      "  dray capacity --watch --driver gpu.example.com");
  command.Does([options](World& world, const Output& output) {
    return RunCapacity(world, *options, output);
  });
}

}  // namespace dray::cli::inline questions
