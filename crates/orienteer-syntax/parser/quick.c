// The parser, quicker where a text can be read in one way only.
//
// The parser keeps a graph of all the ways in which what it has seen can be read, and pays for it with every token, although
// nearly everywhere there is one. Its own sources are compiled a second time here (`again.h`), and wherever one way is left, a
// plain stack takes over (`run.h`) until there are two again, or an error, or the end: then the parser's own functions go on
// as if it had never been there. Trees are the same to the last field.

#include "quick/again.h"
#include "quick/lexer.h"
#include "quick/words.h"
#include "quick/token.h"
#include "quick/node.h"
#include "quick/run.h"

TSParser *orienteer_quick_new(const TSLanguage *language) {
  TSParser *self = ts_parser_new();
  self->lexer.data.advance = lexer_advance;
  self->lexer.data.mark_end = lexer_mark_end;
  if (ts_parser_set_language(self, language)) return self;
  ts_parser_delete(self);
  return NULL;
}

void orienteer_quick_free(TSParser *self) {
  ts_parser_delete(self);
}

// NULL when it was stopped. The words may be NULL.
TSTree *orienteer_quick_parse(TSParser *self, Words *words, TSInput input, TSParseOptions options) {
  self->parse_options = options;
  self->parse_state.payload = options.payload;
  self->operation_count = 0;
  ts_lexer_set_input(&self->lexer, input);
  ts_parser__external_scanner_create(self);
  Stack *stack = self->stack;
  Run run = {.words = words && words_are_of(words, self->language) ? words : NULL};
  TSTree *tree = NULL;
  uint32_t furthest = 0, versions;
  do {
    for (StackVersion version = 0; versions = ts_stack_version_count(stack), version < versions; version++) {
      while (ts_stack_is_active(stack, version)) {
        // A tree that is finished may be better than what could follow, and that is asked after each token.
        if (ts_stack_version_count(stack) == 1 && !self->finished_tree.ptr) {
          if (!run_on(self, &run)) goto end;
          if (run.has_read && run.position.bytes > furthest) furthest = run.position.bytes;
        }
        if (!ts_parser__advance(self, version, false)) goto end;
        uint32_t position = ts_stack_position(stack, version).bytes;
        if (position > furthest || (version > 0 && position == furthest)) {
          furthest = position;
          break;
        }
      }
    }
    unsigned cost = ts_parser__condense_stack(self);
    if (self->finished_tree.ptr && ts_subtree_error_cost(self->finished_tree) < cost) {
      ts_stack_clear(stack);
      break;
    }
  } while (versions != 0);
  if (ts_parser__balance_subtree(self)) {
    tree = ts_tree_new(
      self->finished_tree, self->language, self->lexer.included_ranges, self->lexer.included_range_count
    );
    self->finished_tree = NULL_SUBTREE;
  }
end:
  run_free(&run);
  ts_parser_reset(self);
  return tree;
}
