// Bundles the extension, and each page that a panel shows, into dist/.
import { build } from 'esbuild';
import { readdirSync } from 'node:fs';

const common = { bundle: true, minify: true, legalComments: 'inline', logLevel: 'warning', target: 'es2022' };
await build({
  ...common,
  entryPoints: ['src/extension.ts'],
  outfile: 'dist/extension.js',
  platform: 'node',
  format: 'cjs',
  external: ['vscode'],
});
const pages = readdirSync('src/webview').filter((name) => name.endsWith('_page.ts'));
await build({
  ...common,
  entryPoints: pages.map((name) => `src/webview/${name}`),
  outdir: 'dist',
  platform: 'browser',
  format: 'iife',
});
