/** Owns: copying a text, where the browser has a clipboard for this page: on plain http it has none. */

/** False: it was not copied. */
export async function writeCopy(text: string): Promise<boolean> {
  const clipboard: Clipboard | undefined = navigator.clipboard;
  if (clipboard === undefined) return false;
  return clipboard.writeText(text).then(
    () => true,
    () => false,
  );
}
