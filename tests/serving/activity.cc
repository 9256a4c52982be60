// SPDX-License-Identifier: Apache-2.0
#include "tests/serving/activity.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/result.h"
#include "base/world.h"

namespace dray::serving {

void NameThread(const char* name) {
  ::prctl(PR_SET_NAME, name);
}

bool IsIdle(pid_t process, std::string_view name) {
  Disk& disk = RealWorld().disk;
  const std::string tasks = fmt::format("/proc/{}/task", process);
  const Result<std::vector<std::string>> threads = disk.List(tasks);
  if (!threads) return true;
  const std::string self = std::to_string(::gettid());
  for (const std::string& thread : *threads) {
    if (thread == self) continue;
    const Result<std::string> stat = disk.Read(fmt::format("{}/{}/stat", tasks, thread));
    if (!stat) continue;  // it has ended
    // "1234 (its name) S …"; the name may have brackets.
    const size_t begin = stat->find('(') + 1;
    const size_t end = stat->rfind(") ");
    if (end == std::string::npos || end < begin) continue;
    const std::string_view named = std::string_view(*stat).substr(begin, end - begin);
    const char state = stat->at(end + 2);
    if ((name.empty() || named == name) && (state == 'R' || state == 'D')) return false;
  }
  return true;
}

}  // namespace dray::serving
