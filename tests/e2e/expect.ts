/**
 * Owns: `expect` as all tests use it. Where Playwright looks again only each second in the end, ours looks each tenth:
 * a test must not wait for a look when the page is long there.
 */
import { expect as playwrights } from '@playwright/test';

const poll: typeof playwrights.poll = (actual, options) =>
  playwrights.poll(actual, {
    intervals: [20, 50, 100],
    ...(typeof options === 'string' ? { message: options } : options),
  });

export const expect: typeof playwrights = new Proxy(playwrights, {
  get: (target, key, receiver): unknown => (key === 'poll' ? poll : Reflect.get(target, key, receiver)),
});
