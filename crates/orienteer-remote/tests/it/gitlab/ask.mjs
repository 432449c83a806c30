// Asks every question with gitbeaker, one after the other, and writes their names in the order in which they were asked.
// Arguments: the folder of the installed tools, `questions.mjs`, and the address of the server.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [tools, file, host] = process.argv.slice(2);
const { Gitlab } = createRequire(join(tools, 'gitlab/package.json'))('@gitbeaker/rest');
const { questions } = await import(pathToFileURL(file));

for (const [name, ask] of Object.entries(questions(new Gitlab({ host, oauthToken: 'glpat-x' })))) {
  await ask();
  console.log(name);
}
