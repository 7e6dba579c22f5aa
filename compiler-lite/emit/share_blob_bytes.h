// SPDX-License-Identifier: Apache-2.0
// Divides the blobs of a vendor's compiler into segments, so that a plan stores bytes that several blobs contain once.
// Compilers often put the same firmware into each of their outputs.
#pragma once

#include <vector>

#include "compiler-lite/emit/assemble.h"

namespace nestrt::compiler {

// Blobs of less than 64 KiB, and blobs without common bytes, stay whole. The segments of a blob differ from each other.
void share_blob_bytes(std::vector<BranchPrograms>& programs);

}  // namespace nestrt::compiler
