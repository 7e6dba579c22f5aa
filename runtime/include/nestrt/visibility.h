// SPDX-License-Identifier: Apache-2.0
// NESTRT_PUBLIC marks the symbols that libnestrt.so exports: everything declared in a namespace with this attribute,
// and the C API (nestrt.h). All other symbols are hidden, so they can change without notice and cannot clash with an
// application's symbols.
//
// The attribute is on namespaces instead of classes so that no declaration is forgotten. Always declare a public class
// in such a namespace, because GCC uses the visibility of the first declaration that it sees.
#pragma once

#define NESTRT_PUBLIC [[gnu::visibility("default")]]
