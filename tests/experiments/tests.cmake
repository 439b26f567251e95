sparsewire_test(experiments_test experiments/json_test.cpp experiments/nearest_name_test.cpp
                experiments/netgauge_test.cpp
                experiments/reader_test.cpp experiments/svmlight_test.cpp experiments/workload_test.cpp
                LINK sparsewire_experiments)

sparsewire_test(sweep_tests experiments/sweep_test.cpp experiments/measure_test.cpp
                experiments/worker_pool_test.cpp experiments/simulated_run_test.cpp
                experiments/results_directory_test.cpp experiments/names_test.cpp experiments/lossy_run_test.cpp experiments/overlap_test.cpp experiments/reduce_test.cpp
                reports/example_measurements.cpp LINK sparsewire_experiments)

# The program itself, called from outside.
function(sparsewire_command_line_test name)
  sparsewire_test(${name} ${ARGN} experiments/run_program.cpp reports/example_measurements.cpp
                  LINK sparsewire_experiments)
  target_compile_definitions(${name} PRIVATE SPARSEWIRE_PROGRAM="$<TARGET_FILE:sparsewire>")
  add_dependencies(${name} sparsewire)
endfunction()
sparsewire_command_line_test(cli_tests experiments/cli_test.cpp experiments/cli_run_test.cpp)

# And under mpirun.
include(mpi/mpi_test.cmake)
add_executable(cli_mpi_tests experiments/cli_mpi_test.cpp experiments/run_program.cpp
               reports/example_measurements.cpp)
target_link_libraries(cli_mpi_tests PRIVATE sparsewire_experiments GTest::gtest GTest::gtest_main GTest::gmock)
list(JOIN SPARSEWIRE_MPIRUN " " mpirun)
target_compile_definitions(cli_mpi_tests PRIVATE SPARSEWIRE_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                           SPARSEWIRE_PROGRAM="$<TARGET_FILE:sparsewire>" SPARSEWIRE_MPIRUN="${mpirun}")
add_dependencies(cli_mpi_tests sparsewire)
gtest_discover_tests(cli_mpi_tests DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 300 PROCESSORS 4 LABELS mpi)

sparsewire_mpi_executable(mpi_run_test experiments/mpi_run_test.cpp ${PROJECT_SOURCE_DIR}/experiments/mpi_run.cpp
                          LINK sparsewire_experiments)
sparsewire_mpi_test(mpi_run_test RANKS 2 3)

include(include_check/tests.cmake)
