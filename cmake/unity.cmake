# SPDX-License-Identifier: Apache-2.0
# Unity builds: the sources of a target are compiled in few units, each of which includes several
# sources of the same folders. Headers are then parsed, and templates instantiated, once per unit: a
# build from scratch takes fewer CPU-seconds (CONTRIBUTING.md has the figures). The
# preset `dev` compiles each source alone, so that a changed source costs only itself; `make lint`
# uses it, and so proves that every source includes what it needs.
#
#   dray_unity()   after all targets

option(DRAY_UNITY "compile the sources of a folder together" OFF)

# Bytes of source in one unit. The heaviest unit decides how well two cores share the work, and takes
# up to 1 GB of memory.
set(DRAY_UNITY_BYTES 150000)
# Counted for a generated source, which does not exist when this runs.
set(DRAY_UNITY_GENERATED_BYTES 10000)

# Gives each source of a target its unit. Sources stay in the order of the list.
function(dray_unity_target target folder)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cc$")
  list(LENGTH sources count)
  if(count LESS 2)
    return()
  endif()
  # Files that a mutant replaces (dray_mutants): the linker takes the mutant's object in place of this
  # one's, so it may hold nothing else.
  get_property(alone GLOBAL PROPERTY DRAY_COMPILED_ALONE)
  set(unit 1)
  set(bytes 0)
  foreach(source ${sources})
    get_filename_component(path ${source} ABSOLUTE BASE_DIR ${folder})
    if(path IN_LIST alone)
      continue()
    endif()
    get_source_file_property(generated ${path} DIRECTORY ${folder} GENERATED)
    if(generated)
      set(size ${DRAY_UNITY_GENERATED_BYTES})
    else()
      file(SIZE ${path} size)
    endif()
    math(EXPR bytes "${bytes} + ${size}")
    if(bytes GREATER DRAY_UNITY_BYTES AND NOT bytes EQUAL size)
      math(EXPR unit "${unit} + 1")
      set(bytes ${size})
    endif()
    set_source_files_properties(${path} DIRECTORY ${folder} PROPERTIES UNITY_GROUP ${unit})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

function(dray_unity_folder folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target ${targets})
    get_target_property(type ${target} TYPE)
    get_target_property(links ${target} LINK_LIBRARIES)
    if(NOT type STREQUAL "INTERFACE_LIBRARY" AND "${links}" MATCHES "dray_options")
      dray_unity_target(${target} ${folder})
    endif()
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(below ${folders})
    dray_unity_folder(${below})
  endforeach()
endfunction()

function(dray_unity)
  if(DRAY_UNITY)
    dray_unity_folder(${PROJECT_SOURCE_DIR})
  endif()
endfunction()
