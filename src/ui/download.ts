/** Owns: handing a file to the reader. The bytes never leave the device. */
export function download(name: string, content: Uint8Array | string, type: string): void {
  const part = typeof content === 'string' ? content : new Uint8Array(content);
  const url = URL.createObjectURL(new Blob([part], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads the blob after this task; a minute is plenty.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
