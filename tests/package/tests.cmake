# The package of find_package(sparsewire): installed, and used by the examples, which are no part of this build.
if(SPARSEWIRE_SANITIZE)
  return()  # a library with sanitizers does not link into a program without
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  set(old_gcc ON)
endif()
add_test(NAME package_examples
         COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -DSOURCE=${PROJECT_SOURCE_DIR}
                 -DEXAMPLES=${PROJECT_SOURCE_DIR}/examples -DWORK=${PROJECT_BINARY_DIR}/package_test
                 -DCXX=${CMAKE_CXX_COMPILER} -DC=${CMAKE_C_COMPILER} -DOLD_GCC=${old_gcc}
                 "-DMPIRUN=${SPARSEWIRE_MPIRUN}" -P ${CMAKE_CURRENT_LIST_DIR}/package_test.cmake)
set_tests_properties(package_examples PROPERTIES ENVIRONMENT "${SPARSEWIRE_MPI_ENVIRONMENT}" TIMEOUT 300 PROCESSORS 4
                                                SKIP_REGULAR_EXPRESSION "^skipped: " LABELS "mpi;slow")
