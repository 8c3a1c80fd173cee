// CExpat for Swift: the header, and inline functions for what Swift cannot see (variadics, macros).
#pragma once
#include <expat.h>

/// Parses all of the text at once; XML_STATUS_OK where it is well-formed.
static inline int stele_xml_parse_all(XML_Parser parser, const char *text, int length) {
    return XML_Parse(parser, text, length, XML_TRUE) == XML_STATUS_OK;
}

/// Stops for good; callbacks that are under way may still come.
static inline void stele_xml_stop(XML_Parser parser) {
    (void)XML_StopParser(parser, XML_FALSE);
}
