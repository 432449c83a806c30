// The official TypeScript client against the built program, over stdio and over HTTP.

import { GREET, SLOW, binary, check, done, failure, require, root, soon, url } from './checks.mjs';

const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');
const { StreamableHTTPClientTransport } = require('@modelcontextprotocol/sdk/client/streamableHttp.js');
const { LATEST_PROTOCOL_VERSION } = require('@modelcontextprotocol/sdk/types.js');

async function session(name, transport) {
  const client = new Client({ name: 'typescript-test', version: '0' });
  await soon(`${name}: the handshake`, client.connect(transport));
  const call = (tool, args, options) => client.callTool({ name: tool, arguments: args }, undefined, options);

  check(`${name}: the server says who it is`, client.getServerVersion().name === 'orienteer');
  check(`${name}: it gives instructions`, client.getInstructions().includes('search_code'));

  // The client keeps the output schemas and from now on checks every structured result against them.
  const { tools } = await client.listTools();
  const names = tools.map((tool) => tool.name);
  check(`${name}: search_code is offered`, names.includes('search_code'));
  check(`${name}: read_file is offered`, names.includes('read_file'));
  check(`${name}: every tool has an output schema`, tools.every((tool) => tool.outputSchema));
  check(`${name}: reading tools say so`, tools.find((tool) => tool.name === 'read_file').annotations.readOnlyHint);

  const found = await call('search_code', GREET);
  check(`${name}: the search succeeds`, !found.isError && found.structuredContent.ok === true);
  check(`${name}: the text names file and line`, found.content[0].text.includes('src/greeting.rs:3:'));
  const [file] = found.structuredContent.files;
  check(`${name}: so does the structure`, file.file_path === 'src/greeting.rs' && file.matches[0].line === 3);

  const read = await call('read_file', { file_path: 'src/greeting.rs', start_line: 3, end_line: 3 });
  check(`${name}: a line is read`, read.structuredContent.content.startsWith('pub fn greet'));

  const missing = await call('read_file', { file_path: 'src/greting.rs' });
  check(`${name}: a failed call is marked`, missing.isError === true && missing.structuredContent.ok === false);
  const [step] = missing.structuredContent.next_steps;
  check(`${name}: it says what to do next`, step.kind === 'tool' && step.tool === 'read_file');
  const advised = await call(step.tool, step.arguments);
  check(`${name}: the step runs as given`, !advised.isError);

  const wrong = await call('search_code', { pattern: 7 });
  check(`${name}: wrong arguments are a result, not an exception`, wrong.isError === true);
  const unknown = await failure(call('serch_code', {}));
  check(`${name}: an unknown tool is an error of the protocol`, unknown.code === -32602);

  await cancelled(name, call);
  const after = await soon(`${name}: a call after the cancelled ones`, call('search_code', GREET));
  check(`${name}: cancelled calls give their places back`, after.structuredContent.ok === true);
  await soon(`${name}: a ping`, client.ping());
  return client;
}

async function cancelled(name, call) {
  // Cancelled by the first sign of life, so that the search is surely at work by then.
  const reports = [];
  const controller = new AbortController();
  const onprogress = (progress) => {
    reports.push(progress.progress);
    controller.abort(new Error('the test has seen enough'));
  };
  const options = { onprogress, signal: controller.signal, timeout: 60_000 };
  const error = await soon(`${name}: a cancelled search`, failure(call('search_code', SLOW, options)), 60);
  check(`${name}: progress counts files`, reports.length > 0 && reports[0] > 0);
  check(`${name}: the abort ends the call`, error.message.includes('seen enough'));

  // More than may run at once: were their places not given back, the next call would wait for ever.
  const many = new AbortController();
  const calls = Array.from({ length: 12 }, () => failure(call('search_code', SLOW, { signal: many.signal })));
  setTimeout(() => many.abort(new Error('all of them')), 300);
  const errors = await soon(`${name}: many cancelled searches`, Promise.all(calls));
  check(`${name}: all of them end`, errors.every((error) => error.message.includes('all of them')));
}

const pipe = new StdioClientTransport({ command: binary, args: ['mcp'], cwd: root, stderr: 'pipe' });
let log = '';
pipe.stderr.on('data', (bytes) => (log += bytes));
const overPipe = await session('stdio', pipe);
const child = pipe.pid;
await soon('stdio: the end', overPipe.close());
const alive = () => {
  try {
    return process.kill(child, 0);
  } catch {
    return false;
  }
};
check('stdio: the program ends with its client', !alive());
check('stdio: the program itself stopped its work', log.includes('cancelled'));

const web = new StreamableHTTPClientTransport(new URL(url));
const overHttp = await session('http', web);
check('http: the newest revision with a handshake is spoken', web.protocolVersion === LATEST_PROTOCOL_VERSION);
check('http: there is a session', typeof web.sessionId === 'string');
await soon('http: the end of the session', web.terminateSession());
check('http: the session is over', web.sessionId === undefined);
await overHttp.close();

done();
