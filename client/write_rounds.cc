// SPDX-License-Identifier: Apache-2.0
#include "client/write_rounds.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace dray::client {

void WriteRounds::Run() {
  const std::vector<Write> writes = std::exchange(writes_, {});
  auto tasks = std::exchange(tasks_, {});
  std::vector<Answer> answers = client_.WriteAll(writes);
  for (size_t i = 0; i < tasks.size(); ++i) tasks[i](std::move(answers[i]));
}

}  // namespace dray::client
