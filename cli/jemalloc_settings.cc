// SPDX-License-Identifier: Apache-2.0
// How jemalloc serves this program; the variable MALLOC_CONF overrides it. It reads the pointer
// before main().
//
// Threads of one CPU share an arena, instead of four arenas for each CPU: what one thread frees,
// the next one uses. Pages that no thread uses go back to the system after a second, and a thread
// of jemalloc sees to that when the others have nothing to do (docs/design/memory.md).
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf =
    "percpu_arena:percpu,background_thread:true,dirty_decay_ms:1000,muzzy_decay_ms:0";
}
