import { expect, test } from 'vitest';
import { Settings } from '../../src/ui/settings.svelte.ts';

test('what is changed before the kept preferences are read stands, and loses none of them', async () => {
  const written: unknown[] = [];
  let answer: (kept: unknown) => void = () => undefined;
  const settings = new Settings({
    read: () => new Promise((resolve) => (answer = resolve)),
    write: (_, value) => {
      written.push(value);
      return Promise.resolve(true);
    },
  });
  const loading = settings.load();
  settings.change({ pane: 'console' });
  expect(settings.current.pane).toBe('console');
  expect(written).toEqual([]);
  answer({ theme: 'dark', pane: 'table' });
  await loading;
  expect(settings.current).toMatchObject({ theme: 'dark', pane: 'console' });
  expect(written).toMatchObject([{ theme: 'dark', pane: 'console' }]);
  settings.change({ theme: 'light' });
  expect(written).toMatchObject([{}, { theme: 'light', pane: 'console' }]);
});
