// SPDX-License-Identifier: Apache-2.0
// Metrics of a running program: counters, gauges and histograms by name and labels, as text for
// Prometheus.
//
// A thin layer over prometheus-cpp that keeps its headers out of ours. Names and labels are those
// of Kubernetes' programs where the meaning is the same; the help texts are Dray's own.
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

/// A metric without its labels.
struct Description {
  std::string_view name;
  std::string_view help;
};

/// Names and values. The same ones in the same order are the same metric.
using Labels = std::vector<std::pair<std::string_view, std::string>>;

/// A number that only grows. A handle: as cheap to copy as a pointer, valid as long as its
/// registry, safe from any thread. A default-constructed handle counts nothing.
class Counter {
 public:
  Counter() = default;
  explicit Counter(prometheus::Counter& counter) : counter_(&counter) {}
  void Add(double by = 1) const;

 private:
  prometheus::Counter* counter_ = nullptr;
};

/// A number that goes up and down; a handle like Counter.
class Gauge {
 public:
  Gauge() = default;
  explicit Gauge(prometheus::Gauge& gauge) : gauge_(&gauge) {}
  void Set(double value) const;
  void Add(double by) const;

 private:
  prometheus::Gauge* gauge_ = nullptr;
};

/// Counts how many values were at most each bound; a handle like Counter.
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

  /// Returns the metric with that name and those labels; creates it at the first call. Takes a lock
  /// and searches, so keep the result. Precondition: all calls for one name have the same type and
  /// label names, and for a histogram the same ascending bounds.
  Counter CounterOf(const Description& description, const Labels& labels = {});
  Gauge GaugeOf(const Description& description, const Labels& labels = {});
  Histogram HistogramOf(const Description& description,
                        std::span<const double> bounds,
                        const Labels& labels = {});

  /// All metrics, in Prometheus' text format 0.0.4. O(metrics).
  std::string Text();

  /// The media type of Text().
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
  /// Reads /proc. A value that cannot be read keeps its last value.
  void Read();

 private:
  Disk& disk_;
  Counter cpu_;
  Gauge resident_, virtual_size_, open_, open_max_, start_;
  Mutex mutex_;
  double cpu_seconds_ DRAY_GUARDED_BY(mutex_) = 0;  // counted so far
};

}  // namespace dray::metrics
