// SPDX-License-Identifier: Apache-2.0
// What commands about a cluster that is only written down have in common: which files, whose rules.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/feature_gates.h"
#include "base/result.h"
#include "base/world.h"
#include "cli/command_line/command.h"
#include "cli/input/live_input.h"
#include "cli/terminal/output.h"
#include "dray/budget.h"
#include "dray/features.h"
#include "manifests/objects.h"
#include "planning/cluster/offline_cluster.h"
#include "planning/objects/cluster_release.h"
#include "planning/objects/offline_objects.h"

namespace dray::cli::inline input {

struct OfflineInputOptions {
  std::vector<std::string> paths;  // files, folders, "-"
  std::vector<std::string> work;   // likewise: what is asked about, besides the cluster
  bool is_live = false;            // a running cluster as well
  bool live_is_work = false;       // what is asked about is all that the running cluster has
  std::string kubeconfig;          // how to reach it; empty: as kubectl would
  std::string context;             // of the kubeconfig; empty: its current one
  std::string node;                // the only one to look at; empty: all
  std::string namespace_;          // of objects that name none; empty: default
  std::string profile;             // a released version of upstream's allocator
  std::string release;             // of Kubernetes; neither: what the nodes say, or the newest
  std::string feature_gates;       // "DRAAdminAccess=false,…"; the release's defaults otherwise
  int64_t steps_max = 20'000'000;  // of one search
  int64_t seconds_max = 60;        // of the work of all searches together
  bool allows_nothing = false;     // work that wants no devices is no error
};

/// A cluster, and the rules that hold in it.
struct OfflineInput {
  allocator::Features features;
  api::FeatureGates gates;
  planning::OfflineObjects objects;  // taint rules applied
  bool is_known;                     // false: the files hold no object
  std::string namespace_;            // of objects that name none, and of names in the question
  std::vector<ListedVersion> listed = {};            // of a running cluster
  std::vector<std::string> unread = {};              // LiveInput::unread
  std::vector<manifests::ManifestObject> work = {};  // those of the objects that are the work
  /// What the options, a server of Kubernetes or the nodes say, with its patch.
  planning::ClusterRelease release = {};
};

// Subjects of options, as help shows them.
inline constexpr const char* kInputGroup = "What is read";
inline constexpr const char* kRulesGroup = "Whose rules";

// Each adds options to `command`; `options` outlives it.

/// -f: files of the cluster.
Option& AddFiles(Command& command, OfflineInputOptions& options);
/// --kubeconfig and --context. Without them and -f the question is about the cluster that kubectl
/// would talk to.
void AddLiveInput(Command& command, OfflineInputOptions& options);
/// --release, --profile and --feature-gates.
void AddProfile(Command& command, OfflineInputOptions& options);
/// These, --steps-max and --seconds-max.
void AddRules(Command& command, OfflineInputOptions& options);

/// The kubeconfig of the running cluster that is read. Precondition: no thread has started.
std::string KubeconfigOf(const OfflineInputOptions& options);

/// --allow-nothing.
void AddAllowNothing(Command& command, bool& allows_nothing);

/// Reads the files, and the running cluster if one is named or there are no files, and tells what
/// took no part. Errors: bad options or unreadable input.
Result<OfflineInput> ReadOfflineInput(World& world,
                                      const OfflineInputOptions& options,
                                      const Output& output);

/// The rules of the input, for a cluster of its objects; the rest is the command's to fill in.
planning::OfflineOptions RulesFor(const OfflineInput& input);

/// What cannot be said for lack of input, to be said first.
void NoteWhatLacks(const planning::OfflineObjects& objects, const Output& output);

/// kExitNo where something does not fit or is wrong; else kExitUndecided where a search was given
/// up or somebody ended them; else kExitYes.
int ExitCodeOf(const std::vector<planning::Verdict>& verdicts, bool is_cut_short);
/// The verdicts of answers or explanations.
template <class Answers>
std::vector<planning::Verdict> VerdictsOf(const Answers& answers) {
  std::vector<planning::Verdict> verdicts;
  verdicts.reserve(answers.size());
  for (const auto& answer : answers) verdicts.push_back(answer.verdict);
  return verdicts;
}
/// The same, but kExitUndecided instead of kExitYes where something of the cluster could not be
/// read: then it says "not known" and what.
int ExitCodeOf(int code, const OfflineInput& input, const Output& output);
/// That somebody ended the search, and what is printed is all that is known.
void NoteCutShort(const Output& output);

/// The work that all searches of the command may do together. A second of it is what an optimised
/// program does in about a second, so the answers do not depend on the machine.
allocator::SharedWork SearchWorkOf(const OfflineInputOptions& options);
/// Says so if that was not enough for all of them.
void NoteWorkSpent(const OfflineInputOptions& options,
                   const allocator::SharedWork& work,
                   const Output& output);

/// Errors: kBadRequest  --node names none of `nodes`.
Result<> CheckNode(const OfflineInputOptions& options, const std::vector<std::string>& nodes);

}  // namespace dray::cli::inline input
