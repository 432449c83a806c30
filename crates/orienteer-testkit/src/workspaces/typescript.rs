//! A monorepo of two TypeScript packages.

/// `packages/core` and `packages/web`, joined by project references and by `paths`; no dependencies to
/// install.
///
/// Names (each has its declaration at `path` line:column, both from 1, columns in characters):
/// - `Shape` packages/core/src/shape.ts 2:18, an interface, implemented by `Circle` and `Square`
/// - `area` packages/core/src/shape.ts 4:3, its method
/// - `Circle` packages/core/src/circle.ts 4:14
/// - `Square` packages/core/src/square.ts 3:14
/// - `totalArea` packages/core/src/total.ts 4:17
/// - `totalArea` packages/web/src/report.ts 5:15, called by `report`
/// - `totalArea` packages/web/src/view.tsx 9:17, called by `View`
/// - `totalArea` packages/web/src/emoji.ts 6:58, called by the module, with two characters outside the BMP
///   before it on its line: from 0 it is 57 in characters, 59 in UTF-16, 63 in UTF-8
/// - `report` packages/web/src/report.ts 4:17
/// - `report` packages/web/src/view.tsx 10:20, called by `View`
/// - `View` packages/web/src/view.tsx 8:17, a component
/// - `größe` packages/web/src/emoji.ts 3:17
///
/// The files are free of errors. [`TYPESCRIPT_BROKEN`] is a text for packages/web/src/report.ts with one.
pub const TYPESCRIPT: &str = r#"//- /package.json
{
  "name": "shapes",
  "private": true,
  "workspaces": ["packages/*"]
}
//- /tsconfig.json
{
  "files": [],
  "references": [{ "path": "packages/core" }, { "path": "packages/web" }]
}
//- /tsconfig.base.json
{
  "compilerOptions": {
    "strict": true,
    "composite": true,
    "target": "es2022",
    "module": "esnext",
    "moduleResolution": "bundler",
    "jsx": "preserve",
    "types": [],
    "outDir": "${configDir}/dist",
    "rootDir": "${configDir}/src",
    "paths": { "@shapes/core": ["./packages/core/src/index.ts"] }
  }
}
//- /packages/core/package.json
{
  "name": "@shapes/core",
  "version": "1.0.0",
  "main": "src/index.ts"
}
//- /packages/core/tsconfig.json
{
  "extends": "../../tsconfig.base.json",
  "include": ["src"]
}
//- /packages/core/src/index.ts
export type { Shape } from "./shape";
export { Circle } from "./circle";
export { Square } from "./square";
export { totalArea } from "./total";
//- /packages/core/src/shape.ts
/** Something with an area. */
export interface Shape {
  /** The area in square metres. */
  area(): number;
}
//- /packages/core/src/circle.ts
import type { Shape } from "./shape";

/** A circle by its radius. */
export class Circle implements Shape {
  constructor(readonly radius: number) {}

  area(): number {
    return Math.PI * this.radius ** 2;
  }
}
//- /packages/core/src/square.ts
import type { Shape } from "./shape";

export class Square implements Shape {
  constructor(readonly side: number) {}

  area(): number {
    return this.side * this.side;
  }
}
//- /packages/core/src/total.ts
import type { Shape } from "./shape";

/** The sum of all areas. */
export function totalArea(shapes: readonly Shape[]): number {
  return shapes.reduce((sum, shape) => sum + shape.area(), 0);
}
//- /packages/web/package.json
{
  "name": "@shapes/web",
  "version": "1.0.0",
  "dependencies": { "@shapes/core": "*" }
}
//- /packages/web/tsconfig.json
{
  "extends": "../../tsconfig.base.json",
  "include": ["src"],
  "references": [{ "path": "../core" }]
}
//- /packages/web/src/report.ts
import { totalArea, type Shape } from "@shapes/core";

/** One line over all shapes. */
export function report(shapes: Shape[]): string {
  const sum = totalArea(shapes);
  return `sum ${sum.toFixed(1)}`;
}
//- /packages/web/src/view.tsx
import { Circle, Square, totalArea } from "@shapes/core";
import { report } from "./report";

declare global {
  namespace JSX { interface IntrinsicElements { p: { title?: string } } interface Element {} }
}

export function View(props: { radius: number }): JSX.Element {
  const title = totalArea([new Square(2)]).toString();
  return <p title={report([new Circle(props.radius)]) + title} />;
}
//- /packages/web/src/emoji.ts
import { Square, totalArea } from "@shapes/core";

export function größe(länge: number): number {
  return länge * 2;
}
const party = "🎉"; const thumb = "👍"; export const sum = totalArea([new Square(größe(party.length))]);
export const both = party + thumb;
"#;

/// A text for packages/web/src/report.ts with one error: 2322 at 5:9.
pub const TYPESCRIPT_BROKEN: &str = r#"import { totalArea, type Shape } from "@shapes/core";

/** One line over all shapes. */
export function report(shapes: Shape[]): string {
  const sum: string = totalArea(shapes);
  return `sum ${sum}`;
}
"#;
