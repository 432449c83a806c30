// Where a grammar with one table comes from.

#ifndef ORIENTEER_WIDE_H_
#define ORIENTEER_WIDE_H_

#include "parser.h"

// Behind it lies the table.
typedef struct {
  TSLanguage language;
  const TSLanguage *origin;
} Wide;

// The grammar that has lists; itself where it is no other one.
static inline const TSLanguage *wide_origin(const TSLanguage *language) {
  const Wide *wide = (const Wide *)language;
  return (const void *)language->parse_table == (const void *)(wide + 1) ? wide->origin : language;
}

#endif
