// The algorithms compiled once for the streams that most programs sum.
#include "algorithms/catalogue.hpp"

namespace sparsewire {

template std::vector<AllreduceEntry<Stream<float>>> allreduce_table();
template std::vector<AllreduceEntry<Stream<double>>> allreduce_table();

}  // namespace sparsewire
