// Loaded by Node before a server: no module of a project that nobody trusts is loaded after it. Whoever starts it puts two
// lists of folders before this: `roots`, and those in them that are `installed`.
import module from "node:module";
import { realpathSync } from "node:fs";
import { sep } from "node:path";
import { fileURLToPath } from "node:url";

const plain = (path) => (sep === "\\" ? path.replace(/^\\\\\?\\/, "").toLowerCase() : path);
const within = (path, folders) =>
  folders.some((folder) => plain(path) === plain(folder) || plain(path).startsWith(plain(folder) + sep));

function check(path) {
  let real = path;
  try {
    real = realpathSync(path);
  } catch {}
  // What is installed somewhere on the machine lies among packages; a lone script that a configuration names does not.
  const isPackage = (path) => !within(path, roots) && plain(path).split(sep).includes("node_modules");
  if ([path, real].every((path) => within(path, installed) || isPackage(path))) return;
  throw new Error(`needs trust: ${path} is code of the project, which is not run before \`orienteer trust\``);
}

// Data is read, not run.
const isData = (path) => path.endsWith(".json");

export async function load(url, context, next) {
  checkUrl(url);
  return next(url, context);
}

function checkUrl(url) {
  if (url.startsWith("node:")) return;
  if (!url.startsWith("file:")) throw new Error(`needs trust: a module that is no file is not run before \`orienteer trust\``);
  const path = fileURLToPath(url);
  if (!isData(path)) check(path);
}

// Of all kinds, also native ones and those that `require` is asked for.
const { load: loadOne } = module.prototype;
module.prototype.load = function (path) {
  if (!isData(path)) check(path);
  return loadOne.apply(this, arguments);
};
if (module.registerHooks) {
  module.registerHooks({
    load(url, context, next) {
      checkUrl(url);
      return next(url, context);
    },
  });
} else if (!import.meta.url.endsWith("#hooks")) {
  // In older ones they are in a thread of their own, which loads this module once more.
  module.register(import.meta.url + "#hooks");
}
