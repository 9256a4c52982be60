// SPDX-License-Identifier: Apache-2.0
// Whether a process is working, according to the kernel. This distinguishes "it has nothing to do"
// from "it has not got a CPU yet" on a busy machine.
#pragma once

#include <string_view>

#include <sys/types.h>

namespace dray::serving {

/// Gives the calling thread a name, which the threads that it begins inherit. At most 15 bytes.
void NameThread(const char* name);

/// Whether all threads of the process (those called `name`, if it is not empty) wait for an event:
/// none runs, waits for a CPU, or waits for a disk. The calling thread does not count. A process
/// that has ended is idle.
bool IsIdle(pid_t process, std::string_view name = {});

}  // namespace dray::serving
