// The algorithms compiled once for this operator.
#include "algorithms/catalogue.hpp"

namespace sparsewire {

template std::vector<AllreduceEntry<Stream<float, Maximum>>> allreduce_table();
template std::vector<AllreduceEntry<Stream<double, Maximum>>> allreduce_table();

}  // namespace sparsewire
