/** Owns: that the tests store on a disk, in the form that their project is about. Else all others would prove little. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from './fixtures.ts';

test('what the page stores lies on the disk, in the form that this project is about', async ({
  lab,
  address,
  browserOfTest,
}, { project }) => {
  await lab.open();
  await lab.press('Step');
  await lab.expectRun({ version: 0 });
  const forms: Readonly<Record<string, readonly [string, RegExp]>> = {
    chromium: ['Default/IndexedDB', /\.indexeddb\.leveldb\/CURRENT$/],
    'chromium-sqlite': ['Default/IndexedDB', /^[^/]+\/[A-Z0-9]+-wal$/],
    firefox: ['storage/default', /^[^/]+\/idb\/.*\.sqlite$/],
  };
  const [folder, form] = forms[project.name] ?? ['', /^$/];
  const files = await readdir(join(browserOfTest.profile, folder), { recursive: true });
  // The folder of the page's origin: http_t1.localhost_1234… or http+++t1.localhost+1234.
  const { hostname, port } = new URL(address);
  const mine = files.filter((file) => file.includes(hostname) && file.includes(port));
  expect(mine.filter((file) => form.test(file))).not.toEqual([]);
});
