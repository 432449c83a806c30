// What the scripts beside this file share: packages of the test tools, and counted checks.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';

// Packages live with the test tools, not beside this file, so they are looked up from there.
export const require = createRequire(join(process.env.ORIENTEER_TEST_TOOLS, 'node', 'package.json'));

// Where the Rust test put things.
export const [binary, root, url] = process.argv.slice(2);

// Finds one line, in a folder of its own.
export const GREET = { pattern: 'pub fn greet', path: 'src' };

// No file matches it, there are gigabytes of files below `big`, and no literal part makes it quick.
export const SLOW = { pattern: '\\b[a-f]{3}[0-9]{2}[a-f]{3}\\b', path: 'big' };

let passed = 0;

export function check(fact, holds) {
  assert.ok(holds, `not so: ${fact}`);
  passed += 1;
}

// The last line tells "everything was checked" from "the script ended early".
export function done() {
  console.log(`${passed} checks passed`);
}

// Fails instead of hanging.
export async function soon(what, promise, seconds = 30) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took more than ${seconds} s`)), seconds * 1000);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

// The error of a promise that has to fail.
export async function failure(promise) {
  let result;
  try {
    result = await promise;
  } catch (error) {
    return error;
  }
  assert.fail(`this should have failed: ${JSON.stringify(result).slice(0, 500)}`);
}
