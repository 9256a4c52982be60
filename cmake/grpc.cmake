# SPDX-License-Identifier: Apache-2.0
# gRPC for those who speak it (store/etcd), as the target dray_grpc, and dray_proto(), which makes a
# library of a .proto file.
#
# Programs link gRPC's archives, not its shared libraries: loading those and the fifty of Abseil
# would more than double the time `dray` takes to start (docs/design/store-etcd.md has the figures). The
# module that speaks gRPC for a package's program (store/etcd) does link those.
# What lies below gRPC and is loaded anyway, OpenSSL first, stays shared.
#

find_program(PROTOC protoc REQUIRED)
find_program(GRPC_CPP_PLUGIN grpc_cpp_plugin REQUIRED)
pkg_check_modules(GRPCPP REQUIRED grpc++)

# The archives of what `pkg-config --static grpc++` names, protobuf's small runtime first; nothing if
# one is missing.
function(dray_grpc_archives result)
  set(archives)
  foreach(name protobuf-lite ${GRPCPP_STATIC_LIBRARIES})
    if(NOT name MATCHES "^(grpc.*|gpr|upb|address_sorting|cares|absl_.*|protobuf.*)$")
      continue()
    endif()
    find_library(DRAY_ARCHIVE_${name} lib${name}.a)
    mark_as_advanced(DRAY_ARCHIVE_${name})
    if(NOT DRAY_ARCHIVE_${name})
      message(STATUS "lib${name}.a is missing: gRPC is linked shared, programs start slower")
      set(${result} "" PARENT_SCOPE)
      return()
    endif()
    list(APPEND archives ${DRAY_ARCHIVE_${name}})
  endforeach()
  list(REMOVE_DUPLICATES archives)
  set(${result} ${archives} PARENT_SCOPE)
endfunction()

add_library(dray_grpc INTERFACE)
target_compile_definitions(dray_grpc INTERFACE GRPC_USE_PROTO_LITE)
set(archives "")
# ThreadSanitizer can only leave out what gRPC does where that is another module.
if(NOT BUILD_SHARED_LIBS AND NOT DRAY_SANITIZE MATCHES "thread")
  dray_grpc_archives(archives)
endif()
if(archives)
  # Before the archives: what is found first counts.
  set(parts "")
  if(GRPCPP_VERSION MATCHES "^1\\.51\\.")
    set(parts dray_grpc_parts)  # store/etcd has it
  endif()
  target_link_libraries(dray_grpc INTERFACE
    ${parts} ${archives} PkgConfig::RE2 OpenSSL::SSL OpenSSL::Crypto ZLIB::ZLIB Threads::Threads)
  target_link_options(dray_grpc INTERFACE -Wl,--gc-sections)
endif()
# The same as shared libraries, for what is loaded when it is needed.
find_package(Protobuf REQUIRED)      # by CMake's module: Debian ships no config file for it
find_package(gRPC CONFIG REQUIRED)   # after Threads
add_library(dray_grpc_shared INTERFACE)
target_compile_definitions(dray_grpc_shared INTERFACE GRPC_USE_PROTO_LITE)
target_link_libraries(dray_grpc_shared INTERFACE gRPC::grpc++ protobuf::libprotobuf-lite)
if(NOT archives)
  target_link_libraries(dray_grpc INTERFACE dray_grpc_shared)
endif()

# dray_proto(TARGET FILE): the library TARGET of FILE.proto and its services, without our warnings.
# Its headers are FILE.pb.h and FILE.grpc.pb.h.
function(dray_proto target file)
  get_filename_component(folder ${file} ABSOLUTE)
  get_filename_component(name ${file} NAME_WE)
  get_filename_component(folder ${folder} DIRECTORY)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/proto)
  set(generated ${out}/${name}.pb.cc ${out}/${name}.pb.h ${out}/${name}.grpc.pb.cc ${out}/${name}.grpc.pb.h)
  file(MAKE_DIRECTORY ${out})
  add_custom_command(
    OUTPUT ${generated}
    COMMAND ${PROTOC} --proto_path=${folder} --cpp_out=${out} --grpc_out=${out}
            --plugin=protoc-gen-grpc=${GRPC_CPP_PLUGIN} ${folder}/${name}.proto
    DEPENDS ${folder}/${name}.proto
    VERBATIM)
  add_library(${target} STATIC ${generated})
  target_include_directories(${target} SYSTEM PUBLIC ${out})
  target_link_libraries(${target} PUBLIC dray_grpc)
  target_compile_options(${target} PRIVATE -w -ffunction-sections -fdata-sections)
  if(DRAY_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${DRAY_SANITIZE})
  endif()
endfunction()
