// SPDX-License-Identifier: Apache-2.0
#include "cli/allocate.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "api/json.h"
#include "api/resource_v1.h"
#include "api/yaml.h"
#include "cli/manifests.h"
#include "cli/offline_cluster.h"

namespace dray::cli {
namespace {

namespace v1 = api::resource_v1;

using Row = std::array<std::string, 4>;

/// Columns as wide as their widest cell.
void PrintTable(std::FILE* out, const std::vector<Row>& rows) {
  std::array<size_t, 4> widths{};
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths.at(i) = std::max(widths.at(i), row.at(i).size());
  }
  for (const Row& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i)
      line += fmt::format("{:<{}}   ", row.at(i), widths.at(i));
    line.erase(line.find_last_not_of(' ') + 1);
    fmt::print(out, "{}\n", line);
  }
}

void PrintAsTable(std::FILE* out, const std::vector<OfflineAnswer>& answers) {
  std::vector<Row> rows{{"CLAIM", "REQUEST", "DEVICE", "NODE"}};
  std::set<std::string> shown;  // a claim that several pods share is one row
  for (const OfflineAnswer& answer : answers) {
    for (const api::Object& object : answer.claims) {
      const std::string key = api::ObjectKey(object.metadata());
      if (!shown.insert(key).second) continue;
      const auto& allocation = object.As<v1::ResourceClaim>().status.allocation;
      if (!allocation.has_value()) continue;
      for (const v1::DeviceRequestAllocationResult& result : allocation->devices.results) {
        rows.push_back({key,
                        result.request,
                        fmt::format("{}/{}/{}{}",
                                    result.driver,
                                    result.pool,
                                    result.device,
                                    result.admin_access.value_or(false) ? " (admin)" : ""),
                        answer.node});
      }
    }
  }
  if (rows.size() > 1) PrintTable(out, rows);
  for (const OfflineAnswer& answer : answers) {
    if (!answer.reason.empty())
      fmt::print(out, "{} does not fit: {}\n", answer.what, answer.reason);
  }
}

/// A v1 List of the claims with their allocations: what the API server would hold. A claim that
/// several pods share stands where the first of them got it, as the last of them left it.
std::string AsJson(const std::vector<OfflineAnswer>& answers) {
  std::vector<std::string> order;
  std::map<std::string, const api::Object*> newest;
  for (const OfflineAnswer& answer : answers) {
    for (const api::Object& claim : answer.claims) {
      std::string key = api::ObjectKey(claim.metadata());
      if (newest.insert_or_assign(key, &claim).second) order.push_back(std::move(key));
    }
  }
  std::string json = R"({"kind":"List","apiVersion":"v1","metadata":{},"items":[)";
  for (const std::string& key : order) {
    if (key != order.front()) json += ',';
    api::EncodeJson(*newest.at(key), json);
  }
  return json + "]}";
}

}  // namespace

int Allocate(World& world, const AllocateOptions& options, std::FILE* out, std::FILE* notes) {
  const api::Scheme scheme;
  const Result<Manifests> manifests = ReadManifests(world.disk, scheme, options.paths);
  if (!manifests) {
    fmt::print(notes, "dray allocate: {}\n", manifests.error().message);
    return 2;
  }
  for (const std::string& note : manifests->notes) fmt::print(notes, "note: {}\n", note);
  OfflineCluster cluster(world, *manifests);
  for (const std::string& note : cluster.notes()) fmt::print(notes, "note: {}\n", note);
  const std::vector<OfflineAnswer> answers = cluster.AllocateAll(options.node);
  if (answers.empty())
    fmt::print(notes, "note: no pod uses a claim, and no claim waits for devices\n");
  switch (options.output) {
    case OutputFormat::kTable: PrintAsTable(out, answers); break;
    case OutputFormat::kJson: fmt::print(out, "{}\n", api::PrettyJson(AsJson(answers))); break;
    case OutputFormat::kYaml: {
      const auto yaml = api::JsonToYaml(AsJson(answers));
      fmt::print(out, "{}", yaml ? *yaml : "");
      break;
    }
  }
  if (options.output != OutputFormat::kTable) {
    for (const OfflineAnswer& answer : answers) {
      if (!answer.reason.empty())
        fmt::print(notes, "{} does not fit: {}\n", answer.what, answer.reason);
    }
  }
  const bool all_fit =
      std::ranges::all_of(answers, [](const OfflineAnswer& a) { return a.reason.empty(); });
  return all_fit ? 0 : 1;
}

}  // namespace dray::cli
