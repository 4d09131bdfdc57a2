/**
 * Owns: `npm run bench`: installs the contenders, builds the page, drives it in a real browser with a profile on disk,
 * and writes results.md and results.svg, with the date and the machine. Run it while nothing else runs.
 *
 * `--only a,b` and `--sizes 0.1,1` measure a part and write nothing.
 */
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { extname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright';
import { chart, summary, table } from './report.mjs';

const here = import.meta.dirname;
const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    sizes: { type: 'string' },
    rounds: { type: 'string', default: '100' },
  },
});
const all = ['ours', 'whole-image', 'wa-idb-batch', 'wa-opfs-pool', 'sqlite-wasm-pool', 'pglite'];
const contenders = options.only?.split(',') ?? all;
const sizes = (options.sizes ?? '0.1,1,10,50').split(',').map(Number);

function must(command, args, cwd) {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
must('npm', ['ci', '--no-audit', '--no-fund', '--silent'], here);
must('npx', ['vite', 'build', '--config', join(here, 'vite.config.js'), '--logLevel', 'error']);

const types = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.wasm': 'application/wasm',
};
const dist = join(here, '../../test-results/bench');
const server = createServer((request, response) => {
  const path = new URL(request.url, 'http://host').pathname;
  try {
    const body = readFileSync(join(dist, path === '/' ? 'index.html' : path));
    // Isolated pages get a clock that is fine enough.
    response.writeHead(200, {
      'Content-Type': types[extname(path)] ?? (path === '/' ? 'text/html' : 'application/octet-stream'),
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Embedder-Policy': 'require-corp',
    });
    response.end(body);
  } catch {
    response.writeHead(404).end();
  }
}).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));

const profile = mkdtempSync(join(tmpdir(), 'crashpoint-bench-'));
const browser = await chromium.launchPersistentContext(profile, {
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-background-networking'],
});
const version = browser.browser()?.version() ?? 'unknown';
const page = await browser.newPage();
await page.goto(`http://127.0.0.1:${server.address().port}/`);
await page.waitForFunction(() => typeof globalThis.measure === 'function');

const results = [];
for (const megabytes of sizes) {
  for (const contender of contenders) {
    const task = { contender, megabytes, rounds: Number(options.rounds) };
    try {
      const result = await page.evaluate((asked) => globalThis.measure(asked), task);
      results.push(summary(result));
    } catch (error) {
      results.push({ contender, megabytes, error: String(error.message).split('\n')[0] });
    }
    console.log(JSON.stringify(results.at(-1)));
  }
}
await browser.close();
server.close();
rmSync(profile, { recursive: true, force: true, maxRetries: 10 });

const machine = `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB, Chromium ${version}`;
const about = `${new Date().toISOString().slice(0, 10)}, ${machine}`;
const text = table(results, about);
console.log(`\n${text}`);
if (options.only === undefined && options.sizes === undefined) {
  writeFileSync(join(here, 'results.md'), text);
  writeFileSync(join(here, 'results.svg'), chart(results, about));
}
