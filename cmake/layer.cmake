# SPDX-License-Identifier: Apache-2.0
# One folder = one library, one namespace, one row of the layer table.
#
#   dray_layer(store USES base            all the layers it may include and link
#              LINKS  fmt::fmt            libraries outside ours
#              PARTS  tree .              its folders from the bottom up; "." is its own, alone if left out
#              HEADERS store.h …  SOURCES memory.cc …  TESTS memory_test.cc …)
#
# makes the library dray_store, the gtest program store_test with one ctest entry per suite, the
# check that every header compiles alone, and the test layer.store, which refuses an #include along
# an arrow that USES and PARTS do not name. One file a line.

include(CMakeParseArguments)

function(dray_layer name)
  cmake_parse_arguments(L "" "" "USES;LINKS;PARTS;HEADERS;SOURCES;TESTS;TEST_LINKS" ${ARGN})
  set(target dray_${name})
  add_library(${target} ${L_SOURCES})
  add_library(dray::${name} ALIAS ${target})
  if(NOT L_SOURCES)
    message(FATAL_ERROR "layer ${name}: a layer has at least one source")
  endif()
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${L_HEADERS})
  # No <target>_EXPORTS macro: the preset `shared` compiles what `dev` compiles, from the same cache.
  set_target_properties(${target} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON DEFINE_SYMBOL "")
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  target_link_libraries(${target} PUBLIC ${L_LINKS} PRIVATE $<BUILD_INTERFACE:dray_options>)
  foreach(used ${L_USES})
    target_link_libraries(${target} PUBLIC dray_${used})
  endforeach()
  if(BUILD_SHARED_LIBS)
    target_link_options(${target} PRIVATE -Wl,--no-undefined)
  endif()
  add_test(NAME layer.${name}
           COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/dev/check_layer.py
                   --layer ${name} --uses "${L_USES}" --parts "${L_PARTS}" --root ${PROJECT_SOURCE_DIR}
                   ${CMAKE_CURRENT_SOURCE_DIR})
  if(L_TESTS)
    dray_gtest(${name}_test SOURCES ${L_TESTS} LINKS ${target} ${L_TEST_LINKS})
  endif()
endfunction()

# What `make soak` runs twenty times as long: programs whose tests ask tests/soak.h, themselves or
# through tests/store_faults/verdict.h, how long. Their tests have the label `random`.
add_custom_target(random_tests)

# A gtest program with one ctest entry per suite; suites are read from the sources.
# OBJECTS are object libraries whose sources have tests, too.
function(dray_gtest name)
  cmake_parse_arguments(T "" "" "SOURCES;OBJECTS;LINKS" ${ARGN})
  add_executable(${name} ${T_SOURCES})
  foreach(objects ${T_OBJECTS})
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:${objects}>)
    get_target_property(sources ${objects} SOURCES)
    list(APPEND T_SOURCES ${sources})
  endforeach()
  target_link_libraries(${name} PRIVATE ${T_LINKS} dray_options GTest::gmock GTest::gtest_main)
  set(suites)
  set(is_random FALSE)
  foreach(source ${T_SOURCES})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    # Only where it is used: what other tests compile to is the same in every clone (ccache).
    file(STRINGS ${source} lines REGEX "DRAY_SOURCE_DIR" LIMIT_COUNT 1)
    if(lines AND DRAY_UNITY)  # a source with definitions of its own would not join a unit
      target_compile_definitions(${name} PRIVATE DRAY_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    elseif(lines)
      set_property(SOURCE ${source} APPEND PROPERTY
                   COMPILE_DEFINITIONS DRAY_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    endif()
    file(STRINGS ${source} lines REGEX "^#include \"tests/(soak|store_faults/verdict).h\"" LIMIT_COUNT 1)
    if(lines)
      set(is_random TRUE)
    endif()
    file(STRINGS ${source} lines REGEX "^TEST(_F|_P)?\\(")
    foreach(line ${lines})
      string(REGEX REPLACE "^TEST[_FP]*\\( *([A-Za-z0-9]+).*" "\\1" suite "${line}")
      list(APPEND suites ${suite})
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES suites)
  string(REGEX REPLACE "_test$" "" prefix ${name})
  foreach(suite ${suites})
    add_test(NAME ${prefix}.${suite} COMMAND ${name} --gtest_brief=1 "--gtest_filter=${suite}.*:*/${suite}.*")
    if(is_random)
      set_tests_properties(${prefix}.${suite} PROPERTIES LABELS random COST 10)
    endif()
  endforeach()
  if(is_random)
    add_dependencies(random_tests ${name})
  endif()
endfunction()

# What `make build` builds: programs and benchmarks, not the tests.
add_custom_target(programs)

# A program of ours: dray_program(dray SOURCES main.cc LINKS dray_cli)
function(dray_program name)
  cmake_parse_arguments(P "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${P_SOURCES})
  target_link_libraries(${name} PRIVATE ${P_LINKS} dray_options)
  if(DRAY_JEMALLOC)
    target_link_libraries(${name} PRIVATE ${DRAY_JEMALLOC_LIBRARY} Threads::Threads ${CMAKE_DL_LIBS} m)
  endif()
  # Every file that went in, for the list of what a package contains (packaging/sbom.py).
  target_link_options(${name} PRIVATE LINKER:--dependency-file=$<TARGET_FILE:${name}>.d)
  add_dependencies(programs ${name})
endfunction()

# What `make fuzz` builds.
add_custom_target(fuzz_targets)

# A libFuzzer target. Only the preset `fuzz` links it; the others compile it, so that it keeps up.
function(dray_fuzz name)
  cmake_parse_arguments(F "" "" "SOURCES;LINKS" ${ARGN})
  if(NOT DRAY_FUZZ)
    add_library(${name} OBJECT ${F_SOURCES})
    target_link_libraries(${name} PRIVATE ${F_LINKS} dray_options)
    return()
  endif()
  add_executable(${name} ${F_SOURCES})
  target_link_libraries(${name} PRIVATE ${F_LINKS} dray_options)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  add_dependencies(fuzz_targets ${name})
endfunction()

# Programs that contain a fault, and tests that expect TEST, linked from OBJECTS, to find it: its
# output must match FOUND. MUTANTS are files of edits (dev/mutants.py). SOAK: up to so many times the
# usual instances, where few seeds find a fault; it ends with the first that does.
#
#   dray_mutants(net OBJECTS net_simulation LINKS dray_net FOUND "stands still" MUTANTS a.txt …)
function(dray_mutants layer)
  cmake_parse_arguments(M "" "FOUND;SOAK" "OBJECTS;LINKS;MUTANTS" ${ARGN})
  set(script ${PROJECT_SOURCE_DIR}/dev/mutants.py)
  foreach(mutant ${M_MUTANTS})
    set(edits ${CMAKE_CURRENT_SOURCE_DIR}/${mutant})
    get_filename_component(name ${mutant} NAME_WE)
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/mutants/${name})
    execute_process(COMMAND ${Python3_EXECUTABLE} ${script} files ${edits}
                    OUTPUT_VARIABLE files OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${edits} ${script})
    string(REPLACE "\n" ";" files "${files}")
    set(copies ${files})
    list(TRANSFORM copies PREPEND ${folder}/)
    list(TRANSFORM files PREPEND ${PROJECT_SOURCE_DIR}/)
    set_property(GLOBAL APPEND PROPERTY DRAY_COMPILED_ALONE ${files})
    add_custom_command(OUTPUT ${copies} COMMAND ${Python3_EXECUTABLE} ${script} write ${edits} ${folder}
                       DEPENDS ${edits} ${script} ${files} VERBATIM)
    set(program mutant_${layer}_${name})
    add_executable(${program} ${copies})
    foreach(objects ${M_OBJECTS})
      target_sources(${program} PRIVATE $<TARGET_OBJECTS:${objects}>)
    endforeach()
    target_include_directories(${program} BEFORE PRIVATE ${folder})
    target_link_libraries(${program} PRIVATE ${M_LINKS} dray_options GTest::gmock GTest::gtest_main)
    add_test(NAME mutant.${layer}.${name} COMMAND ${program} --gtest_brief=1 --gtest_fail_fast)
    set_tests_properties(mutant.${layer}.${name} PROPERTIES PASS_REGULAR_EXPRESSION "${M_FOUND}")
    if(M_SOAK)
      set_tests_properties(mutant.${layer}.${name} PROPERTIES ENVIRONMENT DRAY_SOAK=${M_SOAK})
    endif()
  endforeach()
endfunction()
