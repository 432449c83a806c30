// The client library of language servers against the built program: `Content-Length` framing on stdio.

import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { GREET, SLOW, binary, check, done, failure, require, root, soon } from './checks.mjs';

const rpc = require('vscode-jsonrpc/node');

const { HOME, PATH } = process.env;
const child = spawn(binary, ['mcp'], { cwd: root, env: { HOME, PATH }, stdio: ['pipe', 'pipe', 'inherit'] });
const complaints = [];
const logger = { error: (text) => complaints.push(text), warn() {}, info() {}, log() {} };
const connection = rpc.createMessageConnection(
  new rpc.StreamMessageReader(child.stdout),
  new rpc.StreamMessageWriter(child.stdin),
  logger,
);
const progress = [];
connection.onNotification('notifications/progress', (params) => progress.push(params));
connection.listen();

const request = (method, params) => soon(method, connection.sendRequest(method, params));
const call = (name, args) => request('tools/call', { name, arguments: args });
const greet = async () => (await call('search_code', GREET)).structuredContent;

const hello = await request('initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'content-length-test', version: '0' },
});
check('the revision asked for is agreed on', hello.protocolVersion === '2025-11-25');
check('the server says who it is', hello.serverInfo.name === 'orienteer');
await connection.sendNotification('notifications/initialized', {});

const names = (await request('tools/list', {})).tools.map((tool) => tool.name);
check('search_code is offered', names.includes('search_code'));
check('read_file is offered', names.includes('read_file'));

const [file] = (await greet()).files;
check('the search finds file and line', file.file_path === 'src/greeting.rs' && file.matches[0].line === 3);

const missing = await call('read_file', { file_path: 'src/greting.rs' });
check('a failed call is marked', missing.isError === true);
check('it says what to do next', missing.structuredContent.next_steps.length > 0);
check('an unknown method is an error', (await failure(request('no/such', {}))).code === -32601);

// This library cancels with `$/cancelRequest` and waits for the answer that language servers give to it.
const source = new rpc.CancellationTokenSource();
const token = 'slow-search';
const slow = failure(
  connection.sendRequest(
    'tools/call',
    { name: 'search_code', arguments: SLOW, _meta: { progressToken: token } },
    source.token,
  ),
);
await soon('the first progress', (async () => {
  while (progress.length === 0) await new Promise((wake) => setTimeout(wake, 20));
})());
check('progress names its token', progress[0].progressToken === token && progress[0].progress > 0);
source.cancel();
const error = await soon('the answer to a cancelled request', slow, 10);
check('a cancelled request is answered as one', error.code === -32800);
check('the session goes on after it', (await greet()).ok === true);

// Broken messages are answered without an id, which this library reports and survives.
child.stdin.write('Content-Length: 6\r\n\r\n{"a":]');
check('the session goes on after wrong JSON', (await greet()).ok === true);
check('wrong JSON was complained about', complaints.some((text) => text.includes('-32700')));
child.stdin.write('Content-Length: many\r\n\r\n');
check('the session goes on after a wrong header', (await greet()).ok === true);
check('the wrong header was complained about', complaints.length === 2);

child.stdin.end();
const [code] = await soon('the end', once(child, 'exit'), 10);
check('the program ends well with its input', code === 0);
connection.dispose();

done();
