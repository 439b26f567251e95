sparsewire_test(topologies_test topologies/topology_test.cpp topologies/graph_test.cpp topologies/routing_test.cpp
                topologies/read_topology_test.cpp LINK sparsewire_topologies)
