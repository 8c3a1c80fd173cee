// CExpat for Swift: the header, and inline functions for what Swift cannot see (variadics, macros).
#pragma once
#include <expat.h>

/// Parses the next part of a text; false where it is not well-formed.
static inline int stele_xml_parse(XML_Parser parser, const char *text, int length, int isLast) {
    return XML_Parse(parser, text, length, isLast) == XML_STATUS_OK;
}

/// Stops for good; callbacks that are under way may still come.
static inline void stele_xml_stop(XML_Parser parser) {
    (void)XML_StopParser(parser, XML_FALSE);
}
