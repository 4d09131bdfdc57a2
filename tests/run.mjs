/** Owns: the way from `npm test` to run-all.ts, which Node of this age does not load by itself. */
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const file = fileURLToPath(new URL('run-all.ts', import.meta.url));
const { module } = await runnerImport(file, { configFile: false });
try {
  process.exit(await module.runAll());
} catch (error) {
  console.error(error.message);
  console.log('0 passed, 1 failed');
  process.exit(1);
}
