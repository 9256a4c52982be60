// SPDX-License-Identifier: Apache-2.0
// What one size of cluster costs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace dray::bench {

/// A cluster of simulated nodes, with its store on disk, and the pods that it gets.
struct ScaleSetup {
  std::string program, profile, driver;
  size_t nodes;
  size_t pods_max;                      // at once, and no more than nine tenths of the devices
  std::vector<std::string> flags = {};  // more flags for dray serve
};

struct ScaleFigures {
  size_t nodes = 0;
  double seconds_up = 0;     // from the start until all slices are there
  double cpu_up = 0;         // CPU-seconds until nothing is left to do
  double resident_up = 0;    // MiB, then
  double ticks_at_rest = 0;  // CPU-milliseconds in a second
  size_t pods = 0;           // with a claim each, created as fast as possible
  double pods_per_second = 0;
  double cpu_per_pod = 0;    // milliseconds
  double churn_per_pod = 0;  // milliseconds for a pod that takes the place of a deleted one
  double paced_p50 = 0;      // ten pods a second: milliseconds from create to bound
  double paced_p99 = 0;
  double paced_max = 0;
  double resident = 0;      // MiB, with all pods
  size_t listed_again = 0;  // informers that fell behind the history, until then
  double ready_again = 0;   // milliseconds from a restart to /readyz
  double bound_again = 0;   // milliseconds from there until a new pod is bound
};

/// Runs everything; prints what it does on standard error. Ends the program if the server fails, or
/// a device is given twice.
ScaleFigures MeasureScale(const ScaleSetup& setup);

}  // namespace dray::bench
