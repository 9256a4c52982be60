// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/reports/capacity_report.h"

namespace dray::cli::inline reports {
namespace {

using planning::CapacityBy;
using planning::CapacityReport;
using planning::CapacityRow;
using planning::DeviceCounts;

struct CountColumn {
  std::string_view head;
  size_t DeviceCounts::* count;
  bool is_always_there;
};
constexpr std::array kCounts = {CountColumn{"DEVICES", &DeviceCounts::total, true},
                                CountColumn{"USED", &DeviceCounts::used, true},
                                CountColumn{"FREE", &DeviceCounts::free, true},
                                CountColumn{"TAINTED", &DeviceCounts::tainted, false},
                                CountColumn{"CORDONED", &DeviceCounts::cordoned, false},
                                CountColumn{"NODE TAINTED", &DeviceCounts::node_tainted, false},
                                CountColumn{"BLOCKED", &DeviceCounts::blocked, false},
                                CountColumn{"UNUSABLE", &DeviceCounts::unusable, false},
                                CountColumn{"UNHEALTHY", &DeviceCounts::unhealthy, false}};

class CapacityText {
 public:
  CapacityText(const CapacityReport& report, Colours colours)
      : report_(report), colours_(colours) {}

  std::string Run() && {
    Devices();
    Partitions();
    Losses();
    if (report_.by == CapacityBy::kPool) Counters();
    Shares();
    return std::move(out_);
  }

 private:
  Row Heads() const {
    switch (report_.by) {
      case CapacityBy::kDriver: return {"DRIVER"};
      case CapacityBy::kPool: return {"DRIVER", "POOL"};
      case CapacityBy::kClass: return {"CLASS"};
      case CapacityBy::kNode: return {"NODE"};
    }
    return {};
  }

  Row Names(const CapacityRow& row) const {
    switch (report_.by) {
      case CapacityBy::kDriver: return {Printable(row.driver)};
      case CapacityBy::kPool: return {Printable(row.driver), Printable(row.pool)};
      case CapacityBy::kClass:
        return {row.device_class.empty() ? "(none)" : Printable(row.device_class)};
      case CapacityBy::kNode: return {row.node.empty() ? "(several)" : Printable(row.node)};
    }
    return {};
  }

  void Table(std::string_view title, const std::vector<Row>& rows) {
    if (rows.size() < 2) return;
    if (!title.empty()) out_ += "\n" + Painted(title, kYellow, colours_) + "\n";
    out_ += TableOf(rows, Numbers::kRight);
  }

  bool Shows(const CountColumn& column) const {
    return column.is_always_there || report_.total.*column.count > 0;
  }

  void AddCounts(const DeviceCounts& counts, Row& row) const {
    for (const CountColumn& column : kCounts) {
      if (Shows(column)) row.push_back(std::to_string(counts.*column.count));
    }
  }

  void Devices() {
    std::vector<Row> rows = {Heads()};
    for (const CountColumn& column : kCounts) {
      if (Shows(column)) rows.front().emplace_back(column.head);
    }
    for (const CapacityRow& row : report_.rows)
      AddCounts(row.devices, rows.emplace_back(Names(row)));
    if (report_.rows.size() > 1) {
      Row& all = rows.emplace_back(Heads().size());
      all.front() = "all";
      AddCounts(report_.total, all);
    }
    if (rows.size() == 1) {
      out_ += "no devices\n";
      return;
    }
    Table("", rows);
  }

  void Partitions() {
    std::vector<Row> rows = {Heads()};
    rows.front().insert(rows.front().end(), {"PARTITION", "LIKE", "DEVICES", "FIT", "TOGETHER"});
    for (const CapacityRow& row : report_.rows) {
      for (const planning::PartitionShape& shape : row.shapes) {
        Row line = Names(row);
        line.insert(line.end(),
                    {Printable(shape.label),
                     Printable(shape.example),
                     std::to_string(shape.devices),
                     FitText(shape.fit),
                     std::to_string(shape.together)});
        rows.push_back(std::move(line));
      }
    }
    Table("partitions that can still be cut: of each alone, and of all together", rows);
  }

  void Losses() {
    std::vector<Row> rows = {Heads()};
    rows.front().insert(rows.front().end(), {"LARGEST LEFT", "OF THE LARGEST", "FRAGMENTED"});
    for (const CapacityRow& row : report_.rows) {
      if (row.shapes.empty()) continue;
      Row line = Names(row);
      line.push_back(row.largest.has_value() ? Printable(row.shapes[*row.largest].label) : "none");
      const auto& lost = row.fragmentation;
      line.push_back(lost.has_value() ? fmt::format("{} of {} {}",
                                                    std::min(lost->fit, lost->if_together),
                                                    lost->if_together,
                                                    Printable(lost->shape))
                                      : "");
      line.push_back(lost.has_value() ? PercentText(lost->Lost()) : "");
      rows.push_back(std::move(line));
    }
    Table("the largest of them", rows);
  }

  void Counters() {
    std::vector<Row> rows = {Heads()};
    rows.front().insert(rows.front().end(), {"SET", "COUNTER", "TOTAL", "LEFT"});
    for (const CapacityRow& row : report_.rows) {
      for (const planning::CounterLeft& counter : row.counters) {
        Row line = Names(row);
        line.insert(line.end(),
                    {Printable(counter.set),
                     Printable(counter.counter),
                     counter.total.ToString(),
                     counter.left.ToString()});
        rows.push_back(std::move(line));
      }
    }
    Table("counters", rows);
  }

  void Shares() {
    std::vector<Row> rows = {Heads()};
    rows.front().insert(rows.front().end(), {"CAPACITY", "TOTAL", "USED", "LEFT", "MOST ON ONE"});
    for (const CapacityRow& row : report_.rows) {
      for (const planning::SharedCapacity& shared : row.shared) {
        Row line = Names(row);
        line.insert(line.end(),
                    {Printable(shared.name),
                     shared.total.ToString(),
                     shared.used.ToString(),
                     shared.left.ToString(),
                     shared.most.ToString()});
        rows.push_back(std::move(line));
      }
    }
    Table("capacity that requests share", rows);
  }

  const CapacityReport& report_;
  const Colours colours_;
  std::string out_;
};

}  // namespace

std::string PercentText(double share) {
  constexpr double kHundred = 100;
  return fmt::format("{}%", std::lround(share * kHundred));
}

std::string FitText(const planning::CarvingAnswer::Fit& fit) {
  return fit.is_exact() ? std::to_string(fit.least) : fmt::format("{}-{}", fit.least, fit.most);
}

std::string TextOf(const planning::CapacityReport& report, Colours colours) {
  return CapacityText(report, colours).Run();
}

}  // namespace dray::cli::inline reports
