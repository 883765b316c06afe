#pragma once

#include <cstddef>

namespace skinpose::test {

/// How often this process has called any operator new. An executable that links counting_new.cpp
/// has them all replaced, which is why it does nothing else. (The replacements stand in a file of
/// their own lest the compiler inline them into the code under test.)
std::size_t allocation_count();

}  // namespace skinpose::test
