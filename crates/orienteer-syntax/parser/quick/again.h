// The parser's sources once more, with some of their functions exchanged.
//
// Those that others could call have another name here (`renamed.h` is written by `build.rs`), so that nothing of the parser
// that everybody else uses is replaced.

#include "renamed.h"

#include <stddef.h>
#include <stdint.h>

// Scanners that grammars bring along write what they know into a buffer of this size, and one of them can write a byte more.
#include "tree_sitter/api.h"
#include "parser.h"
#undef TREE_SITTER_SERIALIZATION_BUFFER_SIZE
#define TREE_SITTER_SERIALIZATION_BUFFER_SIZE 2048

// While a tree is made it belongs to one thread: whoever counts its owners has nobody to wait for.
#define TREE_SITTER_ATOMIC_H_
static inline size_t atomic_load(const volatile size_t *count) { return *count; }
static inline uint32_t atomic_inc(volatile uint32_t *count) { return *count += 1; }
static inline uint32_t atomic_dec(volatile uint32_t *count) { return *count -= 1; }

#include "language.c"
#include "lexer.c"
#include "stack.c"
#include "subtree.c"
#include "../wide.h"

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

// A link that a node was to have, where one like it leads to another node for the same: that one gets all links of the node
// that this one leads to.
typedef struct {
  StackNode *node;
  StackNode *into;
  StackLink link;
  // The next of them.
  uint32_t next;
} Merge;

// Adds a link to a node, unless it has one like it. Where that one leads to another node that stands for the same, it is
// told: all links of the node that the new one leads to are to be added there.
static StackNode *stack_link_or_merge(StackNode *node, StackLink link, SubtreePool *pool) {
  if (link.node == node) return NULL;
  for (uint32_t i = 0; i < node->link_count; i++) {
    StackLink *known = &node->links[i];
    if (!stack__subtree_is_equivalent(known->subtree, link.subtree)) continue;
    bool is_same =
      known->node == link.node || (
        known->node->state == link.node->state &&
        known->node->position.bytes == link.node->position.bytes &&
        known->node->error_cost == link.node->error_cost
      );
    if (is_same && known->node != link.node) return known->node;
    if (is_same) break;
  }
  // It does not call itself: nothing is left for which it would.
  stack_node_add_link(node, link, pool);
  return NULL;
}

// As the parser adds a link, which calls itself for each node of a chain: fifteen thousand comments in a row are enough to
// leave no room for another call.
static void stack_add_link(StackNode *node, StackLink link, SubtreePool *pool) {
  Array(Merge) open = array_new();
  for (;;) {
    StackNode *into = stack_link_or_merge(node, link, pool);
    if (into) {
      Merge merge = {.node = node, .into = into, .link = link};
      array_push(&open, merge);
    }
    for (;;) {
      if (open.size == 0) {
        array_delete(&open);
        return;
      }
      Merge *merge = array_back(&open);
      if (merge->next < merge->link.node->link_count) {
        node = merge->into;
        link = merge->link.node->links[merge->next++];
        break;
      }
      int32_t precedence = merge->link.node->dynamic_precedence;
      if (merge->link.subtree.ptr) precedence += ts_subtree_dynamic_precedence(merge->link.subtree);
      if (precedence > merge->node->dynamic_precedence) merge->node->dynamic_precedence = precedence;
      open.size--;
    }
  }
}

static bool stack_merge(Stack *self, StackVersion one, StackVersion other) {
  if (!ts_stack_can_merge(self, one, other)) return false;
  StackHead *head = array_get(&self->heads, one);
  StackNode *node = array_get(&self->heads, other)->node;
  for (uint32_t i = 0; i < node->link_count; i++) stack_add_link(head->node, node->links[i], self->subtree_pool);
  if (head->node->state == ERROR_STATE) head->node_count_at_last_error = head->node->node_count;
  ts_stack_remove_version(self, other);
  return true;
}

// In the order of the lists, which decides how an error is mended: a table has no order of its own.
static inline LookaheadIterator language_lookaheads(const TSLanguage *self, TSStateId state) {
  return ts_language_lookaheads(wide_origin(self), state);
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
#undef ts_stack_merge
#undef ts_language_table_entry
#define ts_stack_push stack_push
#define ts_stack_pop_count stack_pop_count
#define ts_stack_merge stack_merge
#define ts_language_lookaheads language_lookaheads
#define ts_language_table_entry language_table_entry
#include "parser.c"
