// A node of the tree, made of what stands below it.

// Everything that a node says of its children, where none of them is an error or holds one. False where one does.
static bool node_sum_up(SubtreeHeapData *node, const Subtree *children, const TSLanguage *language) {
  const TSSymbol *aliases = ts_language_alias_sequence(language, node->production_id);
  Length padding = {0}, size = {0};
  uint32_t furthest = 0, visible = 0, named = 0, below = 0, structural = 0;
  int32_t precedence = 0;
  bool on_column = false, changes_scanner = false, is_external = false;
  for (uint32_t i = 0; i < node->child_count; i++) {
    const Subtree child = children[i];
    if (ts_subtree_error_cost(child) != 0 || ts_subtree_symbol(child) >= ts_builtin_sym_error_repeat) return false;
    on_column |= ts_subtree_depends_on_column(child) && (i == 0 || size.extent.row == 0);
    changes_scanner |= ts_subtree_has_external_scanner_state_change(child);
    is_external |= ts_subtree_has_external_tokens(child);
    precedence += ts_subtree_dynamic_precedence(child);
    below += ts_subtree_visible_descendant_count(child);
    if (i == 0) {
      padding = ts_subtree_padding(child);
      size = ts_subtree_size(child);
    } else {
      size = length_add(size, ts_subtree_total_size(child));
    }
    uint32_t looked_at = padding.bytes + size.bytes + ts_subtree_lookahead_bytes(child);
    if (looked_at > furthest) furthest = looked_at;
    TSSymbol alias = 0;
    if (!ts_subtree_extra(child)) {
      if (aliases && ts_subtree_symbol(child) != 0) alias = aliases[structural];
      structural++;
    }
    if (alias != 0) {
      visible++;
      below++;
      named += ts_language_symbol_metadata(language, alias).named;
    } else if (ts_subtree_visible(child)) {
      visible++;
      below++;
      named += ts_subtree_named(child);
    } else if (ts_subtree_child_count(child) > 0) {
      visible += child.ptr->visible_child_count;
      named += child.ptr->named_child_count;
    }
  }
  node->padding = padding;
  node->size = size;
  node->lookahead_bytes = furthest - size.bytes - padding.bytes;
  node->visible_child_count = visible;
  node->named_child_count = named;
  node->visible_descendant_count = below;
  node->dynamic_precedence = precedence;
  node->depends_on_column = on_column;
  node->has_external_scanner_state_change = changes_scanner;
  node->has_external_tokens = is_external;
  if (node->child_count == 0) return true;
  const Subtree first = children[0], last = children[node->child_count - 1];
  node->first_leaf.symbol = ts_subtree_leaf_symbol(first);
  node->first_leaf.parse_state = ts_subtree_leaf_parse_state(first);
  node->fragile_left = ts_subtree_fragile_left(first);
  node->fragile_right = ts_subtree_fragile_right(last);
  bool is_repetition = !node->visible && !node->named && ts_subtree_symbol(first) == node->symbol;
  if (node->child_count >= 2 && is_repetition) {
    uint32_t one = ts_subtree_repeat_depth(first), other = ts_subtree_repeat_depth(last);
    node->repeat_depth = (one > other ? one : other) + 1;
  }
  return true;
}

// With children that are its own from now on.
static MutableSubtree node_new(
  TSSymbol symbol, uint16_t production, const Subtree *children, uint32_t count, const TSLanguage *language
) {
  Subtree *own = ts_malloc(ts_subtree_alloc_size(count));
  for (uint32_t i = 0; i < count; i++) own[i] = children[i];
  TSSymbolMetadata metadata = language->symbol_metadata[symbol];
  SubtreeHeapData *node = (SubtreeHeapData *)(own + count);
  *node = (SubtreeHeapData) {
    .ref_count = 1,
    .symbol = symbol,
    .child_count = count,
    .visible = metadata.visible,
    .named = metadata.named,
  };
  node->production_id = production;
  MutableSubtree result = {.ptr = node};
  if (!node_sum_up(node, own, language)) ts_subtree_summarize_children(result, language);
  return result;
}
