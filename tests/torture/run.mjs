/** Owns: the way from `npm run torture` to torture.ts, which Node of this age does not load by itself. */
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const file = fileURLToPath(new URL('torture.ts', import.meta.url));
const { module } = await runnerImport(file, { configFile: false });
try {
  process.exit(await module.torture(process.argv.slice(2)));
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
