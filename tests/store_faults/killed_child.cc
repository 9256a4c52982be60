// SPDX-License-Identifier: Apache-2.0
#include "tests/store_faults/killed_child.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <string>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dray::store_faults {

std::string OutputUntilKilled(const std::vector<std::string>& command, size_t lines) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return "";
  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t pid = 0;
  const int failed = posix_spawn(&pid, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string output;
  size_t seen = 0;
  bool is_killed = failed != 0;
  std::array<char, 4096> buffer{};
  while (true) {
    const ssize_t got = read(ends[0], buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    const char* end = buffer.data() + got;
    output.append(buffer.data(), static_cast<size_t>(got));
    seen += static_cast<size_t>(std::count(static_cast<const char*>(buffer.data()), end, '\n'));
    if (seen < lines || is_killed) continue;
    kill(pid, SIGKILL);
    is_killed = true;
  }
  close(ends[0]);
  if (failed == 0) waitpid(pid, nullptr, 0);
  return output;
}

}  // namespace dray::store_faults
