/**
 * Owns: the ways on from a failure: taking along what is in memory or stored, storing it again, starting beside it, and
 * what a person may do about another session's call.
 * Leaves: which of them are offered to ways.ts.
 * Invariant: nothing here deletes or replaces anything but what the button says.
 */
import type { Client } from '../bridge/client.ts';
import type { Answer } from '../bridge/client.ts';
import type { Failure } from '../engine/failure.ts';
import { download } from '../ui/download.ts';
import { bytesInWords } from '../ui/formats.ts';
import { takeOver, tryNow } from './decisions.ts';
import type { Lab } from './lab.svelte.ts';
import type { Place, Way } from './ways.ts';

const sqliteFile = 'application/vnd.sqlite3';

export function wayWords(way: Way, { former }: Place): string {
  switch (way) {
    case 'store-again':
      return 'Store it again';
    case 'take-stored':
      return 'Take what is stored';
    case 'download-memory':
      return 'Download what is in memory';
    case 'download-stored':
      return 'Download what is stored';
    case 'download-set-aside':
      return 'Download it';
    case 'start-beside':
      return 'Start fresh beside it';
    case 'delete-former':
      return `Delete the copy of the former database (${bytesInWords(former ?? 0)})`;
    case 'memory-only':
      return 'Work in memory only';
    case 'reload-page':
      return 'Reload the page';
    case 'try-now':
      return 'Try now';
    case 'take-over':
      return 'Take over';
  }
}

/** `retry`: asks again for what failed; null: that can't be. */
export async function goWay(way: Way, lab: Lab, failure: Failure, retry: (() => void) | null): Promise<void> {
  switch (way) {
    case 'store-again':
      if (await lab.show((agent) => agent.request('storeAgain', {})))
        lab.said = 'The database is stored again.';
      return;
    case 'take-stored':
      return lab.open(lab.worker.store);
    case 'download-memory':
      return save(lab, 'crashpoint-memory.db', (agent) => agent.request('exportMemory', {}));
    case 'download-stored':
      return save(lab, 'crashpoint-stored.db', (agent) => agent.request('exportStored', {}));
    case 'download-set-aside': {
      if (failure.type !== 'ImageDamaged') return;
      const name = failure.quarantined;
      return save(lab, 'crashpoint-damaged.db', (agent) => agent.request('exportQuarantined', { name }));
    }
    case 'start-beside': {
      if (failure.type !== 'FormatNewer') return;
      const { image } = failure;
      const left = await lab.worker.askClosed((agent) => agent.request('startBeside', { image }));
      if (left?.ok) await lab.open(lab.worker.store);
      return;
    }
    case 'delete-former':
      if (await lab.show((agent) => agent.request('deleteFormer', {}))) lab.said = 'The copy is deleted.';
      return;
    case 'memory-only':
      return lab.open('memory');
    case 'reload-page':
      lab.ports.reload();
      return;
    case 'try-now':
      if (failure.type === 'AttemptNotDue') await tryNow(lab, failure.key);
      return;
    case 'take-over':
      if (failure.type === 'ClaimedElsewhere') await takeOver(lab, failure.key, retry);
  }
}

async function save(
  lab: Lab,
  name: string,
  request: (agent: Client) => Promise<Answer<Uint8Array>>,
): Promise<void> {
  const bytes = await lab.worker.askClosed(request);
  if (bytes?.ok) download(name, bytes.value, sqliteFile);
}
