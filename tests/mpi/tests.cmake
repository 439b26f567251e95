include(mpi/mpi_test.cmake)

sparsewire_mpi_executable(mpi_world_test mpi/mpi_world_test.cpp mpi/mpi_handles_test.cpp LINK MPI::MPI_C)
sparsewire_mpi_test(mpi_world_test RANKS 1 2 3 4 5 7 8)

sparsewire_mpi_executable(mpi_guest_test mpi/mpi_guest_test.cpp)
sparsewire_mpi_test(mpi_guest_test RANKS 1 2 5 8)
sparsewire_test(mpi_not_running_test mpi/mpi_not_running_test.cpp LINK sparsewire_mpi)

sparsewire_mpi_executable(mpi_large_test mpi/mpi_large_test.cpp)
sparsewire_mpi_test(mpi_large_test RANKS 2 TIMEOUT 600 LABELS slow)

add_executable(mpi_failing_program mpi/mpi_failing_program.cpp)
target_link_libraries(mpi_failing_program PRIVATE sparsewire_mpi)
sparsewire_mpi_failure_test(mpi_throw_while_others_receive mpi_failing_program RANKS 4 ARGS receive
                            EXPECT "sparsewire: rank 2: bad index 7\n")
sparsewire_mpi_failure_test(mpi_throw_while_others_allreduce mpi_failing_program RANKS 4 ARGS allreduce
                            EXPECT "sparsewire: rank 2: bad index 7\n")
sparsewire_mpi_failure_test(mpi_throw_while_others_have_ended mpi_failing_program RANKS 4 ARGS ended
                            EXPECT "sparsewire: rank 2: bad index 7\n")
sparsewire_mpi_failure_test(mpi_throw_of_no_exception mpi_failing_program RANKS 3 ARGS number
                            EXPECT "sparsewire: rank 2: threw something that is no std::exception\n")
sparsewire_mpi_failure_test(mpi_deadlock mpi_failing_program RANKS 2 ARGS deadlock
                            EXPECT "sparsewire: deadlock: rank [01] waited 1 s for rank [01] \\(tag 3\\)\n")

sparsewire_mpi_executable(mpi_last_rank_fails_test mpi/mpi_last_rank_fails_test.cpp)
sparsewire_mpi_failure_test(mpi_failure_of_one_rank_fails_the_job mpi_last_rank_fails_test RANKS 3
                            EXPECT "rank 2: LastRank.Fails: .*as it should")

# The suites of every world, over MPI.
sparsewire_mpi_executable(mpi_contract_test contract/contract_test.cpp support/mpi_worlds.cpp)
sparsewire_mpi_test(mpi_contract_test RANKS 1 2 3 8)
sparsewire_mpi_executable(mpi_nonblocking_test algorithms/nonblocking_test.cpp support/mpi_worlds.cpp)
sparsewire_mpi_test(mpi_nonblocking_test RANKS 1 2 3 4 9)
sparsewire_mpi_executable(mpi_allreduce_test algorithms/allreduce_test.cpp algorithms/coded_test.cpp algorithms/cases_test.cpp
                          algorithms/reduction_test.cpp mpi/equals_simulation_test.cpp support/mpi_worlds.cpp LINK sparsewire_sim)
sparsewire_mpi_test(mpi_allreduce_test RANKS 4 9)
sparsewire_mpi_test(mpi_allreduce_test RANKS 32 LABELS slow TIMEOUT 900)
sparsewire_mpi_executable(mpi_collectives_test algorithms/collectives_test.cpp support/mpi_worlds.cpp)
sparsewire_mpi_test(mpi_collectives_test RANKS 4 9)
sparsewire_mpi_test(mpi_collectives_test RANKS 32 LABELS slow TIMEOUT 900)
sparsewire_mpi_executable(mpi_lossy_test algorithms/lossy_test.cpp support/mpi_worlds.cpp)
sparsewire_mpi_test(mpi_lossy_test RANKS 4 9)
