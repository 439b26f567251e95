include_guard(GLOBAL)

# Open MPI on this machine alone: shared memory without process_vm_readv, which containers refuse, no search for
# networks, and ranks that may outnumber the cores.
set(SPARSEWIRE_MPIRUN
    ${MPIEXEC_EXECUTABLE} --oversubscribe --bind-to none --mca plm isolated --mca pml ob1 --mca btl self,vader
    --mca btl_vader_single_copy_mechanism none --mca mpi_yield_when_idle 1)
# The leak sanitizer cannot be told to pass over Open MPI's own leaks, whose plugins are unloaded when it looks.
set(SPARSEWIRE_MPI_ENVIRONMENT OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 GTEST_COLOR=no
                               ASAN_OPTIONS=detect_leaks=0)
set(SPARSEWIRE_MPI_MAIN ${CMAKE_CURRENT_LIST_DIR}/mpi_main.cpp)

# sparsewire_mpi_executable(NAME source... [LINK target...]): GoogleTest tests with the main() of mpi_main.hpp.
function(sparsewire_mpi_executable name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS} ${SPARSEWIRE_MPI_MAIN})
  # MPI first: libsimgrid has functions of the same names (SMPI), and the first library on the line wins
  target_link_libraries(${name} PRIVATE sparsewire_mpi ${ARG_LINK} GTest::gtest GTest::gmock)
  target_compile_definitions(${name} PRIVATE SPARSEWIRE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
endfunction()

# sparsewire_mpi_test(EXECUTABLE RANKS n... [ARGS argument...] [TIMEOUT seconds] [LABELS label...]): one ctest
# entry a number of ranks, EXECUTABLE_npN. ctest counts a rank as a processor, so that jobs do not overlap.
function(sparsewire_mpi_test executable)
  cmake_parse_arguments(ARG "" "TIMEOUT" "RANKS;ARGS;LABELS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  foreach(ranks ${ARG_RANKS})
    set(test ${executable}_np${ranks})
    add_test(NAME ${test} COMMAND ${SPARSEWIRE_MPIRUN} -np ${ranks} $<TARGET_FILE:${executable}> ${ARG_ARGS})
    set_tests_properties(${test} PROPERTIES ENVIRONMENT "${SPARSEWIRE_MPI_ENVIRONMENT}" TIMEOUT ${ARG_TIMEOUT}
                                            PROCESSORS ${ranks} LABELS "mpi;${ARG_LABELS}")
  endforeach()
endfunction()

# sparsewire_mpi_failure_test(NAME EXECUTABLE RANKS n ARGS argument... EXPECT regex): the job must end by itself
# within 10 seconds, with a non-zero code and text on stderr that matches.
function(sparsewire_mpi_failure_test name executable)
  cmake_parse_arguments(ARG "" "RANKS;EXPECT" "ARGS" ${ARGN})
  add_test(NAME ${name}
           COMMAND ${CMAKE_COMMAND} -DEXPECT=${ARG_EXPECT} -DSECONDS=10 -P
                   ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/expect_failure.cmake -- ${SPARSEWIRE_MPIRUN} -np
                   ${ARG_RANKS} $<TARGET_FILE:${executable}> ${ARG_ARGS})
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "${SPARSEWIRE_MPI_ENVIRONMENT}" TIMEOUT 60 PROCESSORS
                                          ${ARG_RANKS} LABELS mpi)
endfunction()
