// Makes JSON Schemas of what gitbeaker's types say of each question: its parameters, and its answer.
// Arguments: the folder of the installed tools, and `questions.mjs`.

import { createRequire } from 'node:module';
import { join } from 'node:path';

const [tools, questions] = process.argv.slice(2);
const ts = createRequire(join(tools, 'node/package.json'))('typescript');

const types = (name) => [join(tools, 'gitlab/node_modules/@gitbeaker', name, 'dist/index.d.mts')];
const program = ts.createProgram([questions], {
  allowJs: true,
  checkJs: true,
  noEmit: true,
  strict: true,
  skipLibCheck: true,
  types: [],
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  paths: {
    '@gitbeaker/rest': types('rest'),
    '@gitbeaker/core': types('core'),
    '@gitbeaker/requester-utils': types('requester-utils'),
  },
});
const checker = program.getTypeChecker();
const source = program.getSourceFile(questions);
const { Any, Unknown, String, Number, Boolean, Null, Undefined, Never, Void } = ts.TypeFlags;

/** The schema of a type. What holds itself ends there. */
function schema(type, inside = []) {
  const is = (flags) => (type.flags & flags) !== 0;
  if (is(Any | Unknown) || inside.includes(type)) return {};
  if (is(String)) return { type: 'string' };
  if (is(Number)) return { type: 'number' };
  if (is(Boolean)) return { type: 'boolean' };
  if (is(Null)) return { type: 'null' };
  // Nothing fits: the parameter is one that excludes another.
  if (is(Undefined | Never | Void)) return { not: {} };
  if (type.isLiteral()) return { const: type.value };
  if (is(ts.TypeFlags.BooleanLiteral)) return { const: checker.typeToString(type) === 'true' };
  const within = [...inside, type];
  if (type.isUnion()) {
    const some = type.types.filter((one) => !(one.flags & (Undefined | Never | Void)));
    return some.length === 1 ? schema(some[0], within) : { anyOf: some.map((one) => schema(one, within)) };
  }
  if (checker.isArrayType(type)) return { type: 'array', items: schema(checker.getTypeArguments(type)[0], within) };
  if (is(ts.TypeFlags.Object | ts.TypeFlags.Intersection)) return object(type, within);
  throw new Error(`no schema for ${checker.typeToString(type)}`);
}

/** Its types let every object have any field more. A field that none of them names is unknown here all the same. */
function object(type, inside) {
  const properties = {};
  const required = [];
  for (const property of checker.getPropertiesOfType(type)) {
    const itself = checker.getTypeOfSymbol(property);
    properties[property.name] = schema(itself, inside);
    const absent = property.flags & ts.SymbolFlags.Optional || (itself.isUnion() && itself.types.some((one) => one.flags & Undefined));
    if (!absent) required.push(property.name);
  }
  return { type: 'object', properties, required, additionalProperties: false };
}

const spelt = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** What a call takes, by the names that are sent: its arguments, and the fields of its options. */
function parameters(signature) {
  const known = {};
  const add = (name, type) => {
    const found = schema(type);
    const others = known[spelt(name)]?.anyOf ?? [];
    known[spelt(name)] = { anyOf: [...others, found] };
  };
  for (const parameter of signature.getParameters()) {
    const type = checker.getTypeOfSymbol(parameter);
    if (parameter.name !== 'options') add(parameter.name, type);
    else
      for (const one of type.isUnion() ? type.types : [type])
        for (const property of checker.getPropertiesOfType(one)) add(property.name, checker.getTypeOfSymbol(property));
  }
  return known;
}

const described = {};
function visit(node) {
  const call = ts.isPropertyAssignment(node) && ts.isArrowFunction(node.initializer) && node.initializer.body;
  if (!call || !ts.isCallExpression(call)) return ts.forEachChild(node, visit);
  const signature = checker.getResolvedSignature(call);
  const answer = checker.getAwaitedType(signature.getReturnType());
  const name = node.name.getText();
  // Types that are not found are any, and everything would fit.
  if (answer.flags & Any) throw new Error(`nothing is known of the answer to ${name}`);
  // The bytes of a file have no schema.
  described[name] = { parameters: parameters(signature), answer: name === 'raw' ? {} : schema(answer) };
}
visit(source);

const complaints = ts.getPreEmitDiagnostics(program, source);
if (complaints.length > 0) throw new Error(ts.formatDiagnostics(complaints, ts.createCompilerHost({})));
process.stdout.write(JSON.stringify(described));
