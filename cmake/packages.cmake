# SPDX-License-Identifier: Apache-2.0
# Every library outside ours, found once. What each is for: docs/design/dependencies.md.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
find_package(OpenSSL REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Boost 1.81 REQUIRED COMPONENTS json)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(GTest REQUIRED)
find_package(SQLite3 REQUIRED)
pkg_check_modules(NGHTTP2 REQUIRED IMPORTED_TARGET libnghttp2)
pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
if(DRAY_JEMALLOC)
  find_library(DRAY_JEMALLOC_LIBRARY NAMES libjemalloc_pic.a jemalloc REQUIRED)
endif()
# Peers of codec_bench alone; without them it is not built.
find_package(nlohmann_json QUIET)
find_package(Protobuf QUIET)
# Peers that it leaves out when they are absent.
find_package(simdjson QUIET)
include(CheckCXXSourceCompiles)
