// CGnuTLS for Swift: the headers, and what is a macro there.
#pragma once
#include <gnutls/abstract.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>

static const unsigned int stele_gnutls_sorted = GNUTLS_X509_CRT_LIST_SORT;

// A variable that holds a function.
static inline void stele_gnutls_free(void *memory) { gnutls_free(memory); }
