// What libnestrt shows to those who link it as a shared library: what is declared in a namespace that is marked so, and
// the C API (nestrt.h). Everything else is hidden there, so that it can change, and meets nothing of the same name.
//
// Of a namespace and not of each class, so that nothing can be forgotten. Public classes are declared in their headers
// alone: GCC goes by the first declaration that it sees.
#pragma once

#define NESTRT_PUBLIC [[gnu::visibility("default")]]
