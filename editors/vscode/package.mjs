// Makes the .vsix with a binary of the server inside.
//
//   npm run package -- --binary FILE [--out FILE] [--notices FILE]
//
// The environment says the same: TILEWRIGHT_BINARY, TILEWRIGHT_VSIX and TILEWRIGHT_NOTICES (the licences of what the
// binary links). Without a binary the extension looks for one where its settings and PATH say.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const here = dirname(fileURLToPath(import.meta.url));
// npm runs scripts in the package's folder; names that were given are of the folder that it was called in.
const named = (name) => (name ? resolve(process.env.INIT_CWD ?? process.cwd(), name) : undefined);
const { values } = parseArgs({
  options: { binary: { type: 'string' }, out: { type: 'string' }, notices: { type: 'string' } },
});
const binary = named(values.binary ?? process.env.TILEWRIGHT_BINARY);
const out = named(values.out ?? process.env.TILEWRIGHT_VSIX) ?? resolve(here, 'tilewright.vsix');
const notices = named(values.notices ?? process.env.TILEWRIGHT_NOTICES);

function place(from, to, mode) {
  rmSync(to, { force: true });
  if (!from) return;
  if (!existsSync(from)) throw new Error(`${from} does not exist`);
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
  if (mode) chmodSync(to, mode);
}

process.chdir(here);
const run = (command, ...args) => execFileSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
run('node', 'build.mjs');
place(binary, 'bin/tilewright', 0o755);
place(existsSync('../../LICENSE') ? '../../LICENSE' : undefined, 'LICENSE');
place(notices, 'THIRD-PARTY-NOTICES.txt');
mkdirSync(dirname(out), { recursive: true });
// What was bundled is in dist/: no packages are looked for.
const target = binary ? ['--target', 'linux-x64'] : [];
run('npx', '--no-install', 'vsce', 'package', '--no-dependencies', '--skip-license', '--allow-missing-repository', ...target, '--out', out);
