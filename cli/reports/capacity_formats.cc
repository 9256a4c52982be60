// SPDX-License-Identifier: Apache-2.0
// JSON, CSV and Prometheus' text: for programs.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/codec/json_writer.h"
#include "cli/reports/capacity_report.h"

namespace dray::cli::inline reports {
namespace {

using planning::CapacityBy;
using planning::CapacityReport;
using planning::CapacityRow;
using planning::DeviceCounts;
using planning::PartitionShape;

constexpr std::array<std::string_view, 4> kByNames = {"driver", "pool", "class", "node"};

struct CountName {
  std::string_view name;
  size_t DeviceCounts::* count;
};
/// The states; each device is in one of them.
constexpr std::array kStates = {CountName{"used", &DeviceCounts::used},
                                CountName{"free", &DeviceCounts::free},
                                CountName{"tainted", &DeviceCounts::tainted},
                                CountName{"cordoned", &DeviceCounts::cordoned},
                                CountName{"nodeTainted", &DeviceCounts::node_tainted},
                                CountName{"blocked", &DeviceCounts::blocked},
                                CountName{"unusable", &DeviceCounts::unusable}};
/// Marks that devices of any state may have.
constexpr std::array kMarks = {CountName{"usedTainted", &DeviceCounts::used_tainted},
                               CountName{"unhealthy", &DeviceCounts::unhealthy}};

using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

/// The subject of a row.
Labels LabelsOf(CapacityBy by, const CapacityRow& row) {
  switch (by) {
    case CapacityBy::kDriver: return {{"driver", row.driver}};
    case CapacityBy::kPool: return {{"driver", row.driver}, {"pool", row.pool}};
    case CapacityBy::kClass: return {{"class", row.device_class}};
    case CapacityBy::kNode: return {{"node", row.node}};
  }
  return {};
}

// ------------------------------------------------------------------------------------------- JSON

int64_t Percent(double share) {
  constexpr double kHundred = 100;
  return std::lround(share * kHundred);
}

void WriteCounts(const DeviceCounts& counts, api::JsonWriter& json) {
  json.Object([&] {
    json.Member("total", counts.total);
    for (const auto& [name, count] : kStates) json.Member(name, counts.*count);
    for (const auto& [name, count] : kMarks) json.Member(name, counts.*count);
  });
}

void WriteShape(const PartitionShape& shape, api::JsonWriter& json) {
  json.Object([&] {
    json.Member("driver", shape.driver);
    json.Member("shape", shape.label);
    json.Member("example", shape.example);
    json.Member("devices", shape.devices);
    json.Member("sizePercent", Percent(shape.size));
    json.Member("fit").Object([&] {
      json.Member("atLeast", shape.fit.least);
      json.Member("atMost", shape.fit.most);
      json.Member("exact", shape.fit.is_exact());
    });
    json.Member("together", shape.together);
  });
}

void WritePartitions(const CapacityRow& row, api::JsonWriter& json) {
  json.Member("partitions").Object([&] {
    if (row.largest.has_value()) json.Member("largest", row.shapes[*row.largest].label);
    if (row.fragmentation.has_value()) {
      json.Member("fragmentationPercent", Percent(row.fragmentation->Lost()));
      json.Member("fragmented")
          .Object({{"shape", row.fragmentation->shape},
                   {"fit", row.fragmentation->fit},
                   {"ifTogether", row.fragmentation->if_together}});
    }
    json.Member("shapes").Array([&] {
      for (const PartitionShape& shape : row.shapes) WriteShape(shape, json);
    });
    json.Member("counters").Array([&] {
      for (const planning::CounterLeft& counter : row.counters) {
        json.Object([&] {
          json.Member("driver", counter.driver);
          if (!counter.set.empty()) json.Member("counterSet", counter.set);
          json.Member("counter", counter.counter);
          json.Member("total", counter.total.ToString());
          json.Member("left", counter.left.ToString());
        });
      }
    });
  });
}

void WriteShares(const CapacityRow& row, api::JsonWriter& json) {
  json.Member("shared").Array([&] {
    for (const planning::SharedCapacity& shared : row.shared) {
      json.Object([&] {
        json.Member("driver", shared.driver);
        json.Member("capacity", shared.name);
        json.Member("devices", shared.devices);
        json.Member("total", shared.total.ToString());
        json.Member("used", shared.used.ToString());
        json.Member("unavailable", shared.unavailable.ToString());
        json.Member("left", shared.left.ToString());
        json.Member("mostOnOne", shared.most.ToString());
      });
    }
  });
}

// ------------------------------------------------------------------------------- CSV, Prometheus

/// Whether a spreadsheet would take the text for a formula, even inside quotes.
bool BeginsFormula(std::string_view text) {
  constexpr std::array<std::string_view, 10> kBeginnings = {
      "=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20"};
  return std::ranges::any_of(kBeginnings,
                             [&](std::string_view one) { return text.starts_with(one); });
}

std::string CsvField(std::string_view given) {
  std::string text = (BeginsFormula(given) ? "'" : "") + Printable(given);
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

void AddCsvLine(const std::vector<std::string>& fields, std::string& out) {
  for (const std::string& field : fields) {
    if (&field != &fields.front()) out += ',';
    out += CsvField(field);
  }
  out += '\n';
}

std::string LabelText(std::string_view text) {
  std::string escaped;
  for (const char c : Printable(text)) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

/// Writes gauge by gauge, because the format wants the lines of one gauge together.
class Gauges {
 public:
  explicit Gauges(const CapacityReport& report) : report_(report) {}

  std::string Run() && {
    Devices();
    Partitions();
    Counters();
    Shares();
    return std::move(out_);
  }

 private:
  void Begin(std::string_view name, std::string_view help) {
    name_ = name;
    out_ += fmt::format("# HELP {0} {1}\n# TYPE {0} gauge\n", name, help);
  }

  void Add(const CapacityRow& row, const Labels& more, double value) {
    Labels labels = LabelsOf(report_.by, row);
    for (const auto& label : more) {
      if (label.first != labels.front().first && !label.second.empty()) labels.push_back(label);
    }
    std::vector<std::string> texts;
    for (const auto& [name, text] : labels)
      texts.push_back(fmt::format("{}=\"{}\"", name, LabelText(text)));
    out_ += fmt::format("{}{{{}}} {}\n", name_, fmt::join(texts, ","), value);
  }

  void Devices() {
    Begin("dray_devices", "Devices by state; each is in one.");
    for (const CapacityRow& row : report_.rows) {
      for (const auto& [name, count] : kStates)
        Add(row, {{"state", name}}, static_cast<double>(row.devices.*count));
    }
    Begin("dray_devices_unhealthy", "Devices that claims or pods call unhealthy.");
    for (const CapacityRow& row : report_.rows)
      Add(row, {}, static_cast<double>(row.devices.unhealthy));
  }

  void Partitions() {
    Begin("dray_partitions_fit", "Partitions of a shape that fit if all that is left is for them.");
    EachShape([&](const CapacityRow& row, const PartitionShape& shape) {
      Add(row,
          {{"driver", shape.driver}, {"shape", shape.label}, {"like", shape.example}},
          static_cast<double>(shape.fit.least));
    });
    Begin("dray_partitions_fit_at_most", "Above which the number of them is known not to be.");
    EachShape([&](const CapacityRow& row, const PartitionShape& shape) {
      Add(row,
          {{"driver", shape.driver}, {"shape", shape.label}, {"like", shape.example}},
          static_cast<double>(shape.fit.most));
    });
    Begin("dray_fragmentation_ratio",
          "What of the largest partitions cannot be placed, since what is left does not lie "
          "together.");
    for (const CapacityRow& row : report_.rows) {
      if (row.fragmentation.has_value()) Add(row, {}, row.fragmentation->Lost());
    }
  }

  void EachShape(const auto& visit) {
    for (const CapacityRow& row : report_.rows) {
      for (const PartitionShape& shape : row.shapes) visit(row, shape);
    }
  }

  void Counters() {
    Begin("dray_counter_left", "What is left of counters that devices share.");
    for (const CapacityRow& row : report_.rows) {
      for (const planning::CounterLeft& counter : row.counters) {
        Add(row,
            {{"driver", counter.driver}, {"set", counter.set}, {"counter", counter.counter}},
            counter.left.AsApproximateDouble());
      }
    }
  }

  void Shares() {
    Begin("dray_shared_capacity", "Capacity that requests share.");
    for (const CapacityRow& row : report_.rows) {
      for (const planning::SharedCapacity& shared : row.shared) {
        const auto add = [&](std::string_view state, const api::Quantity& amount) {
          Add(row,
              {{"driver", shared.driver}, {"capacity", shared.name}, {"state", state}},
              amount.AsApproximateDouble());
        };
        add("used", shared.used);
        add("left", shared.left);
        add("unavailable", shared.unavailable);
      }
    }
  }

  const CapacityReport& report_;
  std::string_view name_;
  std::string out_;
};

}  // namespace

std::string JsonOf(const planning::CapacityReport& report) {
  return api::JsonText([&](api::JsonWriter& json) {
    json.Object([&] {
      WriteSchema("capacity", json);
      json.Member("by", kByNames[static_cast<size_t>(report.by)]);
      json.Member("pools", report.pools);
      WriteCounts(report.total, json.Member("devices"));
      json.Member("rows").Array([&] {
        for (const CapacityRow& row : report.rows) {
          json.Object([&] {
            for (const auto& [name, text] : LabelsOf(report.by, row)) json.Member(name, text);
            WriteCounts(row.devices, json.Member("devices"));
            if (!row.shapes.empty()) WritePartitions(row, json);
            if (!row.shared.empty()) WriteShares(row, json);
          });
        }
      });
    });
  });
}

std::string CsvOf(const planning::CapacityReport& report) {
  std::vector<std::string> fields;
  for (const auto& [name, text] : LabelsOf(report.by, {})) fields.emplace_back(name);
  fields.emplace_back("total");
  for (const auto& [name, count] : kStates) fields.emplace_back(name);
  for (const auto& [name, count] : kMarks) fields.emplace_back(name);
  fields.insert(fields.end(), {"largest", "fragmentationPercent", "partitions", "shared"});
  std::string out;
  AddCsvLine(fields, out);
  for (const CapacityRow& row : report.rows) {
    fields.clear();
    for (const auto& [name, text] : LabelsOf(report.by, row)) fields.emplace_back(text);
    fields.push_back(std::to_string(row.devices.total));
    for (const auto& [name, count] : kStates) fields.push_back(std::to_string(row.devices.*count));
    for (const auto& [name, count] : kMarks) fields.push_back(std::to_string(row.devices.*count));
    fields.push_back(row.largest.has_value() ? row.shapes[*row.largest].label : "");
    fields.push_back(
        row.fragmentation.has_value() ? std::to_string(Percent(row.fragmentation->Lost())) : "");
    std::vector<std::string> parts;
    parts.reserve(row.shapes.size());
    for (const PartitionShape& shape : row.shapes)
      parts.push_back(fmt::format("{}: {}", shape.label, FitText(shape.fit)));
    fields.push_back(fmt::format("{}", fmt::join(parts, "; ")));
    parts.clear();
    for (const planning::SharedCapacity& shared : row.shared) {
      parts.push_back(fmt::format(
          "{}: {} of {}", shared.name, shared.left.ToString(), shared.total.ToString()));
    }
    fields.push_back(fmt::format("{}", fmt::join(parts, "; ")));
    AddCsvLine(fields, out);
  }
  return out;
}

std::string PrometheusOf(const planning::CapacityReport& report) {
  return Gauges(report).Run();
}

}  // namespace dray::cli::inline reports
