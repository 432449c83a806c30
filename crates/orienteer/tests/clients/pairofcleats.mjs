// The client library that PairOfCleats' own server was written with: `Content-Length` framing, `$/cancelRequest`,
// progress. The index is being built by somebody else until this script takes a folder away, so builds wait.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmdirSync } from 'node:fs';

import { binary, check, done, failure, require, root, soon, url as gate } from './checks.mjs';

const rpc = require('vscode-jsonrpc/node');

const { HOME, PATH } = process.env;
const args = ['mcp', '--dialect', 'pairofcleats', '--log-level', 'error'];
const child = spawn(binary, args, { cwd: root, env: { HOME, PATH }, stdio: ['pipe', 'pipe', 'inherit'] });
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

// Without a token there must be no third argument: this library would take it for another parameter.
const request = (method, params, ...token) => connection.sendRequest(method, params, ...token);
const payload = (result) => JSON.parse(result.content[0].text);
const call = async (name, args = {}) => soon(name, request('tools/call', { name, arguments: args }));
const until = (what, holds) => soon(what, (async () => {
  while (!holds()) await new Promise((wake) => setTimeout(wake, 10));
})());

const hello = await soon('hello', request('initialize', {
  protocolVersion: '2024-11-05',
  capabilities: {},
  clientInfo: { name: 'pairofcleats-test', version: '0' },
}));
check('the revision asked for is agreed on', hello.protocolVersion === '2024-11-05');
check('tools are offered', hello.capabilities.tools !== undefined);
await connection.sendNotification('notifications/initialized', {});

const { tools } = await soon('tools', request('tools/list', {}));
check('there is a tool for every documented one', tools.some((tool) => tool.name === 'build_sqlite_index'));
check('every tool has a schema', tools.every((tool) => tool.inputSchema.type === 'object'));

const status = await call('index_status');
check('a result is one text', status.content.length === 1 && status.content[0].type === 'text');
check('the text is JSON', payload(status).repoPath === root);
check('nothing else comes with it', status.structuredContent === undefined);

const wrong = await call('search', { query: 'x', output: 'tiny' });
check('a failed call is marked', wrong.isError === true);
check('it has a code', payload(wrong).code === 'INVALID_REQUEST');
check('it has a message', payload(wrong).message.includes('output'));
check('it has a hint', payload(wrong).hint.includes('compact'));
check('an unknown method is an error', (await failure(request('no/such', {}))).code === -32601);

// Cancelled by `$/cancelRequest`, which this library sends, while it runs.
const source = new rpc.CancellationTokenSource();
const stopped = failure(request('tools/call', { name: 'build_index', arguments: {} }, source.token));
await until('the first build begins', () => progress.length > 0);
check('progress names the tool', progress[0].tool === 'build_index' && progress[0].phase === 'start');
check('progress names the request', progress[0].id !== null && progress[0].id !== undefined);
check('progress has a time', !Number.isNaN(Date.parse(progress[0].ts)) && progress[0].stream === 'info');
source.cancel();
check('a cancelled request is answered as one', (await soon('the cancelled one', stopped, 60)).code === -32800);

// One that waits until it may go on.
progress.length = 0;
const build = request('tools/call', { name: 'build_index', arguments: {} });
await until('the second build begins', () => progress.length > 0);
rmdirSync(gate);
check('the build is done', payload(await soon('the build', build)).status === 'built');
check('it said so before it answered', progress.at(-1).phase === 'done');

const found = payload(await call('search', { query: 'where are settings loaded' }));
check('what was built is found', found.code[0].name === 'load_settings' && found.complete === true);
check('nothing was complained about', complaints.length === 0);

child.stdin.end();
const [code] = await soon('the end', once(child, 'exit'), 60);
check('the program ends well with its input', code === 0);
connection.dispose();

done();
