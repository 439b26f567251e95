sparsewire_test(model_tests model/algorithm_spec_test.cpp model/closed_forms_test.cpp model/coded_forms_test.cpp
                model/collective_forms_test.cpp model/lossy_forms_test.cpp LINK sparsewire_model sparsewire_sim)
