#include "algorithms/half_catalogue.hpp"

namespace sparsewire {

template std::vector<AllreduceEntry<Coded<Half>>> allreduce_table();

}  // namespace sparsewire
