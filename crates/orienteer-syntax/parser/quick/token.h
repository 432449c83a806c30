// The next token, found as the parser finds it.

typedef struct {
  TSSymbol symbol;
  // What it is where that keyword is expected; zero for none.
  TSSymbol keyword;
  bool is_keyword;
  bool is_external;
  bool depends_on_column;
  bool changes_scanner;
  uint32_t scanner_length;
  Length padding;
  Length size;
  // How far was looked.
  uint32_t looked_at;
} Found;

// Asks the scanner that some grammars bring along. False where only the parser itself knows what follows from it.
static bool token_by_scanner(
  TSParser *self, TSStateId state, uint16_t mode, Length start, bool is_after_error, Found *found
) {
  Lexer *lexer = &self->lexer;
  const TSLanguage *language = self->language;
  const StackHead *head = array_get(&self->stack->heads, 0);
  ColumnData column = lexer->column_data;
  Length here = lexer->current_position;
  ts_lexer_start(lexer);
  ts_parser__external_scanner_deserialize(self, head->last_external_token);
  found->is_external = ts_parser__external_scanner_scan(self, mode);
  found->depends_on_column = lexer->did_get_column;
  ts_lexer_finish(lexer, &found->looked_at);
  if (found->is_external) {
    found->symbol = language->external_scanner.symbol_map[lexer->data.result_symbol];
    found->scanner_length = ts_parser__external_scanner_serialize(self);
    found->changes_scanner = !ts_external_scanner_state_eq(
      ts_subtree_external_scanner_state(head->last_external_token), lexer->debug_buffer, found->scanner_length
    );
    // A token without characters that changes nothing could be found for ever.
    if (lexer->token_end_position.bytes <= here.bytes && !found->changes_scanner) {
      if (ts_language_next_state(language, state, found->symbol) == state) found->is_external = false;
      // After an error it depends on what was read since.
      else if (is_after_error) return false;
    }
  }
  if (found->is_external) {
    found->padding = length_sub(lexer->token_start_position, start);
    found->size = length_sub(lexer->token_end_position, lexer->token_start_position);
  } else {
    ts_lexer_reset(lexer, here);
    lexer->column_data = column;
  }
  return true;
}

// Asks the grammar's own lexer, unless the answer is known. False where it finds nothing.
static bool token_by_lexer(TSParser *self, Words *words, uint16_t mode, Length start, Found *found) {
  Lexer *lexer = &self->lexer;
  const TSLanguage *language = self->language;
  Word word, *slot = NULL;
  if (words && word_at(lexer, start.bytes, &word)) {
    word.mode = mode;
    slot = words_slot(words, &word);
    if (word_is(slot, &word)) {
      found->symbol = slot->symbol;
      found->keyword = slot->keyword;
      found->is_keyword = slot->is_keyword;
      found->padding = word_padding(slot);
      found->size = (Length) {slot->size, {0, slot->size}};
      if (start.bytes + slot->looked_at > found->looked_at) found->looked_at = start.bytes + slot->looked_at;
      ts_lexer_goto(lexer, length_add(start, length_add(found->padding, found->size)));
      return true;
    }
  }
  ts_lexer_start(lexer);
  if (!language->lex_fn(&lexer->data, mode)) return false;
  ts_lexer_finish(lexer, &found->looked_at);
  found->symbol = lexer->data.result_symbol;
  found->padding = length_sub(lexer->token_start_position, start);
  found->size = length_sub(lexer->token_end_position, lexer->token_start_position);
  uint32_t end = lexer->token_end_position.bytes, furthest = lexer->current_position.bytes;
  if (found->symbol == language->keyword_capture_token && found->symbol != 0) {
    ts_lexer_reset(lexer, lexer->token_start_position);
    ts_lexer_start(lexer);
    found->is_keyword = language->keyword_lex_fn(&lexer->data, 0);
    if (found->is_keyword && lexer->token_end_position.bytes == end) found->keyword = lexer->data.result_symbol;
    if (lexer->current_position.bytes > furthest) slot = NULL;
  }
  // Nothing was looked at but what the word has, and the word is all that was found.
  bool is_covered = slot && furthest < start.bytes + word.length;
  if (is_covered && found->padding.bytes == word.padding && found->size.extent.row == 0) {
    word.size = found->size.bytes;
    word.looked_at = furthest + 1 - start.bytes;
    word.symbol = found->symbol;
    word.keyword = found->keyword;
    word.is_keyword = found->is_keyword;
    *slot = word;
  }
  return true;
}

// False where the parser itself has to look: at the end of a comment with a grammar of its own, and where nothing fits.
static bool next_token(
  TSParser *self, Words *words, TSStateId state, Length start, bool is_after_error, Subtree *token
) {
  const TSLanguage *language = self->language;
  TSLexerMode mode = ts_language_lex_mode_for_state(language, state);
  if (mode.lex_state == (uint16_t)-1) return false;
  Found found = {0};
  ts_lexer_reset(&self->lexer, start);
  if (mode.external_lex_state != 0) {
    if (!token_by_scanner(self, state, mode.external_lex_state, start, is_after_error, &found)) return false;
  }
  if (!found.is_external) {
    if (!token_by_lexer(self, words, mode.lex_state, start, &found)) return false;
    bool is_expected = found.keyword != 0 && (
      ts_language_has_actions(language, state, found.keyword) ||
      ts_language_is_reserved_word(language, state, found.keyword)
    );
    if (is_expected) found.symbol = found.keyword;
  }
  uint32_t end = start.bytes + found.padding.bytes + found.size.bytes;
  *token = ts_subtree_new_leaf(
    &self->tree_pool, found.symbol, found.padding, found.size, found.looked_at - end, state,
    found.is_external, found.depends_on_column, found.is_keyword, language
  );
  if (found.is_external) {
    MutableSubtree leaf = ts_subtree_to_mut_unsafe(*token);
    ts_external_scanner_state_init(
      &leaf.ptr->external_scanner_state, self->lexer.debug_buffer, found.scanner_length
    );
    leaf.ptr->has_external_scanner_state_change = found.changes_scanner;
  }
  return true;
}
