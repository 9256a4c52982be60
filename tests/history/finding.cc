// SPDX-License-Identifier: Apache-2.0
#include "tests/history/finding.h"

#include <string>
#include <string_view>

namespace dray::history {

std::string_view PropertyName(Property property) {
  switch (property) {
    case Property::kHistory: return "history";
    case Property::kRevisionOnce: return "revision-once";
    case Property::kRealTime: return "real-time";
    case Property::kCommitAnswer: return "commit-answer";
    case Property::kConditions: return "conditions";
    case Property::kRead: return "read";
    case Property::kLinearizable: return "linearizable";
    case Property::kWatchCommitted: return "watch.committed";
    case Property::kWatchVersions: return "watch.versions";
    case Property::kWatchCreation: return "watch.creation";
    case Property::kWatchPrevious: return "watch.previous";
    case Property::kWatchFiltered: return "watch.filtered";
    case Property::kWatchOrdered: return "watch.ordered";
    case Property::kWatchUnique: return "watch.unique";
    case Property::kWatchAtomic: return "watch.atomic";
    case Property::kWatchReliable: return "watch.reliable";
    case Property::kWatchResumable: return "watch.resumable";
    case Property::kWatchBookmarkable: return "watch.bookmarkable";
  }
  return "";
}

std::string ToText(const Report& report) {
  std::string text;
  for (const Finding& finding : report.findings) {
    text += PropertyName(finding.property);
    text += ": " + finding.text + "\n";
  }
  for (const std::string& why : report.undecided) text += "undecided: " + why + "\n";
  return text.empty() ? "sound\n" : text;
}

}  // namespace dray::history
