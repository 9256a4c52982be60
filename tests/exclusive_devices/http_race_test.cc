// SPDX-License-Identifier: Apache-2.0
// Two independent clients, each at a server of its own, over HTTP.
#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/kind.h"
#include "api/object.h"
#include "api/resource_v1/claim.h"
#include "base/log.h"
#include "base/world.h"
#include "client/http_client.h"
#include "client/kubeconfig.h"
#include "control_plane/process.h"
#include "store/etcd/testing/etcd_process.h"
#include "tests/exclusive_devices/double_bookings.h"

namespace dray::exclusive_devices {
namespace {

using api::resource_v1::ResourceClaim;
using store::etcd::testing::EtcdProcess;
using ::testing::HasSubstr;

constexpr size_t kWriters = 4;
constexpr int kRounds = 25;

/// A server as `dray serve` runs it, without components, and a client as kubectl is one.
class RacedServer {
 public:
  RacedServer(const std::filesystem::path& folder, control_plane::StoreChoice store)
      : process_(RealWorld(), Log::Silent(), OptionsOf(folder, std::move(store))) {
    const Result<> started = process_.Start();
    EXPECT_TRUE(started.has_value()) << started.error().message;
  }

  std::unique_ptr<client::HttpClient> NewClient() {
    World& world = RealWorld();
    const std::string text = *world.disk.Read(process_.kubeconfig());
    const client::ClusterAccess access = *client::ParseKubeconfig(text, "", "", world.disk);
    return *client::HttpClient::Create(world.clock, access);
  }

 private:
  static control_plane::ProcessOptions OptionsOf(const std::filesystem::path& folder,
                                                 control_plane::StoreChoice store) {
    store.data_folder = folder.string();
    return {.listen = {.host = "127.0.0.1", .port = 0}, .store = std::move(store)};
  }

  control_plane::Process process_;
};

class HttpRace : public ::testing::Test {
 public:
  HttpRace(const HttpRace&) = delete;
  HttpRace& operator=(const HttpRace&) = delete;

 protected:
  HttpRace() {
    std::string folder =
        (std::filesystem::temp_directory_path() / "exclusive-devices-XXXXXX").string();
    EXPECT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = folder;
  }
  ~HttpRace() override {
    servers_.clear();
    std::filesystem::remove_all(folder_);
  }

  void StartServer(const control_plane::StoreChoice& store) {
    const auto folder = folder_ / std::to_string(servers_.size());
    servers_.push_back(std::make_unique<RacedServer>(folder, store));
  }

  static std::string NameOf(size_t writer) { return "claim-" + std::to_string(writer); }

  static void MakeClaim(client::Client& client, size_t writer) {
    const Result<api::Object> claim = api::DecodeJson(
        api::Reflected<ResourceClaim>::kKind,
        R"({"metadata":{"namespace":"default","name":")" + NameOf(writer) +
            R"("},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"c"}}]}}})",
        nullptr);
    EXPECT_TRUE(client.Create(*claim).has_value());
  }

  /// Gives the claim of `writer` the one device, or takes it away.
  static Result<api::Object> SetAllocation(client::Client& client, size_t writer, bool has) {
    constexpr std::string_view kAllocation =
        R"({"devices":{"results":[{"request":"r","driver":"d.example","pool":"p","device":"x"}]}})";
    return client.Patch(
        {&api::Reflected<ResourceClaim>::kKind, "default", NameOf(writer)},
        client::PatchType::kMerge,
        R"({"status":{"allocation":)" + std::string(has ? kAllocation : "null") + "}}",
        "status");
  }

  /// In each round all clients try to get the one device, and exactly one succeeds.
  void Race() {
    std::array<std::unique_ptr<client::HttpClient>, kWriters> clients;
    for (size_t i = 0; i < kWriters; ++i) {
      clients[i] = servers_[i % servers_.size()]->NewClient();
      MakeClaim(*clients[i], i);
    }
    for (int round = 0; round < kRounds; ++round) {
      std::array<std::string, kWriters> refusals;
      std::vector<std::jthread> threads;
      for (size_t i = 0; i < kWriters; ++i) {
        threads.emplace_back([&, i] {
          const Result<api::Object> done = SetAllocation(*clients[i], i, true);
          if (!done) refusals[i] = done.error().message;
        });
      }
      threads.clear();
      ASSERT_EQ(std::ranges::count(refusals, ""), 1) << "round " << round;
      for (const std::string& refusal : refusals) {
        if (refusal.empty()) continue;
        ASSERT_THAT(refusal, HasSubstr("device d.example/p/x is already allocated to "));
      }
      for (size_t i = 0; i < kWriters; ++i) {
        ASSERT_TRUE(SetAllocation(*clients[i], i, false).has_value());
      }
    }
  }

  std::filesystem::path folder_;
  std::unique_ptr<EtcdProcess> etcd_;
  std::vector<std::unique_ptr<RacedServer>> servers_;
};

TEST_F(HttpRace, TwoServersOnOneEtcdGiveADeviceToOneWriter) {
  if (const std::string reason = EtcdProcess::Missing(); !reason.empty()) GTEST_SKIP() << reason;
  etcd_ = EtcdProcess::Start({.disk = store::etcd::testing::EtcdDisk::kMemory}).value();
  StartServer({.etcd_servers = {etcd_->endpoint()}});
  StartServer({.etcd_servers = {etcd_->endpoint()}});
  Race();
}

TEST_F(HttpRace, AServerWithAFileGivesADeviceToOneWriter) {
  StartServer({});
  Race();
}

TEST_F(HttpRace, AServerInMemoryGivesADeviceToOneWriter) {
  StartServer({.memory = true});
  Race();
}

}  // namespace
}  // namespace dray::exclusive_devices
