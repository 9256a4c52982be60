# SPDX-License-Identifier: Apache-2.0
# Language level, warnings and hardening for all our targets, through the interface target
# dray_options. Presets choose the build type, DRAY_SANITIZE and DRAY_FUZZ.

if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 19)
  message(FATAL_ERROR
    "Dray is built with clang 19: g++ 12 destroys temporaries of awaited calls twice "
    "(docs/design/toolchain.md). Use a preset, e.g. cmake --preset dev; found "
    "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}.")
endif()

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS ON)  # __int128 in the standard library's templates
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

find_program(CCACHE ccache)
if(DEFINED ENV{CCACHE_DISABLE})
  unset(CCACHE CACHE)
endif()
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

set(DRAY_SANITIZE "" CACHE STRING "sanitizers of -fsanitize=, e.g. address,undefined")
option(DRAY_FUZZ "build the fuzz targets (libFuzzer)" OFF)
option(DRAY_LTO "link-time optimisation (ThinLTO)" OFF)
option(DRAY_COMPILE_COSTS "each compile appends its CPU time to compile_costs.csv (dev/build_budget.py)" OFF)
option(DRAY_COVERAGE "source-based coverage" OFF)
option(DRAY_STATIC "programs need no shared library, libc included" OFF)
option(DRAY_ETCD_MODULE "gRPC is in a file beside the program, loaded for etcd only" OFF)
set(DRAY_PROFILE "" CACHE STRING "'generate': programs count what they run; a file: what runs is known from it")
option(DRAY_JEMALLOC "programs allocate with jemalloc; not with sanitizers" OFF)

add_library(dray_options INTERFACE)
target_compile_options(dray_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wcast-align
  -Wnon-virtual-dtor -Woverloaded-virtual -Wformat=2 -Wundef -Wextra-semi
  -Wthread-safety -Wunreachable-code-aggressive -Wheader-hygiene -Wcovered-switch-default
  -Wno-missing-field-initializers   # an absent API field is an empty one
  -Wno-gnu-zero-variadic-macro-arguments -Wno-gnu-statement-expression
  -Werror
  -fno-omit-frame-pointer -fstack-protector-strong)
target_compile_definitions(dray_options INTERFACE _GLIBCXX_ASSERTIONS BOOST_ALL_NO_LIB)
target_link_options(dray_options INTERFACE -fuse-ld=lld-19)
if(NOT DRAY_STATIC)
  # Addresses to mend at the start take a bit each, not 24 bytes (glibc 2.36 and later).
  target_link_options(dray_options INTERFACE -Wl,-z,pack-relative-relocs)
endif()
if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug" AND NOT DRAY_SANITIZE)
  # The linker merges functions with equal code whose addresses are not compared: 5 % less code to load.
  target_link_options(dray_options INTERFACE -Wl,--icf=safe)
  target_compile_options(dray_options INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif()
if(DRAY_COMPILE_COSTS)
  # Relative to the build folder, so that all clones share one compiler cache.
  target_compile_options(dray_options INTERFACE -fproc-stat-report=compile_costs.csv)
endif()
if(DRAY_UNITY)
  # A local name may be that of a constant in another source of the unit; `dev` checks each source.
  target_compile_options(dray_options INTERFACE -Wno-shadow)
endif()
if(DRAY_SANITIZE)
  target_compile_options(dray_options INTERFACE -fsanitize=${DRAY_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(dray_options INTERFACE -fsanitize=${DRAY_SANITIZE})
endif()
if(DRAY_LTO)
  target_compile_options(dray_options INTERFACE -flto=thin)
  target_link_options(dray_options INTERFACE -flto=thin
    -Wl,--thinlto-cache-dir=${PROJECT_BINARY_DIR}/thinlto)
endif()
if(DRAY_PROFILE STREQUAL "generate")
  target_compile_options(dray_options INTERFACE -fprofile-generate)
  target_link_options(dray_options INTERFACE -fprofile-generate)
elseif(DRAY_PROFILE)
  # What never ran is made small, what ran fast.
  target_compile_options(dray_options INTERFACE -fprofile-use=${DRAY_PROFILE}
    -Wno-profile-instr-unprofiled -Wno-profile-instr-out-of-date -Wno-backend-plugin "SHELL:-mllvm -pgo-cold-func-opt=minsize")
endif()
if(DRAY_STATIC)
  target_link_options(dray_options INTERFACE -static-pie)
endif()
if(DRAY_FUZZ)
  target_compile_options(dray_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(DRAY_COVERAGE)
  target_compile_options(dray_options INTERFACE -fprofile-instr-generate -fcoverage-mapping)
  target_link_options(dray_options INTERFACE -fprofile-instr-generate -fcoverage-mapping)
endif()
