// SPDX-License-Identifier: Apache-2.0
#include "planning/lint/known_defects.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/core_v1/node.h"
#include "planning/lint/defect_signs.h"

namespace dray::planning::inline lint {
namespace {

constexpr int kAll = PatchRange::kAll;

constexpr std::array kCrashOnAll = {PatchRange{35, 0, 5}, PatchRange{36, 0, 1}};
constexpr std::array kSharedCounters = {PatchRange{34}, PatchRange{35}, PatchRange{36, 0, 1}};
constexpr std::array kRefusedCounters = {PatchRange{34}, PatchRange{35}, PatchRange{36, 0, 2}};
constexpr std::array k35To36 = {PatchRange{35}, PatchRange{36}};
constexpr std::array kPoolNames = {PatchRange{35}, PatchRange{36, 0, 3}};
constexpr std::array k34To36 = {PatchRange{34}, PatchRange{35}, PatchRange{36}};
constexpr std::array k34To37 = {PatchRange{34}, PatchRange{35}, PatchRange{36}, PatchRange{37}};
constexpr std::array kUntil37 = {PatchRange{31},
                                 PatchRange{32},
                                 PatchRange{33},
                                 PatchRange{34},
                                 PatchRange{35},
                                 PatchRange{36},
                                 PatchRange{37}};
constexpr std::array kUntil34 = {PatchRange{31}, PatchRange{32}, PatchRange{33}, PatchRange{34}};
constexpr std::array kUntil35 = {
    PatchRange{31}, PatchRange{32}, PatchRange{33}, PatchRange{34}, PatchRange{35}};
constexpr std::array kUntil36 = {
    PatchRange{31}, PatchRange{32}, PatchRange{33}, PatchRange{34}, PatchRange{35}, PatchRange{36}};
constexpr std::array kUntil33 = {PatchRange{32}, PatchRange{33}};
constexpr std::array k33To37 = {
    PatchRange{33}, PatchRange{34}, PatchRange{35}, PatchRange{36}, PatchRange{37}};
constexpr std::array kTwice = {
    PatchRange{32, 0, 11}, PatchRange{33, 0, 7}, PatchRange{34, 0, 3}, PatchRange{35, 0, 0}};
constexpr std::array kScores = {PatchRange{35, 0, 5}, PatchRange{36, 0, 1}};
constexpr std::array kOnly34 = {PatchRange{34}};
constexpr std::array kOnly35 = {PatchRange{35}};
constexpr std::array k33To34 = {PatchRange{33}, PatchRange{34}};
constexpr std::array kRulePanic = {PatchRange{36, 0, 2}};
constexpr std::array kRuleForAll = {
    PatchRange{33}, PatchRange{34}, PatchRange{35}, PatchRange{36}, PatchRange{37, 0, 0}};
constexpr std::array kNotEvicted = {
    PatchRange{34}, PatchRange{35}, PatchRange{36}, PatchRange{37, 0, 0}};
constexpr std::array kStale = {PatchRange{32}, PatchRange{33, 0, 5}};
constexpr std::array kFew33 = {PatchRange{33, 0, 0}};
constexpr std::array kFew32 = {PatchRange{32, 0, 0}};
constexpr std::array kSecondPod = {PatchRange{34, 0, 3}, PatchRange{35, 0, 0}};
constexpr std::array kTwoDrivers = {
    PatchRange{34, 0, 11}, PatchRange{35, 0, 8}, PatchRange{36, 0, 3}};
constexpr std::array kCountersAlone = {PatchRange{35}, PatchRange{36}, PatchRange{37}};

constexpr auto kDefects = std::to_array<KnownDefect>({
    // The allocator in kube-scheduler.
    {"kubernetes#138882",
     kCrashOnAll,
     "a request for all devices that meets counters crashes kube-scheduler again and again",
     "delete the pods and claims that ask so, or ask for a count",
     "1.35.6, 1.36.2 and 1.37.0",
     signs::AllMeetsCounters},
    {"kubernetes#139034",
     kSharedCounters,
     "counters of shared devices are not counted, and partitions that exclude each other are both "
     "given out",
     "let the driver publish such a device either for sharing or with counters",
     "1.36.2 and 1.37.0",
     signs::SharedWithCounters},
    {"kubernetes#140436",
     kRefusedCounters,
     "a device that is passed over keeps the counters it would have taken, so free ones are "
     "refused",
     "narrow class or selectors so that devices with taints or other values are not looked at",
     "1.36.3 and 1.37.0",
     signs::RefusedCounters},
    {"kubernetes#140433",
     k35To36,
     "a second claim is refused a share of a device without capacity, for want of counters",
     "let the driver give the device a capacity",
     "1.37.0",
     signs::SharedWithoutCapacity},
    {"kubernetes#140434",
     kPoolNames,
     "counters of pools of one name are mixed up between drivers: devices are refused, or too many "
     "given out",
     "let the driver put its own name into that of the pool",
     "1.36.4 and 1.37.0",
     signs::PoolNameOfTwoDrivers},
    {"kubernetes#140438",
     k34To36,
     "distinctAttribute does not hold between the devices of one request",
     "write a request for each device",
     "1.37.0",
     signs::DistinctInOneRequest},
    {"kubernetes#141829",
     kUntil37,
     "one pool that is incomplete or invalid makes requests for all devices fail on every node",
     "mend the slices of that pool, or ask for a count",
     "1.38.0",
     signs::AllMeetsBadPool},
    {"kubernetes#134466",
     kUntil34,
     "a request for all devices never gets those of a pool whose slices are of several nodes",
     "let the driver publish a pool for each node",
     "1.35.0",
     signs::AllMeetsSpreadPool},
    {"kubernetes#140802",
     k33To37,
     "counters of a device that its driver no longer publishes are given out again while a claim "
     "has it",
     "let the driver publish devices, with a taint, until their claims end",
     "",
     signs::DeviceVanished},
    {"kubernetes#140729",
     k33To37,
     "a request with adminAccess waits while counters of its devices are used up",
     "monitor devices without counters, or start the monitor first",
     "",
     signs::AdminMeetsCounters},
    {"kubernetes#140650",
     k34To37,
     "a capacity is not found when only the claim, or only the slice, writes the driver's domain",
     "write the name as the slice does",
     "1.38.0",
     signs::CapacityInOtherDomain},
    {"kubernetes#140798",
     k34To37,
     "a device of which claims have shares is also given away whole",
     "delete the younger claim; a driver must not end sharing while there are shares",
     "1.38.0",
     signs::SharingSwitchedOff},
    {"kubernetes#137347",
     kUntil35,
     "after an alternative that asks for all devices the later ones are not tried properly",
     "ask for a count, or put that alternative last",
     "1.36.0",
     signs::AllInList},
    {"kubernetes#131299",
     kUntil33,
     "a request for several devices with adminAccess gets one of them several times",
     "write a request for each device",
     "1.34.0",
     signs::AdminWithCount},
    {"kubernetes#131679",
     kFew33,
     "a claim gets 16 devices at most instead of 32",
     "split the claim",
     "1.33.1",
     signs::ManyDevices},
    // The scheduler around it.
    {"kubernetes#133602",
     kTwice,
     "when many pods are scheduled at once, two claims can get one device",
     "delete the younger pod with its claim",
     "1.32.12, 1.33.8, 1.34.4, 1.35.1 and 1.36.0",
     signs::DeviceGivenTwice},
    {"kubernetes#139016",
     kScores,
     "a pod with an allocated claim for several nodes and a new one fails when nodes are scored",
     "restrict the pod to one node, which needs no scores",
     "1.35.6, 1.36.2 and 1.37.0",
     signs::OldAndNewClaim},
    // Extended resources.
    {"kubernetes#135667",
     kOnly35,
     "the node refuses pods that ask for a class as deviceclass.resource.kubernetes.io/CLASS",
     "give the class an extendedResourceName, or use a claim",
     "1.36.0",
     signs::ImplicitResource,
     DefectPart::kKubelet},
    {"kubernetes#134312",
     kOnly34,
     "devices of extended resources stay taken after the pod has ended",
     "delete the pod",
     "1.35.0",
     signs::ExtendedClaimLeft},
    {"kubernetes#141426",
     kUntil37,
     "a container does not start while its node still has the resource of a device plug-in",
     "drain the node and restart its kubelet without the plug-in, or take another name",
     "1.38.0",
     signs::NameOfDevicePlugin,
     DefectPart::kKubelet},
    // Device taints and evictions.
    {"kubernetes#134434",
     k33To34,
     "tolerations for NoExecute are not kept in the allocation: the pod is evicted and made again, "
     "without end",
     "taint devices with NoSchedule only",
     "1.35.0",
     signs::TolerationsLost},
    {"kubernetes#139651",
     kRulePanic,
     "with DeviceTaintRules kube-scheduler may crash when a slice changes, or miss new rules",
     "delete the rules, and let drivers taint their devices",
     "1.36.3 and 1.37.0",
     signs::AnyTaintRule},
    {"kubernetes#141620",
     kRuleForAll,
     "a DeviceTaintRule without deviceSelector and with effect NoSchedule stops all pods with "
     "devices",
     "delete the rule, or give it a selector",
     "1.37.1 or 1.37.2",
     signs::RuleWithoutSelector},
    {"kubernetes#141290",
     kNotEvicted,
     "pods with devices as extended resources are not evicted by taints",
     "delete these pods",
     "1.37.1 or 1.37.2",
     signs::NotEvicted},
    // The controller of ResourceClaims.
    {"kubernetes#132334",
     kStale,
     "after a restart of kube-controller-manager claims stay reserved for pods that are gone",
     "see that no such pod runs, then empty status.reservedFor and status.allocation",
     "1.33.6 and 1.34.0",
     signs::StaleConsumers},
    {"kubernetes#136450",
     kUntil35,
     "reservations are not cleaned up while something other than a pod has one",
     "remove the entries of pods that are gone",
     "1.36.0",
     signs::OtherConsumers},
    {"kubernetes#129544",
     kFew32,
     "a claim serves 32 pods at most instead of 256",
     "make more claims",
     "1.32.1",
     signs::ManyConsumers},
    // The kubelet.
    {"kubernetes#135901",
     kSecondPod,
     "a pod that shares one claim with a pod on its node and has another one does not start",
     "list the shared claim last, or give all claims to the first pod",
     "1.34.4, 1.35.1 and 1.36.0",
     signs::SharedAndOwnClaim,
     DefectPart::kKubelet},
    {"kubernetes#140274",
     kTwoDrivers,
     "when one of two drivers fails to prepare a pod once, its containers never start",
     "delete the pod",
     "1.34.12, 1.36.4 and 1.37.0",
     signs::ClaimsOfTwoDrivers,
     DefectPart::kKubelet},
    // The API server.
    {"kubernetes#134189",
     kCountersAlone,
     "a slice has counters or devices since 1.35, and with both its pool stays without them",
     "delete such slices and update the driver",
     "newer drivers",
     signs::CountersBesideDevices},
    {"kubernetes#139698",
     kUntil36,
     "the server answers 500 to a slice with a range in steps of 0",
     "leave the step out",
     "1.37.0",
     signs::StepOfNothing},
});

/// The number of nodes whose kubelet has the defect, and its release.
struct KubeletCount {
  size_t with = 0, all = 0;
  std::string release = {};  // of the first node
  bool is_of_vendor = false;
};

KubeletCount CountKubelets(const KnownDefect& defect, const OfflineObjects& cluster) {
  KubeletCount count;
  for (const auto& [name, object] : cluster.nodes) {
    const ClusterRelease release =
        ReleaseIn(object.As<api::core_v1::Node>().status.node_info.kubelet_version);
    if (release.minor == 0) continue;
    ++count.all;
    std::string with = ReleasesWith(defect, release);
    if (with.empty() || ++count.with > 1) continue;
    count.release = std::move(with);
    count.is_of_vendor = release.is_of_vendor;
  }
  return count;
}

/// The releases in the cluster that have the defect.
struct DefectReach {
  std::string where;  // "1.36.1", "1.35.2 (kubelets of 3 of 40 nodes)"; empty: none
  bool is_of_vendor = false;
};

DefectReach ReachOf(const KnownDefect& defect, const LintQuestion& question) {
  if (defect.part == DefectPart::kKubelet) {
    const KubeletCount count = CountKubelets(defect, question.cluster);
    if (count.all > 0) {
      if (count.with == 0) return {};
      return {.where = fmt::format(
                  "{} (kubelets of {} of {} nodes)", count.release, count.with, count.all),
              .is_of_vendor = count.is_of_vendor};
    }
  }
  return {.where = ReleasesWith(defect, question.release),
          .is_of_vendor = question.release.is_of_vendor};
}

std::string AdviceOn(const KnownDefect& defect, const DefectReach& reach) {
  std::string text =
      fmt::format("{}; {}",
                  defect.advice,
                  defect.mended.empty() ? "no release has mended it yet"
                                        : fmt::format("mended in {}", defect.mended));
  if (reach.is_of_vendor) text += ", unless your vendor has mended it earlier";
  return text;
}

/// Adds the finding about one defect of the release.
void LintDefect(const KnownDefect& defect,
                const DefectReach& reach,
                const LintQuestion& question,
                DefectFacts& facts,
                FindingList& findings) {
  DefectEvidence first;
  size_t object = 0;
  size_t met = 0;
  for (size_t i = 0; i < question.objects.size(); ++i) {
    std::optional<DefectEvidence> evidence = defect.sign(question.objects[i].object, facts);
    if (!evidence.has_value()) continue;
    const bool is_stronger = evidence->is_seen && !first.is_seen;
    if (++met > 1 && !is_stronger) continue;
    first = *std::move(evidence);
    object = i;
  }
  if (met == 0) return;
  const std::string others =
      met == 1 ? "" : fmt::format(" (and {} more such object{})", met - 1, met == 2 ? "" : "s");
  findings.Begin(object);
  Finding& finding = findings.Report(LintRule::kKnownDefect,
                                     std::move(first.field),
                                     fmt::format("{} {} of {}: {}. Here {}{}",
                                                 first.is_seen ? "matches" : "exposed to",
                                                 defect.issue,
                                                 reach.where,
                                                 defect.says,
                                                 first.what,
                                                 others),
                                     AdviceOn(defect, reach));
  if (!first.is_seen) finding.severity = LintSeverity::kWarning;
}

}  // namespace

std::span<const KnownDefect> KnownDefects() {
  return kDefects;
}

std::string ReleasesWith(const KnownDefect& defect, const ClusterRelease& release) {
  const auto range = std::ranges::find(defect.in, release.minor, &PatchRange::minor);
  if (range == defect.in.end()) return {};
  if (release.patch.has_value()) {
    const bool has_it = range->first <= *release.patch && *release.patch <= range->last;
    return has_it ? release.ToString() : "";
  }
  if (range->last == kAll) return release.ToString();
  std::string first = fmt::format("{}.{}", release.ToString(), range->first);
  if (range->first == range->last) return first;
  return fmt::format("{} to {}.{}", first, release.ToString(), range->last);
}

void LintKnownDefects(const LintQuestion& question,
                      const ClassesByName& classes,
                      LintDevices& devices,
                      FindingList& findings) {
  if (question.release.minor == 0) return;
  DefectFacts facts(question.cluster, classes, devices);
  for (const KnownDefect& defect : kDefects) {
    const DefectReach reach = ReachOf(defect, question);
    if (!reach.where.empty()) LintDefect(defect, reach, question, facts, findings);
  }
}

}  // namespace dray::planning::inline lint
