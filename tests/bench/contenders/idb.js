/** Owns: IndexedDB by hand: the yardstick, and where whole images are put. */

export function request(asked) {
  return new Promise((resolve, reject) => {
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });
}

export async function openStore(name) {
  const opening = indexedDB.open(name, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore('s');
  const database = await request(opening);
  return {
    transaction: (stores) => database.transaction(stores),
    /** Resolves when the transaction is complete, with strict durability. */
    put: (key, value) =>
      new Promise((resolve, reject) => {
        const transaction = database.transaction('s', 'readwrite', { durability: 'strict' });
        transaction.objectStore('s').put(value, key);
        transaction.oncomplete = () => resolve();
        transaction.onabort = () => reject(transaction.error);
      }),
    close: () => database.close(),
  };
}
