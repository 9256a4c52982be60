// SPDX-License-Identifier: Apache-2.0
#include "bench/scale/measure.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/world.h"
#include "bench/samples.h"
#include "bench/serve/pod_load.h"
#include "bench/serve/requests.h"
#include "bench/serve/server_process.h"
#include "net/client/http_client.h"

namespace dray::bench {
namespace {

constexpr size_t kPodsPaced = 200;
constexpr std::chrono::milliseconds kPace{100};
constexpr double kRestCpu = 0.05;  // CPU-seconds in a second: less is rest
constexpr int kRestSecondsMax = 300;
constexpr double kMiB = 1024;  // KiB

void Report(const ScaleSetup& setup, std::string_view what) {
  fmt::print(stderr, "scale_bench: {} nodes: {}\n", setup.nodes, what);
}

double SecondsSince(int64_t begin) {
  return static_cast<double>(Now() - begin) / 1e9;
}

/// One size of cluster while it is measured.
class Laboratory {
 public:
  explicit Laboratory(const ScaleSetup& setup)
      : setup_(setup),
        load_{.program = setup.program,
              .profile = setup.profile,
              .driver = setup.driver,
              .nodes = setup.nodes,
              .flags = setup.flags} {
    figures_.nodes = setup.nodes;
    figures_.pods = std::min(setup.pods_max, setup.nodes * kDevicesPerNode * 9 / 10);
  }

  ScaleFigures Run() {
    Start();
    Fill();
    Churn();
    Pace();
    figures_.resident = Resident();
    figures_.listed_again = server_->Said("listing again");
    Restart();
    return figures_;
  }

 private:
  void Start() {
    Report(setup_, "starting");
    const int64_t begin = Now();
    Begin();
    PreparePods(*client_, load_);
    figures_.seconds_up = SecondsSince(begin);
    AwaitRest();
    figures_.cpu_up = server_->cpu_seconds();
    figures_.resident_up = Resident();
  }

  void Begin() {
    client_.reset();
    server_.reset();  // before the next opens its files
    server_ = std::make_unique<ServerProcess>(load_.program, folder_.path(), load_.Flags());
    server_->AwaitReady();
    client_.emplace(RealWorld().clock, server_->ClientOptions());
  }

  /// Waits until the server has nothing to do for a second.
  void AwaitRest() {
    for (int second = 0; second < kRestSecondsMax; ++second) {
      const double before = server_->cpu_seconds();
      std::this_thread::sleep_for(std::chrono::seconds(1));
      const double spent = server_->cpu_seconds() - before;
      figures_.ticks_at_rest = spent * 1000;
      if (spent < kRestCpu) return;
    }
    Report(setup_, "the server does not come to rest");
  }

  /// Creates the pods with `create` and waits until all are bound.
  template <class Creation>
  PodTimes Bind(const std::string& prefix, size_t pods, Creation create) {
    PodTimes times(pods);
    auto stream = client_->Open({.target = "/api/v1/namespaces/default/pods?watch=1"});
    if (!stream || (*stream)->status() != 200) Die("the watch does not open");
    std::thread watcher([&] { ReadUntilAllBound(**stream, prefix, times); });
    create(times);
    watcher.join();
    return times;
  }

  PodTimes BindAtOnce(const std::string& prefix, size_t pods) {
    return Bind(prefix, pods, [&](PodTimes& times) { CreatePods(*server_, prefix, times); });
  }

  void Fill() {
    Report(setup_, fmt::format("binding {} pods", figures_.pods));
    const double before = server_->cpu_seconds();
    const PodTimes times = BindAtOnce("fill", figures_.pods);
    AwaitRest();
    figures_.cpu_per_pod =
        (server_->cpu_seconds() - before) * 1000 / static_cast<double>(figures_.pods);
    figures_.pods_per_second = static_cast<double>(figures_.pods) / times.Seconds();
    CheckDevices(*client_, figures_.pods);
  }

  /// Deletes a tenth of the pods and creates as many.
  void Churn() {
    const size_t pods = std::max<size_t>(1, figures_.pods / 10);
    Report(setup_, fmt::format("replacing {} pods", pods));
    const double before = server_->cpu_seconds();
    for (size_t pod = 0; pod < pods; ++pod) {
      Send(*client_,
           {.method = "DELETE",
            .target = fmt::format("/api/v1/namespaces/default/pods/fill-{}", pod)});
    }
    BindAtOnce("churn", pods);
    AwaitRest();
    figures_.churn_per_pod = (server_->cpu_seconds() - before) * 1000 / static_cast<double>(pods);
    CheckDevices(*client_, figures_.pods);
  }

  void Pace() {
    const size_t left = setup_.nodes * kDevicesPerNode - figures_.pods;
    const size_t pods = std::min(kPodsPaced, left);
    Report(setup_, fmt::format("{} pods, ten a second", pods));
    const PodTimes times =
        Bind("paced", pods, [&](PodTimes& all) { CreatePodsPaced(*server_, "paced", all, kPace); });
    const Samples waits = times.Waits();
    figures_.paced_p50 = waits.median();
    figures_.paced_p99 = waits.At(99);
    figures_.paced_max = waits.max();
    Send(
        *client_,
        {.method = "DELETE", .target = "/api/v1/namespaces/default/pods/paced-0"});  // room for one
  }

  void Restart() {
    Report(setup_, "starting again");
    client_.reset();
    server_.reset();
    const int64_t begin = Now();
    Begin();
    const int64_t ready = Now();
    figures_.ready_again = static_cast<double>(ready - begin) / 1e6;
    BindAtOnce("again", 1);
    figures_.bound_again = SecondsSince(ready) * 1000;
  }

  double Resident() const { return static_cast<double>(server_->resident_kib()) / kMiB; }

  const ScaleSetup setup_;
  const PodLoad load_;
  const ScratchFolder folder_;
  std::unique_ptr<ServerProcess> server_;
  std::optional<net::client::HttpClient> client_;
  ScaleFigures figures_;
};

}  // namespace

ScaleFigures MeasureScale(const ScaleSetup& setup) {
  return Laboratory(setup).Run();
}

}  // namespace dray::bench
