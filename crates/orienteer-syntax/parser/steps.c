// Steps through a tree, one visible node after the other.
//
// The parser's own cursor can go everywhere, and pays for it: with each step to a sibling it looks at the node that it
// leaves once more, and it counts descendants. This one only goes down and on, and passes over tokens that nobody asks for
// without stopping at them; most of them are written in the parent itself, so that nothing else is touched.

#include <stdlib.h>

#include "subtree.h"
#include "tree.h"
#include "language.h"

// The children of a node that are still to come.
typedef struct {
  const Subtree *next;
  const Subtree *end;
  const TSSymbol *aliases;
  // Where the child before ends. The first one begins where its parent does.
  Length position;
  bool is_first;
  // The parent is a node that is seen, so that going up ends here.
  bool is_visible;
  // How many that are no extras there were.
  uint32_t structural;
} Level;

typedef struct {
  const TSTree *tree;
  // For each kind, whether it is passed over.
  const bool *passed;
  uint32_t kinds;
  Level *levels;
  uint32_t count;
  uint32_t room;
  // Where it stands.
  TSNode node;
  TSSymbol kind;
} Steps;

static TSSymbol public_kind(const TSLanguage *language, TSSymbol symbol) {
  return symbol < language->symbol_count + language->alias_count ? language->public_symbol_map[symbol] : symbol;
}

static void stand(Steps *self, const Subtree *subtree, Length start, TSSymbol alias, TSSymbol kind) {
  self->kind = kind;
  self->node = (TSNode) {
    {start.bytes, start.extent.row, start.extent.column, alias},
    subtree,
    self->tree,
  };
}

static void open_level(Steps *self, const Subtree *parent, Length start, bool is_visible) {
  if (self->count == self->room) {
    uint32_t room = self->room ? 2 * self->room : 64;
    Level *levels = realloc(self->levels, room * sizeof(Level));
    if (!levels) abort();
    self->levels = levels;
    self->room = room;
  }
  const Subtree *children = ts_subtree_children(*parent);
  self->levels[self->count++] = (Level) {
    .next = children,
    .end = children + ts_subtree_child_count(*parent),
    .aliases = ts_language_alias_sequence(self->tree->language, parent->ptr->production_id),
    .position = start,
    .is_first = true,
    .is_visible = is_visible,
    .structural = 0,
  };
}

// Stands at the root of a tree.
void orienteer_steps_begin(Steps *self, TSNode root, const bool *passed, uint32_t kinds) {
  *self = (Steps) {.tree = root.tree, .passed = passed, .kinds = kinds};
  const Subtree *subtree = root.id;
  Length start = {root.context[0], {root.context[1], root.context[2]}};
  stand(self, subtree, start, root.context[3], public_kind(self->tree->language, ts_subtree_symbol(*subtree)));
}

void orienteer_steps_end(Steps *self) {
  free(self->levels);
  self->levels = NULL;
}

// To the next child of the node whose children were entered last; at its end they are left.
bool orienteer_steps_next(Steps *self) {
  const TSLanguage *language = self->tree->language;
  while (self->count > 0) {
    Level *level = &self->levels[self->count - 1];
    while (level->next != level->end) {
      const Subtree *child = level->next++;
      Length start = level->position;
      if (!level->is_first) start = length_add(start, ts_subtree_padding(*child));
      level->is_first = false;
      level->position = length_add(start, ts_subtree_size(*child));
      TSSymbol alias = 0;
      if (!ts_subtree_extra(*child)) {
        if (level->aliases) alias = level->aliases[level->structural];
        level->structural++;
      }
      if (alias || ts_subtree_visible(*child)) {
        TSSymbol kind = public_kind(language, alias ? alias : ts_subtree_symbol(*child));
        if (kind < self->kinds && self->passed[kind]) continue;
        stand(self, child, start, alias, kind);
        return true;
      }
      if (ts_subtree_visible_child_count(*child) > 0) {
        open_level(self, child, start, false);
        level = &self->levels[self->count - 1];
      }
    }
    self->count--;
    if (level->is_visible) return false;
  }
  return false;
}

// To the first child of the node where it stands.
bool orienteer_steps_into(Steps *self) {
  const Subtree *subtree = self->node.id;
  if (ts_subtree_child_count(*subtree) == 0) return false;
  Length start = {self->node.context[0], {self->node.context[1], self->node.context[2]}};
  open_level(self, subtree, start, true);
  return orienteer_steps_next(self);
}
