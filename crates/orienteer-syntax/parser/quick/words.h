// Which token is it, where the same characters were one before?
//
// What a lexer finds depends on where the grammar stands and on the characters it looks at, and on nothing else. Most tokens
// are words and signs that were there a moment ago, with the same space before them and the same character behind.

// Longer ones are not kept.
#define LONGEST 24
#define SLOTS 4096

typedef struct {
  // Space, token and what was looked at behind it; then zeros.
  uint64_t text[LONGEST / 8];
  TSStateId mode;
  // Of the text; zero where nothing is known.
  uint8_t length;
  uint8_t padding;
  uint8_t size;
  uint8_t looked_at;
  TSSymbol symbol;
  // What it is where that keyword is expected; zero for none.
  TSSymbol keyword;
  bool is_keyword;
} Word;

typedef struct {
  // Whose words they are: of whoever asked first.
  bool (*lexer)(TSLexer *, TSStateId);
  Word slots[SLOTS];
} Words;

Words *orienteer_words_new(void) {
  return calloc(1, sizeof(Words));
}

void orienteer_words_free(Words *words) {
  free(words);
}

static bool words_are_of(Words *self, const TSLanguage *language) {
  if (!self->lexer) self->lexer = language->lex_fn;
  return self->lexer == language->lex_fn;
}

static inline bool is_space(uint8_t byte) {
  return byte == ' ' || byte == '\n' || byte == '\t';
}

static inline bool is_of_word(uint8_t byte) {
  return (uint8_t)((byte | 0x20) - 'a') < 26 || (uint8_t)(byte - '0') < 10 || byte == '_';
}

// What stands here: a word or one sign, the space before and the character behind. False where it is too long or too close
// to the end of the text.
static inline bool word_at(const Lexer *lexer, uint32_t position, Word *word) {
#if TS_BIG_ENDIAN
  return false;
#endif
  uint32_t from = position - lexer->chunk_start;
  // The first character of a text may be a mark that is no part of it.
  if (position == 0 || !lexer->chunk || from >= lexer->chunk_size || lexer->chunk_size - from < LONGEST) return false;
  const uint8_t *text = (const uint8_t *)lexer->chunk + from;
  uint32_t end = 0;
  while (end < LONGEST && is_space(text[end])) end++;
  word->padding = end;
  while (end < LONGEST && is_of_word(text[end])) end++;
  if (end == word->padding) end++;
  if (end >= LONGEST || text[end - 1] >= 0x80 || text[end] >= 0x80) return false;
  word->length = ++end;
  memcpy(word->text, text, LONGEST);
  uint32_t at = end / 8;
  if (end % 8 != 0) word->text[at++] &= ~0ULL >> (64 - 8 * (end % 8));
  while (at < LONGEST / 8) word->text[at++] = 0;
  return true;
}

static inline Word *words_slot(Words *self, const Word *word) {
  uint64_t hash = word->mode;
  for (uint32_t i = 0; i < LONGEST / 8; i++) {
    hash = (hash ^ word->text[i]) * 0xD6E8FEB86659FD93ULL;
    hash ^= hash >> 32;
  }
  return &self->slots[hash % SLOTS];
}

static inline bool word_is(const Word *slot, const Word *word) {
  if (slot->length != word->length || slot->mode != word->mode) return false;
  uint64_t difference = 0;
  for (uint32_t i = 0; i < LONGEST / 8; i++) difference |= slot->text[i] ^ word->text[i];
  return difference == 0;
}

// The lines and columns of the space before it.
static inline Length word_padding(const Word *word) {
  const char *text = (const char *)word->text;
  Length padding = {word->padding, {0, word->padding}};
  for (uint32_t i = 0; i < word->padding; i++) {
    if (text[i] == '\n') padding.extent = (TSPoint) {padding.extent.row + 1, word->padding - i - 1};
  }
  return padding;
}
