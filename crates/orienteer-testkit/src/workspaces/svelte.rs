//! Svelte components.

/// Two components and a module in TypeScript, no dependencies to install.
///
/// - `double` src/double.ts 2:17, a function
/// - `double` src/Counter.svelte 2:12, imported
/// - `double` src/Counter.svelte 10:23, called in the markup
/// - `count` src/Counter.svelte 3:14, a property
/// - `Counter` src/App.svelte 6:4, used as an element
///
/// [`SVELTE_BROKEN`] is a text for src/Counter.svelte with one error.
pub const SVELTE: &str = r#"//- /package.json
{
  "name": "counter",
  "private": true,
  "type": "module"
}
//- /tsconfig.json
{
  "compilerOptions": { "strict": true, "target": "es2022", "module": "esnext", "moduleResolution": "bundler", "types": [] },
  "include": ["src"]
}
//- /src/double.ts
/** Twice a number. */
export function double(value: number): number {
  return value * 2;
}
//- /src/Counter.svelte
<script lang="ts">
  import { double } from "./double";
  export let count: number = 1;
  function increment(): void {
    count += 1;
  }
</script>

<button on:click={increment}>
  {count} doubled is {double(count)}
</button>
//- /src/App.svelte
<script lang="ts">
  import Counter from "./Counter.svelte";
</script>

<main>
  <Counter count={2} />
</main>
"#;

/// A text for src/Counter.svelte with one type error: 2345 at 6:12.
pub const SVELTE_BROKEN: &str = r#"<script lang="ts">
  import { double } from "./double";
  export let count: number = 1;
</script>

<p>{double("text" + count)}</p>
"#;
