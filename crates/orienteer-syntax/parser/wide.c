// A grammar whose states are all rows of one table.
//
// Grammars keep most of their states as short lists, and the parser searches one for each token and each rule. It knows
// that the first states are rows of a table; here all of them are.

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "wide.h"

// NULL for a grammar of another version, or whose table would be larger than this. The grammar itself has to stay.
TSLanguage *orienteer_wide_new(const TSLanguage *grammar, size_t most) {
  size_t size;
  switch (grammar->abi_version) {
    case 14: size = offsetof(TSLanguage, name); break;
    case 15: size = sizeof(TSLanguage); break;
    default: return NULL;
  }
  size_t symbols = grammar->symbol_count;
  size_t entries = grammar->state_count * symbols;
  if (entries * sizeof(uint16_t) > most) return NULL;
  Wide *made = calloc(1, sizeof(Wide) + entries * sizeof(uint16_t));
  if (!made) return NULL;
  made->origin = grammar;
  TSLanguage *wide = &made->language;
  memcpy(wide, grammar, size);
  uint16_t *table = (uint16_t *)(made + 1);
  memcpy(table, grammar->parse_table, grammar->large_state_count * symbols * sizeof(uint16_t));
  for (uint32_t state = grammar->large_state_count; state < grammar->state_count; state++) {
    const uint16_t *list =
      &grammar->small_parse_table[grammar->small_parse_table_map[state - grammar->large_state_count]];
    for (uint16_t groups = *list++; groups > 0; groups--) {
      uint16_t value = *list++;
      for (uint16_t count = *list++; count > 0; count--) {
        uint16_t *entry = &table[state * symbols + *list++];
        // The parser takes the first that it finds.
        if (*entry == 0) *entry = value;
      }
    }
  }
  wide->parse_table = table;
  wide->large_state_count = grammar->state_count;
  return wide;
}

void orienteer_wide_free(TSLanguage *wide) {
  free(wide);
}
