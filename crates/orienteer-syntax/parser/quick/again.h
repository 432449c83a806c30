// The parser's sources once more, with some of their functions exchanged.
//
// Those that others could call have another name here (`renamed.h` is written by `build.rs`), so that nothing of the parser
// that everybody else uses is replaced.

#include "renamed.h"

#include <stddef.h>
#include <stdint.h>

// While a tree is made it belongs to one thread, and counting with locks took a tenth of the time.
#define TREE_SITTER_ATOMIC_H_
static inline size_t atomic_load(const volatile size_t *count) { return *count; }
static inline uint32_t atomic_inc(volatile uint32_t *count) { return ++*(uint32_t *)count; }
static inline uint32_t atomic_dec(volatile uint32_t *count) { return --*(uint32_t *)count; }

#include "language.c"
#include "lexer.c"
#include "stack.c"
#include "subtree.c"

// Does not clear the seven links that a new node has not got.
static inline void stack_push(Stack *self, StackVersion version, Subtree subtree, bool pending, TSStateId state) {
  if (!subtree.ptr) {
    ts_stack_push(self, version, subtree, pending, state);
    return;
  }
  StackHead *head = array_get(&self->heads, version);
  StackNode *below = head->node;
  StackNode *node = self->node_pool.size > 0 ? array_pop(&self->node_pool) : ts_malloc(sizeof(StackNode));
  node->state = state;
  node->link_count = 1;
  node->ref_count = 1;
  node->links[0] = (StackLink) {.node = below, .subtree = subtree, .is_pending = pending};
  node->position = length_add(below->position, ts_subtree_total_size(subtree));
  node->error_cost = below->error_cost + ts_subtree_error_cost(subtree);
  node->node_count = below->node_count + stack__subtree_node_count(subtree);
  node->dynamic_precedence = below->dynamic_precedence + ts_subtree_dynamic_precedence(subtree);
  head->node = node;
}

// Where one way leads back, nothing has to be kept apart.
static StackSliceArray stack_pop_count(Stack *self, StackVersion version, uint32_t count) {
  StackNode *node = array_get(&self->heads, version)->node;
  uint32_t size = 0;
  for (uint32_t left = count; left > 0; size++) {
    if (node->link_count != 1 || !node->links[0].subtree.ptr) return ts_stack_pop_count(self, version, count);
    if (!ts_subtree_extra(node->links[0].subtree)) left--;
    node = node->links[0].node;
  }
  size_t bytes = ts_subtree_alloc_size(size);
  SubtreeArray subtrees = {ts_malloc(bytes), size, (uint32_t)(bytes / sizeof(Subtree))};
  node = array_get(&self->heads, version)->node;
  for (uint32_t at = size; at > 0; at--) {
    ts_subtree_retain(node->links[0].subtree);
    subtrees.contents[at - 1] = node->links[0].subtree;
    node = node->links[0].node;
  }
  StackSlice slice = {subtrees, ts_stack__add_version(self, version, node)};
  array_clear(&self->slices);
  array_push(&self->slices, slice);
  return self->slices;
}

// Small enough to be written into its callers.
static inline void language_table_entry(
  const TSLanguage *self, TSStateId state, TSSymbol symbol, TableEntry *result
) {
  if (symbol == ts_builtin_sym_error || symbol == ts_builtin_sym_error_repeat) {
    *result = (TableEntry) {.action_count = 0};
    return;
  }
  const TSParseActionEntry *entry = &self->parse_actions[ts_language_lookup(self, state, symbol)];
  result->action_count = entry->entry.count;
  result->is_reusable = entry->entry.reusable;
  result->actions = (const TSParseAction *)(entry + 1);
}

#undef ts_stack_push
#undef ts_stack_pop_count
#undef ts_language_table_entry
#define ts_stack_push stack_push
#define ts_stack_pop_count stack_pop_count
#define ts_language_table_entry language_table_entry
#include "parser.c"
