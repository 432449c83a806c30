// One character further, in a text that lies in memory as a whole and is read as a whole.

static void lexer_advance(TSLexer *data, bool skip) {
  Lexer *self = (Lexer *)data;
  uint32_t next = self->current_position.bytes + 1 - self->chunk_start;
  if (self->lookahead_size == 1 && next < self->chunk_size) {
    uint8_t byte = (uint8_t)self->chunk[next];
    if (byte < 0x80) {
      self->current_position.bytes++;
      if (data->lookahead == '\n') {
        self->current_position.extent.row++;
        self->current_position.extent.column = 0;
        ts_lexer__set_column_data(self, 0);
      } else {
        self->current_position.extent.column++;
        ts_lexer__increment_column_data(self);
      }
      if (skip) self->token_start_position = self->current_position;
      data->lookahead = byte;
      return;
    }
  }
  if (self->chunk) ts_lexer__do_advance(self, skip);
}

static void lexer_mark_end(TSLexer *data) {
  Lexer *self = (Lexer *)data;
  self->token_end_position = self->current_position;
}
