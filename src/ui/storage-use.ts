/** Owns: how much this site stores and may store, as the browser says; an estimate, and rounded by some. */
export interface StorageUse {
  /** Bytes. */
  readonly used: number;
  readonly quota: number;
}

/** Null: the browser does not say (plain http has no such question). */
export async function storageUse(): Promise<StorageUse | null> {
  const manager: StorageManager | undefined = navigator.storage;
  try {
    const { usage, quota } = (await manager?.estimate?.()) ?? {};
    return usage === undefined || quota === undefined ? null : { used: usage, quota };
  } catch {
    return null;
  }
}
