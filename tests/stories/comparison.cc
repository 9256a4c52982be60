// SPDX-License-Identifier: Apache-2.0
#include "tests/stories/comparison.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/vectors/case_files.h"

namespace dray::stories {
namespace {

namespace json = boost::json;
using vectors::ListOf;
using vectors::TextOf;

json::value TextValue(std::string_view text) {
  return json::string(text);
}

bool IsTrue(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_bool() && value->get_bool();
}

/// The scheduler reports this if it is about to try a pod while the pod is deleted.
constexpr std::string_view kByChance = "skip schedule deleting pod";

/// Compares one step.
class Step {
 public:
  Step(const json::object& story, size_t number, const StepOutcome& outcome)
      : step_(ListOf(story, "steps").at(number).as_object()),
        outcome_(outcome),
        number_(number),
        root_(fmt::format("/steps/{}", number)) {
    for (const json::value& one : ListOf(story, "varies")) {
      if (one.is_string()) {
        AddVarying(std::string(one.get_string()));
        continue;
      }
      const json::object& varies = one.as_object();
      if (TextOf(varies, "what") == "order between objects")
        continue;  // the comparison ignores
                   // that order
      if (varies.contains("objects")) {
        if (TextOf(varies, "pointer") != root_ + "/writes") continue;
        for (const json::value& object : ListOf(varies, "objects"))
          free_.insert(object.as_string().c_str());
        continue;
      }
      varies_.emplace_back(TextOf(varies, "pointer"));
      if (TextOf(varies, "pointer") == root_ + "/snapshot/events/-") {
        for (const json::value& event : ListOf(varies, "seen")) allowed_.push_back(event);
      }
    }
    for (size_t i = 0; i <= number; ++i) {
      NoteHaunted(ListOf(story, "steps").at(i).as_object());
      NoteTold(ListOf(story, "steps").at(i).as_object());
    }
  }

  std::vector<std::string> Differences() {
    CompareAnswers();
    // The end of a step that did not come to rest is a moment by chance.
    const json::value* rests = step_.if_contains("quiescent");
    if (IsTrue(step_, "livelock") || (rests != nullptr && !IsTrue(step_, "quiescent"))) {
      ComparePattern();
      return std::move(found_);
    }
    CompareWrites();
    const json::object& recorded = step_.at("snapshot").as_object();
    for (const auto& [plural, objects] : recorded) {
      if (plural != "events") CompareObjects(plural, objects.as_array());
    }
    for (const auto& [plural, objects] : outcome_.snapshot) {
      if (plural != "events" && !recorded.contains(plural)) {
        Differ(root_ + "/snapshot/" + std::string(plural), nullptr, objects);
      }
    }
    CompareEvents();
    return std::move(found_);
  }

 private:
  /// If the order of objects varies, so do the objects that writes name.
  void AddVarying(std::string pointer) {
    if (pointer.starts_with(root_ + "/writes/") && pointer.ends_with("/name")) {
      pointer = root_ + "/writes";
    }
    varies_.push_back(std::move(pointer));
  }

  /// Upstream's claim controller reports the node of finished pods to drivers. Dray does not, and
  /// the contents of such a PodSchedulingContext do not matter.
  void NoteHaunted(const json::object& step) {
    for (const json::value& one : ListOf(step, "writes")) {
      const json::object& write = one.as_object();
      if (TextOf(write, "kind") != "PodSchedulingContext" || TextOf(write, "type") != "created") {
        continue;
      }
      const std::string name(TextOf(write, "name"));
      const bool is_done = std::ranges::any_of(
          ListOf(step.at("snapshot").as_object(), "pods"), [&](const json::value& pod) {
            const std::string_view phase = TextOf(pod.at("status").as_object(), "phase");
            return TextOf(pod.at("metadata").as_object(), "name") == name &&
                   (phase == "Succeeded" || phase == "Failed");
          });
      if (is_done && TextOf(write, "by") == "resource-claim-controller") {
        haunted_.insert(name);
      } else {
        haunted_.erase(name);
      }
    }
    for (const std::string& name : haunted_) free_.insert("PodSchedulingContext/" + name);
  }

  /// The messages in conditions of pods. Upstream keeps only the first event about each version of
  /// a pod, so a message without a change of the pod before is missing there.
  void NoteTold(const json::object& step) {
    for (const json::value& one : ListOf(step, "writes")) {
      const json::object& write = one.as_object();
      const json::value* patch = write.if_contains("patch");
      if (TextOf(write, "kind") != "Pod" || patch == nullptr) continue;
      const json::value* status = patch->as_object().if_contains("status");
      if (status == nullptr) continue;
      for (const json::value& condition : ListOf(status->as_object(), "conditions")) {
        reported_.push_back({fmt::format("Pod/{} Warning FailedScheduling ", TextOf(write, "name")),
                             fmt::format(": {}", TextOf(condition.as_object(), "message"))});
      }
    }
  }

  bool WasTold(std::string_view event) const {
    return std::ranges::any_of(reported_, [&](const Reported& reported) {
      return event.starts_with(reported.beginning) && event.ends_with(reported.end);
    });
  }

  bool IsHaunted(std::string_view plural, const std::string& name) const {
    return plural == "podschedulingcontexts" && haunted_.contains(name);
  }

  void Differ(const std::string& pointer, const json::value& recorded, const json::value& here) {
    const bool is_free = std::ranges::any_of(varies_, [&](const std::string& varies) {
      return pointer == varies || pointer.starts_with(varies + "/");
    });
    if (is_free) return;
    const auto text = [](const json::value& value) {
      return value.is_null() ? std::string("none") : json::serialize(value);
    };
    found_.push_back(fmt::format("step {}: {}: recorded {}, here {}",
                                 number_,
                                 pointer.substr(root_.size()),
                                 text(recorded),
                                 text(here)));
  }

  void Compare(const std::string& pointer, const json::value& recorded, const json::value& here) {
    if (recorded == here || pointer.ends_with("/observedGeneration")) return;
    if (recorded.is_object() && here.is_object()) {
      for (const auto& [name, value] : recorded.get_object()) {
        const json::value* member = here.get_object().if_contains(name);
        Compare(
            pointer + "/" + std::string(name), value, member == nullptr ? json::value() : *member);
      }
      for (const auto& [name, value] : here.get_object()) {
        if (!recorded.get_object().contains(name))
          Compare(pointer + "/" + std::string(name), nullptr, value);
      }
      return;
    }
    if (recorded.is_array() && here.is_array() &&
        recorded.get_array().size() == here.get_array().size()) {
      for (size_t i = 0; i < recorded.get_array().size(); ++i) {
        Compare(fmt::format("{}/{}", pointer, i), recorded.get_array()[i], here.get_array()[i]);
      }
      return;
    }
    Differ(pointer, recorded, here);
  }

  void CompareAnswers() {
    const json::array& recorded = ListOf(step_, "answers");
    for (size_t i = 0; i < std::max(recorded.size(), outcome_.answers.size()); ++i) {
      const json::value there = i < recorded.size() ? recorded[i] : json::value();
      json::value here = i < outcome_.answers.size() ? outcome_.answers[i] : json::value();
      const bool shows_deed = there.is_object() && there.get_object().contains("deed");
      if (here.is_object() && !shows_deed) here.get_object().erase("deed");
      Compare(fmt::format("{}/answers/{}", root_, i), there, here);
    }
  }

  /// Matches by name; the pointer has the place in the recording.
  void CompareObjects(std::string_view plural, const json::array& recorded) {
    const auto name_of = [](const json::value& object) {
      return std::string(TextOf(object.at("metadata").as_object(), "name"));
    };
    std::map<std::string, json::value> here;
    for (const json::value& object : ListOf(outcome_.snapshot, plural))
      here[name_of(object)] = object;
    for (size_t i = 0; i < recorded.size(); ++i) {
      if (IsHaunted(plural, name_of(recorded[i]))) continue;
      const std::string pointer = fmt::format("{}/snapshot/{}/{}", root_, plural, i);
      const auto found = here.extract(name_of(recorded[i]));
      if (!found.empty()) {
        Compare(pointer, Comparable(recorded[i]), Comparable(found.mapped()));
      } else {
        Differ(pointer, TextValue(name_of(recorded[i])), nullptr);
      }
    }
    for (const auto& [name, object] : here) {
      Differ(fmt::format("{}/snapshot/{}/-", root_, plural), nullptr, TextValue(name));
    }
  }

  /// With reservations in one order, also those of two incarnations of a pod, and conditions
  /// without their advisory parts.
  static json::value Comparable(json::value object) {
    json::value* status = object.as_object().if_contains("status");
    if (status == nullptr || !status->is_object()) return object;
    if (json::value* reserved = status->get_object().if_contains("reservedFor")) {
      std::ranges::sort(reserved->as_array(), {}, [](const json::value& one) {
        return std::pair(std::string(TextOf(one.as_object(), "name")),
                         std::string(TextOf(one.as_object(), "uid")));
      });
    }
    if (json::value* conditions = status->get_object().if_contains("conditions")) {
      for (json::value& condition : conditions->as_array()) {
        condition.as_object().erase("observedGeneration");
      }
    }
    return object;
  }

  using Sequences = std::map<std::string, std::vector<std::string>>;

  /// For each pod and claim, in order; consecutive equal entries count once.
  static void Append(Sequences& sequences, const std::string& object, std::string what) {
    const bool counts = object.starts_with("Pod/") || object.starts_with("ResourceClaim/") ||
                        object.starts_with("PodSchedulingContext/");
    if (!counts) return;
    std::vector<std::string>& sequence = sequences[object];
    if (what.empty() || (!sequence.empty() && sequence.back() == what)) return;
    sequence.push_back(std::move(what));
  }

  /// Without nominations, because a scheduler may write them or not.
  static std::string WithoutNomination(std::vector<std::string> members) {
    std::erase_if(members, [](const std::string& member) {
      return member.ends_with("status.nominatedNodeName");
    });
    std::ranges::sort(members);
    return fmt::format("{}", fmt::join(members, " "));
  }

  /// How many consumers one write releases does not matter. Removes the writes that release some
  /// consumers before the one that releases the last.
  static void JoinReleases(Sequences& sequences) {
    for (auto& [object, sequence] : sequences) {
      for (size_t i = 1; i < sequence.size();) {
        const bool joins = sequence[i - 1] == "~status.reservedFor" &&
                           sequence[i].find("-status.reservedFor") != std::string::npos;
        if (joins)
          sequence.erase(sequence.begin() + static_cast<ptrdiff_t>(i) - 1);
        else
          ++i;
      }
    }
  }

  /// The stories of classic DRA list requests, of which one deletes; a watch shows both its steps.
  static void JoinDeletions(Sequences& sequences) {
    for (auto& [object, sequence] : sequences) {
      for (size_t i = 1; i < sequence.size(); ++i) {
        if (sequence[i] != "deleted" || sequence[i - 1] != "+metadata.deletionTimestamp") continue;
        sequence.erase(sequence.begin() + static_cast<ptrdiff_t>(--i));
      }
    }
  }

  /// When a pod that owned a claim is gone, its release and the garbage collector's deletion come
  /// in either order. A claim that is marked first is removed with its last finalizer; one whose
  /// driver has to deallocate it stays marked.
  static void JoinCollections(Sequences& sequences) {
    const auto is_deleted = [](const auto& entry) {
      return entry.first.starts_with("Pod/") &&
             std::ranges::find(entry.second, "deleted") != entry.second.end();
    };
    if (std::ranges::none_of(sequences, is_deleted)) return;
    for (auto& [object, sequence] : sequences) {
      if (!object.starts_with("ResourceClaim/") || sequence.empty()) continue;
      const size_t marks = std::erase(sequence, "+metadata.deletionTimestamp");
      if (sequence.empty() || sequence.back() != "deleted") {
        sequence.insert(sequence.end(), marks, "+metadata.deletionTimestamp");
      } else {
        std::erase(sequence, "-metadata.finalizers");
      }
    }
  }

  Sequences Recorded() const {
    Sequences recorded;
    for (const json::value& one : ListOf(step_, "writes")) {
      const json::object& write = one.as_object();
      std::vector<std::string> members;
      for (const json::value& member : ListOf(write, "members"))
        members.emplace_back(member.as_string());
      const std::string type(TextOf(write, "type"));
      if (type == "refused" || type == "unchanged") continue;  // watches do not show those
      Append(recorded,
             fmt::format("{}/{}", TextOf(write, "kind"), TextOf(write, "name")),
             type == "changed" ? WithoutNomination(std::move(members)) : type);
    }
    return recorded;
  }

  Sequences Here() const {
    Sequences here;
    for (const Write& write : outcome_.writes) {
      std::vector<std::string> members;
      for (size_t at = 0; at <= write.what.size();) {
        const size_t end = std::min(write.what.find(' ', at), write.what.size());
        members.push_back(write.what.substr(at, end - at));
        at = end + 1;
      }
      Append(here, write.object, WithoutNomination(std::move(members)));
    }
    return here;
  }

  /// For a step that did not come to rest: everything done here was done in the recording too. Only
  /// the stories of classic DRA list the deeds.
  void ComparePattern() {
    if (!step_.contains("by")) return;
    const Sequences recorded = Recorded();
    for (const auto& [object, sequence] : Here()) {
      const auto known = recorded.find(object);
      for (const std::string& write : sequence) {
        const bool was_done = known != recorded.end() &&
                              std::ranges::find(known->second, write) != known->second.end();
        if (!was_done)
          Differ(root_ + "/writes", nullptr, TextValue(fmt::format("{}: {}", object, write)));
      }
    }
  }

  void CompareWrites() {
    Sequences recorded = Recorded();
    Sequences here = Here();
    JoinReleases(recorded);
    JoinReleases(here);
    JoinCollections(recorded);
    JoinCollections(here);
    if (step_.contains("by")) {
      JoinDeletions(recorded);
      JoinDeletions(here);
    }
    if (TextOf(step_, "interleaving") == "free") {
      for (auto& [object, sequence] : recorded) std::ranges::sort(sequence);
      for (auto& [object, sequence] : here) std::ranges::sort(sequence);
    }
    for (const auto& [object, sequence] : recorded) here.try_emplace(object);
    for (const auto& [object, sequence] : here) {
      if (free_.contains(object) || recorded[object] == sequence) continue;
      Differ(root_ + "/writes",
             TextValue(fmt::format("{}: {}", object, fmt::join(recorded[object], ", "))),
             TextValue(fmt::format("{}", fmt::join(sequence, ", "))));
    }
  }

  static std::string EventText(const json::object& event) {
    return fmt::format("{} {} {} {}: {}",
                       TextOf(event, "object"),
                       TextOf(event, "type"),
                       TextOf(event, "reason"),
                       TextOf(event, "component"),
                       TextOf(event, "message"));
  }

  /// Each that was recorded must be here, and no other warning.
  void CompareEvents() {
    std::set<std::string> here;
    for (const json::value& event : ListOf(outcome_.snapshot, "events")) {
      here.insert(EventText(event.as_object()));
    }
    const json::array& recorded = ListOf(step_.at("snapshot").as_object(), "events");
    for (size_t i = 0; i < recorded.size(); ++i) {
      const std::string text = EventText(recorded[i].as_object());
      if (text.contains(kByChance)) continue;
      if (here.erase(text) == 0 && !ToldBefore(recorded, i, text)) {
        Differ(fmt::format("{}/snapshot/events/{}", root_, i), TextValue(text), nullptr);
      }
    }
    for (const json::value& event : allowed_) {
      if (event.is_object()) here.erase(EventText(event.as_object()));
    }
    for (const std::string& text : here) {
      if (text.contains(" Warning ") && !WasTold(text))
        Differ(root_ + "/snapshot/events/+", nullptr, TextValue(text));
    }
  }

  static bool ToldBefore(const json::array& events, size_t end, const std::string& text) {
    for (size_t i = 0; i < end; ++i) {
      if (EventText(events[i].as_object()) == text) return true;
    }
    return false;
  }

  const json::object& step_;
  const StepOutcome& outcome_;
  const size_t number_;
  const std::string root_;           // of its pointers
  std::vector<std::string> varies_;  // pointers
  std::set<std::string> free_;       // objects whose writes varied
  struct Reported {
    std::string beginning, end;  // of the text of an event
  };
  std::vector<Reported> reported_;
  std::set<std::string> haunted_;     // finished pods that are reported to drivers
  std::vector<json::value> allowed_;  // events that only one play had
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> Differences(const json::object& story,
                                     size_t number,
                                     const StepOutcome& outcome) {
  return Step(story, number, outcome).Differences();
}

}  // namespace dray::stories
