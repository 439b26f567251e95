sparsewire_test(loggp_world_tests sim/loggp_world_test.cpp LINK sparsewire_sim)
sparsewire_test(simgrid_tests sim/simgrid_world_test.cpp sim/simgrid_platform_test.cpp sim/equal_worlds_test.cpp
                LINK sparsewire_sim SimGrid::simgrid)
