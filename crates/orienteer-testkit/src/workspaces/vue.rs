//! Vue components.

/// Two components and a module in TypeScript. Vue itself is linked into it by the tests: types of templates come from there.
///
/// - `double` src/double.ts 2:17, a function
/// - `double` src/Counter.vue 2:10, imported
/// - `double` src/Counter.vue 12:36, called in the template
/// - `start` src/Counter.vue 4:29, a property
/// - `increment` src/Counter.vue 6:10, a function
/// - `increment` src/Counter.vue 12:19, called in the template
/// - `double` src/App.vue 5:15, called
/// - `Counter` src/App.vue 9:4, used as an element
/// - `start` src/App.vue 9:13, given
///
/// [`VUE_BROKEN`] is a text for src/App.vue with two errors.
pub const VUE: &str = r#"//- /package.json
{
  "name": "counter",
  "private": true,
  "type": "module"
}
//- /tsconfig.json
{
  "compilerOptions": { "strict": true, "target": "es2022", "module": "esnext", "moduleResolution": "bundler", "types": [], "lib": ["es2022", "dom"] },
  "include": ["src/**/*.ts", "src/**/*.vue"]
}
//- /src/double.ts
/** Twice a number. */
export function double(value: number): number {
  return value * 2;
}
//- /src/Counter.vue
<script setup lang="ts">
import { double } from "./double";

const props = defineProps<{ start: number }>();
const emit = defineEmits<{ changed: [value: number] }>();
function increment(by: number): void {
  emit("changed", props.start + by);
}
</script>

<template>
  <button @click="increment(1)">{{ double(props.start) }}</button>
</template>
//- /src/App.vue
<script setup lang="ts">
import Counter from "./Counter.vue";
import { double } from "./double";

const first = double(2);
</script>

<template>
  <Counter :start="first" />
</template>
"#;

/// A text for src/App.vue with two type errors: 2345 at 5:22 in the script, 2322 at 9:13 in the template.
pub const VUE_BROKEN: &str = r#"<script setup lang="ts">
import Counter from "./Counter.vue";
import { double } from "./double";

const first = double("2");
</script>

<template>
  <Counter :start="'first' + first" />
</template>
"#;
