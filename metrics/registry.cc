// SPDX-License-Identifier: Apache-2.0
#include "metrics/registry.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mutex.h"
#include "base/result.h"
#include "base/world.h"

namespace dray::metrics {
namespace {

std::map<std::string, std::string> LabelMap(const Labels& labels) {
  std::map<std::string, std::string> map;
  for (const auto& [name, value] : labels) map.emplace(name, value);
  return map;
}

}  // namespace

void Counter::Add(double by) const {
  if (counter_ != nullptr) counter_->Increment(by);
}

void Gauge::Set(double value) const {
  if (gauge_ != nullptr) gauge_->Set(value);
}

void Gauge::Add(double by) const {
  if (gauge_ != nullptr) gauge_->Increment(by);
}

void Histogram::Observe(double value) const {
  if (histogram_ != nullptr) histogram_->Observe(value);
}

struct Registry::Impl {
  prometheus::Registry registry;
};

Registry::Registry() : impl_(std::make_unique<Impl>()) {}
Registry::~Registry() = default;

// A family that is registered again under its name is the existing one.
Counter Registry::CounterOf(const Description& description, const Labels& labels) {
  auto& family = prometheus::BuildCounter()
                     .Name(std::string(description.name))
                     .Help(std::string(description.help))
                     .Register(impl_->registry);
  return Counter(family.Add(LabelMap(labels)));
}

Gauge Registry::GaugeOf(const Description& description, const Labels& labels) {
  auto& family = prometheus::BuildGauge()
                     .Name(std::string(description.name))
                     .Help(std::string(description.help))
                     .Register(impl_->registry);
  return Gauge(family.Add(LabelMap(labels)));
}

Histogram Registry::HistogramOf(const Description& description,
                                std::span<const double> bounds,
                                const Labels& labels) {
  auto& family = prometheus::BuildHistogram()
                     .Name(std::string(description.name))
                     .Help(std::string(description.help))
                     .Register(impl_->registry);
  return Histogram(family.Add(
      LabelMap(labels), prometheus::Histogram::BucketBoundaries(bounds.begin(), bounds.end())));
}

std::string Registry::Text() {
  return prometheus::TextSerializer().Serialize(impl_->registry.Collect());
}

namespace {

double SecondsOf(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

// The fields of /proc/self/stat after the name of the program, which may contain blanks.
std::vector<std::string> StatFields(Disk& disk) {
  const Result<std::string> text = disk.Read("/proc/self/stat");
  if (!text.has_value()) return {};
  const size_t end = text->rfind(')');
  std::istringstream rest(end == std::string::npos ? std::string() : text->substr(end + 1));
  return {std::istream_iterator<std::string>(rest), {}};
}

// proc(5); counted from the third field, the first one after the name.
constexpr size_t kStartTicks = 19, kVirtualBytes = 20, kResidentPages = 21;

// The boot time of the machine, in seconds since 1970.
double BootSeconds(Disk& disk) {
  std::istringstream words(disk.Read("/proc/stat").value_or(std::string()));
  for (std::string word; words >> word;) {
    if (double seconds = 0; word == "btime" && words >> seconds) return seconds;
  }
  return 0;
}

}  // namespace

ProcessMetrics::ProcessMetrics(Registry& registry, Disk& disk)
    : disk_(disk),
      cpu_(registry.CounterOf({.name = "process_cpu_seconds_total",
                               .help = "User and system CPU time this process took, in seconds."})),
      resident_(registry.GaugeOf({.name = "process_resident_memory_bytes",
                                  .help = "Memory of this process that is in RAM."})),
      virtual_size_(registry.GaugeOf({.name = "process_virtual_memory_bytes",
                                      .help = "Addresses this process has reserved, in bytes."})),
      open_(registry.GaugeOf(
          {.name = "process_open_fds", .help = "File descriptors that are open."})),
      open_max_(registry.GaugeOf(
          {.name = "process_max_fds", .help = "File descriptors that may be open."})),
      start_(registry.GaugeOf({.name = "process_start_time_seconds",
                               .help = "When this process began, in seconds since 1970."})) {}

void ProcessMetrics::Read() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const double seconds = SecondsOf(usage.ru_utime) + SecondsOf(usage.ru_stime);
  {
    const MutexLock lock(mutex_);
    cpu_.Add(std::max(0.0, seconds - std::exchange(cpu_seconds_, seconds)));
  }
  if (const std::vector<std::string> fields = StatFields(disk_); fields.size() > kResidentPages) {
    const auto number = [&](size_t field) { return std::stod(fields[field]); };
    virtual_size_.Set(number(kVirtualBytes));
    resident_.Set(number(kResidentPages) * static_cast<double>(sysconf(_SC_PAGESIZE)));
    start_.Set(BootSeconds(disk_) +
               number(kStartTicks) / static_cast<double>(sysconf(_SC_CLK_TCK)));
  }
  if (const auto descriptors = disk_.List("/proc/self/fd"); descriptors.has_value()) {
    open_.Set(static_cast<double>(descriptors->size()));
  }
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) open_max_.Set(static_cast<double>(limit.rlim_cur));
}

}  // namespace dray::metrics
