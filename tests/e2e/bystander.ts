/** Owns: an empty page of the same origin: what another program, or the reader in the developer tools, does to the storage. */
import type { Page } from '@playwright/test';

export async function bystander(page: Page, address: string): Promise<Page> {
  await page.route(`${address}empty`, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><link rel="icon" href="data:," />' }),
  );
  await page.goto(`${address}empty`);
  return page;
}
