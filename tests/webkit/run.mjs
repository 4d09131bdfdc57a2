/** Owns: the way from `npm run test:webkit` to webkit.ts, which Node of this age does not load by itself. */
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const file = fileURLToPath(new URL('webkit.ts', import.meta.url));
const { module } = await runnerImport(file, { configFile: false });
try {
  process.exit(await module.testWebKit());
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
