/** Owns: what the page hands to the reader as a file, by the browser's own download where the test hears of it. */
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';

export interface Downloaded {
  readonly name: string;
  readonly bytes: Buffer;
}

export async function downloaded(page: Page, act: () => Promise<void>): Promise<Downloaded> {
  if (page.context().browser()?.browserType().name() === 'firefox') return handedOver(page, act);
  const started = page.waitForEvent('download');
  await act();
  const download = await started;
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

/**
 * Firefox tells of a download without an identity, and Playwright then says nothing. So this takes the bytes and the
 * name at the last place that is the page's: the link that it clicks.
 */
async function handedOver(page: Page, act: () => Promise<void>): Promise<Downloaded> {
  const given = await page.evaluateHandle(() => {
    const { createObjectURL } = URL;
    const { click } = HTMLAnchorElement.prototype;
    let blob: Blob | MediaSource | null = null;
    URL.createObjectURL = (object) => {
      blob = object;
      return createObjectURL.call(URL, object);
    };
    const seen = new Promise<{ name: string; url: string }>((resolve, reject) => {
      HTMLAnchorElement.prototype.click = function (this: HTMLAnchorElement) {
        URL.createObjectURL = createObjectURL;
        HTMLAnchorElement.prototype.click = click;
        const reader = new FileReader();
        reader.onload = () => resolve({ name: this.download, url: String(reader.result) });
        reader.onerror = () => reject(new Error('the download cannot be read'));
        if (blob instanceof Blob) reader.readAsDataURL(blob);
        else reject(new Error('the link that was clicked leads to no file'));
      };
    });
    return { seen };
  });
  await act();
  const { name, url } = await given.evaluate((one) => one.seen);
  await given.dispose();
  return { name, bytes: Buffer.from(url.slice(url.indexOf(',') + 1), 'base64') };
}
