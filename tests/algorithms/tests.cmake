sparsewire_test(payload_tests algorithms/codec_test.cpp algorithms/operator_test.cpp algorithms/quantised_test.cpp algorithms/sparse_vector_test.cpp
                algorithms/stream_test.cpp                 LINK sparsewire_algorithms)
sparsewire_test(contract_tests contract/contract_test.cpp support/sim_worlds.cpp LINK sparsewire_sim)
sparsewire_test(allreduce_tests algorithms/allreduce_test.cpp algorithms/cases_test.cpp algorithms/reduction_test.cpp
                support/sim_worlds.cpp                 LINK sparsewire_sim)
sparsewire_test(nonblocking_tests algorithms/nonblocking_test.cpp support/sim_worlds.cpp LINK sparsewire_sim)
sparsewire_test(coded_tests algorithms/coded_test.cpp support/sim_worlds.cpp LINK sparsewire_sim)
sparsewire_test(fuzz_tests algorithms/fuzz_test.cpp LINK sparsewire_sim)
sparsewire_test(collectives_tests algorithms/collectives_test.cpp support/sim_worlds.cpp LINK sparsewire_sim)
sparsewire_test(lossy_tests algorithms/lossy_test.cpp algorithms/lossy_methods_test.cpp
                algorithms/lossy_property_test.cpp algorithms/select_test.cpp support/sim_worlds.cpp
                LINK sparsewire_sim)
sparsewire_test(lossless_tests algorithms/balanced_split_test.cpp algorithms/kylix_test.cpp algorithms/omnireduce_test.cpp
                algorithms/split_test.cpp algorithms/traps_test.cpp algorithms/two_level_test.cpp
                algorithms/volume_test.cpp algorithms/zen_test.cpp LINK sparsewire_sim)
