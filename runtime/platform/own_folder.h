// own_folder(): where the program or the library lies that has this code inside. What is installed beside it is found
// from there.
#pragma once

#include <filesystem>

namespace nestrt {

// Absolute where the system knows it; empty where it does not say.
std::filesystem::path own_folder();

}  // namespace nestrt
