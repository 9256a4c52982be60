// SPDX-License-Identifier: Apache-2.0
// What operators read of a running program: counters, gauges and histograms by name and labels, as
// text for Prometheus.
//
// A thin face of prometheus-cpp, whose headers stay out of ours. Names and labels are those that
// Kubernetes' programs have, where they mean the same; the words of help are our own.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/world.h"

namespace prometheus {
class Counter;
class Gauge;
class Histogram;
}  // namespace prometheus

namespace dray::metrics {

/// A metric, whatever its labels.
struct Description {
  std::string_view name;
  std::string_view help;
};

/// Names and values. The same ones in the same order are the same metric.
using Labels = std::vector<std::pair<std::string_view, std::string>>;

/// What only grows. A handle: as cheap to copy as a pointer, valid as long as its registry, safe
/// from any thread. One that was made by nobody counts nothing.
class Counter {
 public:
  Counter() = default;
  explicit Counter(prometheus::Counter& counter) : counter_(&counter) {}
  void Add(double by = 1) const;

 private:
  prometheus::Counter* counter_ = nullptr;
};

/// What goes up and down; as Counter.
class Gauge {
 public:
  Gauge() = default;
  explicit Gauge(prometheus::Gauge& gauge) : gauge_(&gauge) {}
  void Set(double value) const;
  void Add(double by) const;

 private:
  prometheus::Gauge* gauge_ = nullptr;
};

/// How often a value lay below each bound; as Counter.
class Histogram {
 public:
  Histogram() = default;
  explicit Histogram(prometheus::Histogram& histogram) : histogram_(&histogram) {}
  void Observe(double value) const;

 private:
  prometheus::Histogram* histogram_ = nullptr;
};

/// All metrics of one process. Safe from any thread; outlives the handles.
class Registry {
 public:
  Registry();
  ~Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  /// The metric of that name and those labels; made at the first call. Takes a lock and looks it
  /// up: keep what it answers. Precondition: one name is of one type, with the same labels' names
  /// each time; of a histogram, with the same ascending bounds.
  Counter CounterOf(const Description& description, const Labels& labels = {});
  Gauge GaugeOf(const Description& description, const Labels& labels = {});
  Histogram HistogramOf(const Description& description,
                        std::span<const double> bounds,
                        const Labels& labels = {});

  /// Everything, in Prometheus' text format 0.0.4. O(metrics).
  std::string Text();

  /// Of Text().
  static constexpr std::string_view kMediaType = "text/plain; version=0.0.4; charset=utf-8";

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// CPU, memory and descriptors of this process: `process_…`. Safe from any thread.
class ProcessMetrics {
 public:
  /// Both outlive it.
  ProcessMetrics(Registry& registry, Disk& disk);
  /// Looks at /proc. What is not there keeps its value.
  void Read();

 private:
  Disk& disk_;
  Counter cpu_;
  Gauge resident_, virtual_size_, open_, open_max_, start_;
  Mutex mutex_;
  double cpu_seconds_ DRAY_GUARDED_BY(mutex_) = 0;  // counted so far
};

}  // namespace dray::metrics
