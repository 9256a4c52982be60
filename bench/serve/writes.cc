// SPDX-License-Identifier: Apache-2.0
// The cost of a request: CPU time of the server, user and system, and its instructions outside of
// the kernel. The kernel counts both for that process alone, so other load of the machine matters
// little. Servers and client share one CPU (see UseOneCpu). Two programs run in turns, round by
// round; or one program runs without --against.
//
//   writes_bench DRAY [--against OTHER [--other-flag FLAG]...] [--only TEXT] [--rounds N]
//                [--objects N] [--custom] [FLAG...]
//
// Figures are those of the best round, because disturbances only add. "max, ms" is the slowest
// request of all rounds, as the client saw it. --only: requests whose names contain TEXT. FLAG: of
// dray serve, for both, e.g. --memory; --other-flag: for OTHER only. If OTHER is too old for
// protobuf bodies, it has no figure there. --custom: requests for a custom kind of thirty fields
// with five rules, and the same for Deployments with as many fields and bytes.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/codec/protobuf.h"
#include "api/kind.h"
#include "api/resource_v1/claim.h"
#include "base/world.h"
#include "bench/serve/gadgets.h"
#include "bench/serve/requests.h"
#include "bench/serve/server_process.h"
#include "net/client/http_client.h"

namespace {

using namespace dray;  // NOLINT(google-build-using-namespace): this file is only glue

constexpr size_t kRounds = 7;
constexpr size_t kRequests = 400;  // of each kind in one round
constexpr size_t kLists = 3;
constexpr size_t kListed = 10'000;
constexpr std::string_view kListedClaims =
    "/apis/resource.k8s.io/v1/namespaces/kube-public/resourceclaims";
constexpr std::string_view kPod = "/api/v1/namespaces/default/pods/p";
constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";
struct Cost {
  double seconds = 0;
  double instructions = 0;
  double slowest_ms = 0;  // the slowest request
};

/// A server and a client with one connection to it.
class Side {
 public:
  Side(const std::string& program, const std::vector<std::string>& flags, size_t listed)
      : process_(program, folder_.path(), flags),
        client_(RealWorld().clock, process_.ClientOptions()) {
    process_.AwaitReady();
    process_.CountInstructions();
    Must("POST",
         "/api/v1/namespaces/default/pods",
         R"({"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[)"
         R"({"name":"main","image":"registry.k8s.io/pause:3.10"}]}})",
         bench::kJson);
    Must("POST", bench::kClaims, bench::ClaimBody("one"), bench::kJson);
    Must("POST", bench::kClaims, bench::ClaimBody("put"), bench::kJson);
    for (size_t i = 0; i < listed; ++i) {
      Must("POST", kListedClaims, bench::ClaimBody(fmt::format("claim-{:05}", i)), bench::kJson);
    }
  }

  // Each sends the `number`th request of its kind; false: the server does not support it.
  bool Get(size_t /*number*/) { return Ask("GET", fmt::format("{}/one", bench::kClaims), "", ""); }
  bool Create(size_t number) {
    return Ask(
        "POST", bench::kClaims, bench::ClaimBody(fmt::format("json-{}", number)), bench::kJson);
  }
  bool CreateProtobuf(size_t number) {
    const auto object = api::DecodeJson(api::Reflected<api::resource_v1::ResourceClaim>::kKind,
                                        bench::ClaimBody(fmt::format("protobuf-{}", number)),
                                        nullptr);
    std::string body;
    api::EncodeProtobuf(*object, body);
    return Ask("POST", bench::kClaims, std::move(body), kProtobuf);
  }
  bool PatchPodStatus(size_t number) {
    return Ask("PATCH",
               fmt::format("{}/status", kPod),
               fmt::format(R"({{"status":{{"phase":"Running","podIP":"10.0.{}.{}"}}}})",
                           number / 200 % 200,
                           number % 200),
               bench::kMergePatch);
  }
  /// Allocates a device to the claim, or releases it.
  bool PatchClaimStatus(size_t number) {
    return Ask(
        "PATCH",
        fmt::format("{}/one/status", bench::kClaims),
        fmt::format(R"({{"status":{{"allocation":{}}}}})", number % 2 == 0 ? kAllocation : "null"),
        bench::kMergePatch);
  }
  bool PutClaimStatus(size_t number) {
    std::string body = bench::ClaimBody("put");
    body.pop_back();
    body += fmt::format(R"(,"status":{})",
                        number % 2 == 0 ? fmt::format(R"({{"allocation":{}}})", kOther) : "{}");
    return Ask("PUT", fmt::format("{}/put/status", bench::kClaims), body + "}", bench::kJson);
  }
  bool List(size_t /*number*/) { return Ask("GET", kListedClaims, "", ""); }

  /// Creates the custom kind and `listed` objects of it, and as many Deployments.
  void BeginCustom(size_t listed) {
    Must("POST", bench::kDefinitions, bench::GadgetDefinition(0), bench::kJson);
    while (client_.Send({.method = "GET", .target = gadgets_})->status != 200) {
    }
    for (size_t i = 0; i < listed; ++i) {
      const std::string name = fmt::format("listed-{:05}", i);
      Must("POST", gadgets_, bench::GadgetBody(0, name), bench::kJson);
      Must("POST", bench::kDeployments, bench::DeploymentBody(name), bench::kJson);
    }
  }
  bool GetGadget(size_t /*number*/) { return GetOne(gadgets_); }
  bool GetDeployment(size_t /*number*/) { return GetOne(bench::kDeployments); }
  bool ListGadgets(size_t /*number*/) { return Ask("GET", gadgets_, "", ""); }
  bool ListDeployments(size_t /*number*/) { return Ask("GET", bench::kDeployments, "", ""); }
  bool CreateGadget(size_t number) {
    return CreateIn(gadgets_, bench::GadgetBody(0, fmt::format("new-{}", number)));
  }
  bool CreateDeployment(size_t number) {
    return CreateIn(bench::kDeployments, bench::DeploymentBody(fmt::format("new-{}", number)));
  }
  bool PatchGadget(size_t number) { return PatchStatusIn(gadgets_, number); }
  bool PatchDeployment(size_t number) { return PatchStatusIn(bench::kDeployments, number); }

  /// The server's cost so far.
  Cost cost() const {
    return {.seconds = process_.cpu_seconds(),
            .instructions = static_cast<double>(process_.instructions())};
  }

 private:
  bool GetOne(std::string_view collection) {
    return Ask("GET", fmt::format("{}/listed-00000", collection), "", "");
  }
  // Lists are to have the same length in every round.
  bool CreateIn(std::string_view collection, std::string body) {
    return Ask("POST", fmt::format("{}?dryRun=All", collection), std::move(body), bench::kJson);
  }
  bool PatchStatusIn(std::string_view collection, size_t number) {
    return Ask("PATCH",
               fmt::format("{}/listed-00000/status", collection),
               fmt::format(R"({{"status":{{"replicas":{}}}}})", number % 1000),
               bench::kMergePatch);
  }

  static constexpr std::string_view kAllocation =
      R"({"devices":{"results":[{"request":"gpu","driver":"gpu.example.com","pool":"n","device":"gpu-0"}]}})";
  static constexpr std::string_view kOther =
      R"({"devices":{"results":[{"request":"gpu","driver":"gpu.example.com","pool":"n","device":"gpu-1"}]}})";

  void Must(std::string method, std::string_view target, std::string body, std::string_view type) {
    if (!Ask(std::move(method), target, std::move(body), type)) bench::Die("a body is not known");
  }

  bool Ask(std::string method, std::string_view target, std::string body, std::string_view type) {
    net::client::ClientRequest request{
        .method = std::move(method), .target = std::string(target), .body = std::move(body)};
    if (!type.empty()) request.headers.Add("Content-Type", std::string(type));
    const auto answer = client_.Send(request);
    if (!answer) bench::Die(request.target + ": " + answer.error().message);
    if (answer->status == 415) return false;
    if (answer->status >= 300) bench::Die(request.target + ": " + answer->body);
    return true;
  }

  const std::string gadgets_ = bench::GadgetPath(0);
  bench::ScratchFolder folder_;
  bench::ServerProcess process_;
  net::client::HttpClient client_;
};

/// A kind of request, and its cost in each round.
struct Sort {
  std::string_view name;
  std::function<bool(Side&, size_t)> ask;
  size_t requests = kRequests;
  std::vector<Cost> took = {}, other_took = {};
};

std::optional<Cost> Measure(const Sort& sort, Side& side, size_t round) {
  const Cost before = side.cost();
  double slowest_ms = 0;
  MonotonicTime asked = RealWorld().clock.Monotonic();
  for (size_t i = 0; i < sort.requests; ++i) {
    if (!sort.ask(side, round * sort.requests + i)) return std::nullopt;
    const MonotonicTime answered = RealWorld().clock.Monotonic();
    slowest_ms = std::max(slowest_ms, bench::Milliseconds(answered - asked));
    asked = answered;
  }
  const Cost after = side.cost();
  const auto requests = static_cast<double>(sort.requests);
  return Cost{.seconds = (after.seconds - before.seconds) / requests,
              .instructions = (after.instructions - before.instructions) / requests,
              .slowest_ms = slowest_ms};
}

double Least(const std::vector<Cost>& costs, double Cost::* member) {
  return std::ranges::min(costs | std::views::transform(member));
}

void Print(const Sort& sort) {
  fmt::print("{:<26}", sort.name);
  const auto figures = [&](double Cost::* member, double unit) {
    const double took = Least(sort.took, member);
    fmt::print("{:>10.1f}", took * unit);
    if (sort.other_took.empty()) return fmt::print("{:>22}", "");
    const double other = Least(sort.other_took, member);
    fmt::print("{:>10.1f}{:>10.3f} x", other * unit, took / other);
  };
  figures(&Cost::seconds, 1e6);
  figures(&Cost::instructions, 1e-3);
  const auto slowest = [](const std::vector<Cost>& costs) {
    return std::ranges::max(costs | std::views::transform(&Cost::slowest_ms));
  };
  fmt::print("{:>10.2f}", slowest(sort.took));
  if (!sort.other_took.empty()) fmt::print("{:>10.2f}", slowest(sort.other_took));
  fmt::print("\n");
}

struct Arguments {
  std::string program, other, only;
  size_t rounds = kRounds, listed = kListed;
  bool is_custom = false;
  std::vector<std::string> flags = {"--components", "apiserver"}, other_flags = {};
};

Arguments Read(const std::vector<std::string>& words) {
  if (words.size() < 2) {
    bench::Die(
        "usage: writes_bench DRAY [--against OTHER [--other-flag FLAG]...] [--only TEXT] "
        "[--rounds N] [--objects N] [--custom] [FLAG...]");
  }
  Arguments arguments{.program = words[1], .other = "", .only = ""};
  for (size_t i = 2; i < words.size(); ++i) {
    const bool has_value = i + 1 < words.size();
    if (words[i] == "--against" && has_value) {
      arguments.other = words[++i];
    } else if (words[i] == "--other-flag" && has_value) {
      arguments.other_flags.push_back(words[++i]);
    } else if (words[i] == "--custom") {
      arguments.is_custom = true;
    } else if (words[i] == "--only" && has_value) {
      arguments.only = words[++i];
    } else if (words[i] == "--rounds" && has_value) {
      arguments.rounds = bench::NumberIn(words[++i]);
    } else if (words[i] == "--objects" && has_value) {
      arguments.listed = bench::NumberIn(words[++i]);
    } else {
      arguments.flags.push_back(words[i]);
    }
  }
  return arguments;
}

void Round(size_t round, std::vector<Sort>& sorts, Side& side, std::optional<Side>& other) {
  for (Sort& sort : sorts) {
    // In turns, so that the same side does not always begin.
    std::optional<Cost> took, other_took;
    if (round % 2 == 0) took = Measure(sort, side, round);
    if (other) other_took = Measure(sort, *other, round);
    if (round % 2 != 0) took = Measure(sort, side, round);
    if (round == 0 || !took) continue;  // the first round warms up
    sort.took.push_back(*took);
    if (other_took) sort.other_took.push_back(*other_took);
  }
}

std::vector<Sort> SortsFor(const Arguments& arguments) {
  if (arguments.is_custom) {
    return {{.name = "GET a gadget", .ask = &Side::GetGadget},
            {.name = "GET a Deployment", .ask = &Side::GetDeployment},
            {.name = "create a gadget", .ask = &Side::CreateGadget},
            {.name = "create a Deployment", .ask = &Side::CreateDeployment},
            {.name = "patch a gadget's status", .ask = &Side::PatchGadget},
            {.name = "patch a Deployment's", .ask = &Side::PatchDeployment},
            {.name = "list gadgets", .ask = &Side::ListGadgets, .requests = kLists},
            {.name = "list Deployments", .ask = &Side::ListDeployments, .requests = kLists}};
  }
  return {{.name = "GET a claim", .ask = &Side::Get},
          {.name = "create a claim, JSON", .ask = &Side::Create},
          {.name = "create a claim, protobuf", .ask = &Side::CreateProtobuf},
          {.name = "patch a pod's status", .ask = &Side::PatchPodStatus},
          {.name = "patch a claim's status", .ask = &Side::PatchClaimStatus},
          {.name = "update a claim's status", .ask = &Side::PutClaimStatus},
          {.name = "list claims", .ask = &Side::List, .requests = kLists}};
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = Read(std::vector<std::string>(argv, argv + argc));
  std::vector<Sort> sorts = SortsFor(arguments);
  std::erase_if(sorts, [&](const Sort& sort) { return !sort.name.contains(arguments.only); });
  bench::UseOneCpu();
  Side side(arguments.program, arguments.flags, arguments.is_custom ? 0 : arguments.listed);
  std::optional<Side> other;
  if (!arguments.other.empty()) {
    std::vector<std::string> flags = arguments.flags;
    std::ranges::copy(arguments.other_flags, std::back_inserter(flags));
    other.emplace(arguments.other, flags, arguments.is_custom ? 0 : arguments.listed);
  }
  if (arguments.is_custom) {
    side.BeginCustom(arguments.listed);
    if (other) other->BeginCustom(arguments.listed);
  }
  for (size_t round = 0; round <= arguments.rounds; ++round) Round(round, sorts, side, other);
  fmt::print("one request at the server, the best of {} rounds; {} objects listed\n",
             arguments.rounds,
             arguments.listed);
  const std::string_view other_name = other ? "the other" : "";
  fmt::print("{:<26}{:>10}{:>10}{:>12}{:>10}{:>10}{:>12}{:>10}{:>10}\n",
             "",
             "CPU, us",
             other_name,
             "",
             "1000 instr",
             other_name,
             "",
             "max, ms",
             other_name);
  for (const Sort& sort : sorts) Print(sort);
  return 0;
}
