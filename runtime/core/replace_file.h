// replace_file(): a file that is written whole or not at all.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <string>

#include "nestrt/status.h"

namespace nestrt {

// Writes a new file beside `path`, waits until the disk has it, and renames it to that; what was there stays until
// then, and where anything fails. The new file is made by this call and no other: nothing that has its name before, a
// link least of all, is written through. It has those of the rights that the process gives to new files. Errors:
// kNotFound, kIo, without the path.
Status replace_file(const std::string& path, std::span<const std::byte> bytes, mode_t rights = 0666);

}  // namespace nestrt
