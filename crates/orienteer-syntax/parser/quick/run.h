// On, as long as there is one way to read what comes next.

// For each token it is first looked up what would have to be done, up to this many steps; nothing is done unless there is
// one way to the end of them. So the parser finds everything as it was before the token where there is not: what was taken
// from its stack is what it would take itself, and lies there again.
#define MOST_STEPS 64

// What was read and is not yet part of something larger. It lies on top of the parser's own stack.
typedef struct {
  TSStateId *states;
  Subtree *subtrees;
  uint32_t count;
  // Behind the last, and before the first: both ends grow.
  uint32_t room;
  uint32_t room_before;
  Length position;
  Words *words;
  bool has_read;
  // Something with an error in it was taken from the stack.
  bool has_error;
} Run;

typedef struct {
  TSParseAction action;
  TSStateId next;
  // The grammar had another action, that is never taken.
  bool is_fragile;
} Step;

static inline StackHead *run_head(TSParser *parser) {
  return array_get(&parser->stack->heads, 0);
}

static void run_free(Run *run) {
  if (run->states) ts_free(run->states - run->room_before);
  if (run->subtrees) ts_free(run->subtrees - run->room_before);
}

static void run_grow(Run *run) {
  uint32_t before = run->count + 64, behind = run->count + 192;
  TSStateId *states = (TSStateId *)ts_malloc((before + run->count + behind) * sizeof(TSStateId)) + before;
  Subtree *subtrees = (Subtree *)ts_malloc((before + run->count + behind) * sizeof(Subtree)) + before;
  for (uint32_t i = 0; i < run->count; i++) {
    states[i] = run->states[i];
    subtrees[i] = run->subtrees[i];
  }
  run_free(run);
  run->states = states;
  run->subtrees = subtrees;
  run->room = behind;
  run->room_before = before;
}

static inline void run_push(Run *run, Subtree subtree, TSStateId state) {
  if (run->room == 0) run_grow(run);
  run->room--;
  run->subtrees[run->count] = subtree;
  run->states[run->count++] = state;
}

// Everything onto the parser's stack.
static void run_hand_over(TSParser *parser, Run *run) {
  for (uint32_t i = 0; i < run->count; i++) {
    ts_stack_push(parser->stack, 0, run->subtrees[i], false, run->states[i]);
  }
  // What was taken moved the first towards the beginning of its room.
  uint32_t all = run->room_before + run->count + run->room, before = all / 4;
  run->states += (ptrdiff_t)before - run->room_before;
  run->subtrees += (ptrdiff_t)before - run->room_before;
  run->room_before = before;
  run->room = all - before;
  run->count = 0;
}

// One from the parser's stack, below all that is here. False where it cannot be had: more than one way leads there.
static bool run_take(TSParser *parser, Run *run) {
  StackHead *head = run_head(parser);
  StackNode *node = head->node;
  StackLink link = node->links[0];
  if (node->link_count != 1 || node->ref_count != 1 || !link.subtree.ptr || link.is_pending) return false;
  if (run->room_before == 0) run_grow(run);
  run->room_before--;
  *--run->states = node->state;
  *--run->subtrees = link.subtree;
  run->count++;
  run->has_error |= ts_subtree_error_cost(link.subtree) != 0;
  head->node = link.node;
  StackNodeArray *pool = &parser->stack->node_pool;
  if (pool->size < MAX_NODE_POOL_SIZE) {
    array_push(pool, node);
  } else {
    ts_free(node);
  }
  return true;
}

// The state below the first of so many.
static inline TSStateId run_below(TSParser *parser, const Run *run, uint32_t count) {
  return count > 0 ? run->states[count - 1] : run_head(parser)->node->state;
}

// What is to be done with a token of this kind; the last step takes it. Zero where that is not for this to do.
static uint32_t run_plan(TSParser *parser, Run *run, TSStateId state, TSSymbol symbol, Step *steps) {
  const TSLanguage *language = parser->language;
  if (symbol >= language->token_count) return 0;
  // States of what the steps so far would have made, on top of those that they would leave.
  TSStateId made[MOST_STEPS];
  uint32_t made_count = 0, left = run->count;
  for (uint32_t count = 0; count < MOST_STEPS;) {
    TableEntry entry;
    ts_language_table_entry(language, state, symbol, &entry);
    const TSParseAction *action = NULL;
    for (uint32_t i = 0; i < entry.action_count; i++) {
      // Says that a list goes on, which the rule for the list does.
      if (entry.actions[i].type == TSParseActionTypeShift && entry.actions[i].shift.repetition) continue;
      if (action) return 0;
      action = &entry.actions[i];
    }
    if (!action) return 0;
    Step *step = &steps[count++];
    *step = (Step) {.action = *action, .is_fragile = entry.action_count > 1};
    if (action->type == TSParseActionTypeShift) {
      step->next = action->shift.extra ? state : action->shift.state;
      return count;
    }
    if (action->type != TSParseActionTypeReduce) return 0;
    uint32_t need = action->reduce.child_count;
    uint32_t taken = need < made_count ? need : made_count;
    made_count -= taken;
    for (need -= taken; need > 0;) {
      if (left == 0) {
        if (!run_take(parser, run)) return 0;
        left = 1;
      }
      left--;
      if (!ts_subtree_extra(run->subtrees[left])) need--;
    }
    TSStateId below = made_count > 0 ? made[made_count - 1] : run_below(parser, run, left);
    state = ts_language_lookup(language, below, action->reduce.symbol);
    step->next = state;
    made[made_count++] = state;
  }
  return 0;
}

// Makes one node of the last ones. What belongs to no rule, as comments do, stays behind it.
static void run_reduce(TSParser *parser, Run *run, const Step *step) {
  uint32_t from = run->count;
  for (uint32_t need = step->action.reduce.child_count; need > 0;) {
    if (!ts_subtree_extra(run->subtrees[--from])) need--;
  }
  uint32_t to = run->count;
  while (to > from && ts_subtree_extra(run->subtrees[to - 1])) to--;
  MutableSubtree node = node_new(
    step->action.reduce.symbol, step->action.reduce.production_id, run->subtrees + from, to - from, parser->language
  );
  node.ptr->dynamic_precedence += step->action.reduce.dynamic_precedence;
  if (step->is_fragile) {
    node.ptr->fragile_left = node.ptr->fragile_right = true;
    node.ptr->parse_state = TS_TREE_STATE_NONE;
  } else {
    node.ptr->parse_state = run_below(parser, run, from);
  }
  if (from == run->count) {
    run_push(run, ts_subtree_from_mut(node), step->next);
    return;
  }
  uint32_t behind = run->count - to;
  run->room += to - from - 1;
  memmove(run->subtrees + from + 1, run->subtrees + to, behind * sizeof(Subtree));
  run->subtrees[from] = ts_subtree_from_mut(node);
  run->count = from + 1 + behind;
  for (uint32_t i = from; i < run->count; i++) run->states[i] = step->next;
}

static void run_shift(TSParser *parser, Run *run, const Step *step, Subtree token) {
  Length size = ts_subtree_total_size(token);
  if (step->action.shift.extra != ts_subtree_extra(token)) {
    MutableSubtree changed = ts_subtree_make_mut(&parser->tree_pool, token);
    ts_subtree_set_extra(&changed, step->action.shift.extra);
    token = ts_subtree_from_mut(changed);
  }
  run_push(run, token, step->next);
  if (ts_subtree_has_external_tokens(token)) ts_stack_set_last_external_token(parser->stack, 0, token);
  run->position = length_add(run->position, size);
  run->has_read = true;
}

// To where the parser has to go on. False when it was stopped.
static bool run_on(TSParser *parser, Run *run) {
  Step steps[MOST_STEPS];
  StackHead *head = run_head(parser);
  TSStateId state = head->node->state;
  run->position = head->node->position;
  run->has_read = run->has_error = false;
  if (state == ERROR_STATE) return true;
  for (;;) {
    uint32_t position = run->position.bytes;
    Subtree token = NULL_SUBTREE;
    TableEntry entry;
    // The parser keeps the last token that it found, and takes it again where it stands at the same place.
    if (parser->token_cache.token.ptr) {
      token = ts_parser__get_cached_token(parser, state, position, head->last_external_token, &entry);
    }
    if (!token.ptr) {
      bool is_after_error = run->has_error || head->node->error_cost != 0;
      if (!next_token(parser, run->words, state, run->position, is_after_error, &token)) break;
      if (parser->token_cache.token.ptr) ts_parser__set_cached_token(parser, 0, NULL_SUBTREE, NULL_SUBTREE);
    }
    if (!ts_parser__check_progress(parser, &token, &position, 1)) {
      run_hand_over(parser, run);
      return false;
    }
    uint32_t count = run_plan(parser, run, state, ts_subtree_symbol(token), steps);
    // One without characters is the only one that the parser could still find at its place.
    if (count == 0 || ts_subtree_total_bytes(token) == 0) {
      ts_parser__set_cached_token(parser, position, head->last_external_token, token);
    }
    if (count == 0) {
      ts_subtree_release(&parser->tree_pool, token);
      break;
    }
    for (uint32_t i = 0; i + 1 < count; i++) run_reduce(parser, run, &steps[i]);
    state = steps[count - 1].next;
    run_shift(parser, run, &steps[count - 1], token);
  }
  run_hand_over(parser, run);
  return true;
}
