/**
 * Owns: `npm run sabotage`: breaks one line of the engine or the storage at a time and expects red tests. A sabotage
 * that stays green is a hole in the tests. Not part of `npm test`. It works on a copy; the tree stays as it is.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** Name, file, what stands there (exactly once), what to put in its place. */
const sabotages = [
  [
    'no version guard',
    'engine/checkpoint.ts',
    'WHERE run_id = ? AND version = ?`',
    'WHERE run_id = ? AND version >= 0 * ?`',
  ],
  [
    'a conflict is not noticed',
    'engine/checkpoint.ts',
    'if (changed !== 1 || session === null)',
    'if (session === null)',
  ],
  ['the version does not grow', 'engine/checkpoint.ts', 'version: run.version + 1', 'version: run.version'],
  [
    'the last saved result wins',
    'engine/tool-effects.ts',
    'ON CONFLICT (idempotency_key) DO NOTHING`',
    'ON CONFLICT (idempotency_key) DO UPDATE SET result_json = excluded.result_json`',
  ],
  [
    'a new key on every retry',
    'engine/execute-once.ts',
    'return `${runId}:${action}`;',
    'return `${runId}:${action}:${String(Math.random())}`;',
  ],
  ['other arguments are not noticed', 'engine/tool-effects.ts', "? 'arguments'", '? null'],
  ['another tool is not noticed', 'engine/tool-effects.ts', "? 'tool'", '? null'],
  [
    'a saved result is not looked for',
    'engine/execute-once.ts',
    'if (saved !== null) {',
    'if (saved !== null && !saved.ok) {',
  ],
  [
    'sequences have gaps',
    'engine/events.ts',
    'COALESCE(MAX(sequence), 0) + 1',
    'COALESCE(MAX(sequence), 0) + 2',
  ],
  [
    'a changed workflow is resumed in silence',
    'engine/run-workflow.ts',
    'recorded.fingerprint !== (workflow && fingerprint(workflow))',
    'workflow === null',
  ],
  [
    'an unknown action is let pass',
    'engine/run-workflow.ts',
    'if (unknown !== undefined) {',
    'if (unknown === "") {',
  ],
  [
    'the version is no part of the fingerprint',
    'engine/workflow.ts',
    'version: workflow.version,',
    'version: 1,',
  ],
  ['keys are not sorted', 'engine/json.ts', '.sort(([a], [b]) => (a < b ? -1 : 1))', ''],
  ['NaN passes', 'engine/json.ts', 'if (!Number.isFinite(value))', 'if (value === Infinity)'],
  [
    'ports live on after a crash',
    'engine/crash.ts',
    'this.touchedAfterCrash += 1;',
    'if (this.touchedAfterCrash === 0) return;',
  ],
  [
    'a dead worker goes on committing',
    'storage/database.ts',
    'this.#parts.crash.assertAlive();\n        const written',
    'const written',
  ],
  [
    'acknowledged though refused',
    'storage/database.ts',
    'if (!written.ok) return written;',
    'if (!written.ok) return done;',
  ],
  [
    'acknowledged before it is written',
    'storage/database.ts',
    'const written = await this.#durable.write();',
    'const written = await Promise.resolve({ ok: true, value: "saved" } as const);',
  ],
  [
    'a refused commit stays in memory',
    'storage/durable-image.ts',
    '    this.#file.putBack(this.#readSomething);\n    if (!sent.ok) {',
    '    if (!sent.ok) {',
  ],
  [
    'an unknown outcome is forgotten',
    'storage/durable-image.ts',
    "if (sent.failure.type === 'OutcomeUnknown') this.#unknown =",
    'const _ =',
  ],
  [
    'what others wrote is not applied',
    'storage/durable-image.ts',
    'this.#file.rewrite(record.pageCount, pages, this.#readSomething);',
    '',
  ],
  [
    'a flipped byte goes unseen',
    'storage/stored-image.ts',
    ' || pieceChecksum(checksum, index, value) !== expected',
    '',
  ],
  [
    'a damaged commit goes unseen',
    'storage/stored-image.ts',
    'if (record.checksum !== ',
    'if (record.id === "" && record.checksum !== ',
  ],
  [
    'a missing commit goes unseen',
    'storage/stored-image.ts',
    'if (entry.key !== generation)',
    'if (entry.key === -1)',
  ],
  [
    'any parent will do',
    'storage/stored-image.ts',
    'if (record.parent !== head.id)',
    'if (record.parent === "")',
  ],
  [
    'commits on a folded base',
    'storage/memory-page-store.ts',
    'if (this.#moved(head)) return answer({ type: this.#isFolded',
    'if (false) return answer({ type: this.#isFolded',
  ],
  [
    'compacts whatever the tip',
    'storage/memory-page-store.ts',
    'if (this.#log.get(generation)?.id !== id)',
    'if (this.#log.get(generation) === undefined)',
  ],
  [
    'a trigger comes in with a file',
    'storage/files/declared.ts',
    "if (type === 'trigger' || type === 'view')",
    "if (type === 'none')",
  ],
  [
    'a formula passes into the CSV',
    'bridge/trace.ts',
    'escapeFormulae: formulaStart',
    'escapeFormulae: false',
  ],
  ['labels of elsewhere are not counted', 'engine/events.ts', "GLOB 'session-[0-9]*'", "GLOB 'none'"],
  ['any digits are a label', 'engine/events.ts', 'length(session) <= 17', 'length(session) <= 99'],
  [
    'the label is not kept',
    'engine/events.ts',
    '[engine.workerId, number]',
    '[engine.workerId + String(Math.random()), number]',
  ],
  ['a run is taken up by nobody', 'engine/start.ts', 'lastTakenUpBy(reader, runId) !== label', 'false'],
  [
    'left-behind results are reused',
    'engine/run-ids.ts',
    'SELECT 1 FROM tool_effects WHERE idempotency_key',
    'SELECT 1 FROM tool_effects WHERE 0 AND idempotency_key',
  ],
  [
    'a tool writes into a lab that was reset',
    'engine/execute-once.ts',
    'loadRun(reader, run.runId) === undefined ? null : labelOf(engine, reader)',
    "labelOf(engine, reader) ?? 'session-1'",
  ],
  [
    'I5 looks for duplicates only',
    'engine/invariants.ts',
    "WHERE detail <> 'version ' || number",
    "WHERE detail = 'version ' || (number - 1)",
  ],
  ['the cache is not dropped', 'storage/recorded-file.ts', 'first[offset] = [0x55', 'first[0] = [0x53'],
  [
    'a page goes unrecorded',
    'storage/recorded-file.ts',
    'Math.ceil((at + bytes.length) / pageSize));',
    'Math.floor(at / pageSize));',
  ],
  [
    'a page of zeros is lost',
    'storage/recorded-file.ts',
    'if (this.pageCount < pageCount) this.write(',
    'if (this.pageCount < 0) this.write(',
  ],
  [
    'other tabs are not asked first',
    'bridge/lab-server.ts',
    'const done = refreshed.ok ? await work(opened()) : refreshed;',
    'const done = await work(opened());',
  ],
  [
    'undo survives the next run',
    'bridge/lab-storage.ts',
    'AND undo_runs = (SELECT COUNT(*) FROM agent_runs)',
    '',
  ],
  [
    'a lab keeps its id when it is replaced',
    'bridge/lab-storage.ts',
    'UPDATE lab SET lab_id = ?, undo_name',
    'UPDATE lab SET lab_id = COALESCE(lab_id, ?), undo_name',
  ],
  [
    'a fault outside requests is not told',
    'bridge/server.ts',
    "if (id === null) channel.postMessage({ type: 'fault', failure });",
    'if (id === null) return;',
  ],
  [
    'the version that was seen is not looked at',
    'bridge/lab-server.ts',
    'run.version !== version',
    'run.version < version',
  ],
  [
    'a new database is taken for the own one',
    'storage/durable-image.ts',
    'if (image.value.head.incarnation !== this.#head.incarnation) {',
    'if (image.value.head.incarnation === "") {',
  ],
  [
    'a newer page’s tables are written to',
    'storage/database.ts',
    'if (this.#readOnly !== null) return Promise.resolve(fail(this.#readOnly));',
    '',
  ],
  ['a stuck lock is waited for each time', 'bridge/command-lock.ts', 'stuck = true;', ''],
  [
    'a silent tab stays counted',
    'bridge/presence.ts',
    'if (heard < asked) others.delete(other);',
    'if (heard < 0) others.delete(other);',
  ],
  [
    'a silent storage is waited for in full each time',
    'storage/idb-connection.ts',
    'this.#silent = true;',
    '',
  ],
  [
    'a transaction that was given up goes on',
    'storage/idb-transaction.ts',
    'callOff(transaction);\n      patience.unanswered();',
    'patience.unanswered();',
  ],
  [
    'a copy that another tab is about to need is dropped',
    'storage/kept-images.ts',
    'image.replacedBy <= generation',
    'image.replacedBy <= generation + 1',
  ],
  [
    'a damaged copy is brought back',
    'bridge/lab-storage.ts',
    "if (reason !== null) return fail({ type: 'CopyDamaged', reason });",
    '',
  ],
  [
    'our own file is held to the limits of others',
    'storage/files/inspect-file.ts',
    'isOurs(file, schema) ? ours : others',
    'isOurs(file, schema) ? others : others',
  ],
  [
    'pieces are salvaged one behind the other',
    'storage/stored-image.ts',
    'pages.write(index * chunkBytes, ',
    'pages.write(pages.byteCount, ',
  ],
  ['the rule forgets safety', 'triage/ticket.ts', 'ticket.safetyImpact || ticket', 'ticket'],
  ['a call is answered though not logged', 'world/desk.ts', 'if (!logged.ok)', 'if (!logged)'],
  [
    'the desk does not know a key again',
    'world/desk.ts',
    'if (!honoursKeys || first === undefined)',
    'if (!honoursKeys || first !== null)',
  ],
  [
    'the desk knows a key again with other arguments',
    'world/desk.ts',
    'if (!isSameCall(first, call)) {',
    'if (first === null) {',
  ],
  [
    'the desk knows the keys of calls that failed',
    'world/desk.ts',
    "line.work === 'done' &&",
    "line.work !== 'asked' &&",
  ],
  [
    'the desk takes for its own what was sent to an address',
    'world/desk.ts',
    ' && line.destination === null',
    '',
  ],
  ['a lost answer is given', 'world/desk.ts', "if (reply === 'lost') return null;", ''],
  [
    'an answer is held back for nobody',
    'world/desk.ts',
    "signal.addEventListener('abort', aborted, { once: true });",
    'void aborted;',
  ],
  [
    'a trouble that comes once comes again',
    'world/desk-settings.ts',
    "{ ...this.#settings, trouble: 'none' }",
    '{ ...this.#settings }',
  ],
  ['the log keeps secrets', 'world/log-lines.ts', 'return redactText(text.ok', 'return String(text.ok'],
  [
    'the log keeps the secrets of an address',
    'world/log-lines.ts',
    'null : redactText(destination)',
    'null : destination',
  ],
  ['a call is sent though not logged', 'world/http-service.ts', 'if (!line.ok) {', 'if (!line) {'],
  [
    'what may have been done counts as failed',
    'world/http-tools.ts',
    "return { type: 'unknown', reason };",
    "return { type: 'failed', reason, retryable: true };",
  ],
  ['a redirect is followed', 'world/http-tools.ts', "redirect: 'manual'", "redirect: 'follow'"],
  ['labs share their keys', 'world/http-tools.ts', '`${scope}:${key}`.replace', 'key.replace'],
  [
    'a call to an address is not cut when its time is up',
    'world/http-tools.ts',
    "      referrerPolicy: 'no-referrer',\n      signal,\n",
    "      referrerPolicy: 'no-referrer',\n",
  ],
  [
    'an answer is read without end',
    'world/http-answer.ts',
    'if (length > largestAnswer) {',
    'if (length < 0) {',
  ],
  [
    'pages that were cut off come back',
    'storage/image-pages.ts',
    'this.#chunks.at(-1)?.fill(0, byteCount % chunkBytes)',
    'void 0',
  ],
  // The world outside (effects.md).
  [
    'a call is let through while another step has it',
    'engine/effects.ts',
    'if (open?.answer === null) return',
    'if (open?.answer === null && open.fence < 0) return',
  ],
  [
    'a saved result of a call is not looked for',
    'engine/effects.ts',
    'if (saved !== null) return saved.ok',
    "if (saved !== null && intent !== null && intent.state !== 'pending') return saved.ok",
  ],
  [
    'an answer that storage did not take is dropped',
    'engine/delivery.ts',
    'else engine.calls.set(job.key, { fence, answer });',
    '',
  ],
  [
    'a recording that arrived counts as lost',
    'engine/effects.ts',
    'return isTold ? bring(engine, job, destination) : recorded;',
    'return isTold ? recorded : recorded;',
  ],
  [
    'changed arguments are sent',
    'engine/intents.ts',
    'argumentsJson === job.argumentsJson && argumentsHash',
    'argumentsJson !== "" && argumentsHash',
  ],
  [
    'the tool’s own safety of today is not asked',
    'engine/intents.ts',
    '[intent.safety, tool?.safety].every',
    '[intent.safety, tool === null ? "" : intent.safety].every',
  ],
  [
    'the stored safety is not asked',
    'engine/intents.ts',
    '[intent.safety, tool?.safety].every',
    '[tool?.safety].every',
  ],
  [
    'what nobody answered is called again, whatever the tool',
    'engine/delivery.ts',
    'if (!mayRepeat(intent, job.tool)) return askOrDoubt',
    'if (job.tool.attempts < 0) return askOrDoubt',
  ],
  [
    'an unknown answer of an at-most-once call is a failure',
    'engine/delivery.ts',
    "return answer.type === 'unknown' && intent !== null && !mayRepeat(intent, job.tool)",
    "return answer.type === 'unknown' && intent === null",
  ],
  [
    'a living owner is robbed',
    'engine/claims.ts',
    "if (state === 'dead') return null;",
    "if (state !== 'unknown') return null;",
  ],
  [
    'a living owner is robbed when its lease is over',
    'engine/claims.ts',
    "state === 'unknown' && isPast",
    'isPast',
  ],
  ['a dead owner is waited for', 'engine/claims.ts', "if (state === 'dead') return null;", ''],
  ['claims have no fence', 'engine/claims.ts', '(last?.fence ?? 0) !== (after?.fence ?? 0)', 'false'],
  [
    'a claim does not look whether the run stands where it stood',
    'engine/claims.ts',
    "now?.version !== run.version || now.status !== 'running'",
    'now === undefined',
  ],
  [
    'a claim that may be stored is forgotten',
    'engine/delivery.ts',
    'engine.calls.set(key, { fence: (last?.fence ?? 0) + 1, answer: notSent });',
    '',
  ],
  ['calls are not counted', 'engine/claims.ts', "spend(transaction, run.runId, 'tool_calls', 1);", ''],
  ['a worker records for another one', 'engine/attempts.ts', 'last.worker === worker &&', 'worker !== "" &&'],
  [
    'a closed attempt records',
    'engine/attempts.ts',
    'last.worker === worker && last.outcome === null',
    'last.worker === worker',
  ],
  ['tokens are not counted', 'engine/confirm.ts', "spend(transaction, runId, 'tokens', tokens);", ''],
  [
    'what may have been done is said to have failed',
    'engine/confirm.ts',
    'const mayBeDone = !isRead && wasEverUnknown(transaction, key);',
    'const mayBeDone = isRead && wasEverUnknown(transaction, key);',
  ],
  ['calls are tried again for ever', 'engine/confirm.ts', 'failures < tool.attempts &&', 'failures > 0 &&'],
  [
    'the next attempt is due at once',
    'engine/confirm.ts',
    'again ? later(engine, wait) : null',
    'again ? later(engine, wait - wait) : null',
  ],
  [
    'a wish for a later attempt is not heeded',
    'engine/backoff.ts',
    'Math.max(heeded, ',
    'Math.max(heeded - heeded, ',
  ],
  ['a budget is given back', 'engine/budgets.ts', 'Math.max(0, Math.min(', 'Math.max(-1e9, Math.min('],
  ['nothing is ever used up', 'engine/budgets.ts', 'used >= limit', 'used > limit + 1e9'],
  [
    'a yes to other arguments counts',
    'engine/approvals.ts',
    ' || approved !== argumentsHash) {',
    ' || approved === "") {',
  ],
  [
    'a decision on other arguments counts',
    'engine/approvals.ts',
    "approval?.state !== 'requested' || approval.argumentsHash !== argumentsHash",
    "approval?.state !== 'requested'",
  ],
  [
    'a request that is gone is a yes',
    'engine/approvals.ts',
    'if (reason === null) return succeed(true);',
    'if (reason !== "") return succeed(true);',
  ],
  [
    'a yes sets going again what is settled',
    'engine/approvals.ts',
    "if (intent?.state !== 'waiting' || intent.argumentsHash !== argumentsHash) {",
    'if (intent === null) {',
  ],
  [
    'a run waits for nobody',
    'engine/status.ts',
    'waitsForPerson(transaction, run)\n      ? changeStatus',
    'run.version >= 0\n      ? changeStatus',
  ],
  [
    'a run goes on though something of it waits',
    'engine/status.ts',
    "if (run.status !== 'waiting' || waitsForPerson(transaction, run)) return",
    "if (run.status !== 'waiting') return",
  ],
  [
    'the other side is not asked',
    'engine/doubt.ts',
    "if (status.type === 'done' &&",
    "if (status.type === 'done' && open.fence < 0 &&",
  ],
  [
    'a secret that a person enters is stored',
    'engine/doubt.ts',
    '?.secrets ?? []',
    '?.secrets.slice(0, 0) ?? []',
  ],
  [
    'a call that is taken over is made again, whatever the tool',
    'engine/doubt.ts',
    'if (mayRepeat(intent, toolOf(transaction, engine, run.runId, intent.tool))) return',
    "if (intent.safety !== 'at-most-once') return",
  ],
  ['arguments are not checked', 'engine/calls.ts', 'tool ? tool.check(call.arguments)', 'tool ? null'],
  [
    'calls with one id are one call',
    'engine/calls.ts',
    'if (alike !== null) return',
    'if (alike === "") return',
  ],
  ['a key that is cut off stays', 'engine/redaction.ts', '|(?=")|\\\\?$)`', ')`'],
  ['a secret after a line break stays', 'engine/redaction.ts', '|\\\\[bfnrt]|', '|'],
  ['only the outer members are secret', 'engine/redaction.ts', ': redactInside(held, secrets)', ': held'],
  [
    'the answer goes on, not what is saved',
    'engine/execute-once.ts',
    'session, event);\n    return stored;',
    'session, event);\n    return stored.ok && isFirst ? { ok: true, value: answer.result } : stored;',
  ],
  [
    'a list is kept whole at each step',
    'engine/difference.ts',
    'isList(old) && isList(now)',
    'isList(old) && isList(now) && old.length > now.length',
  ],
  [
    'a gap in the history is bridged',
    'engine/history.ts',
    'before?.version === version - 1',
    'before !== null && version > 0',
  ],
  [
    'the past shows what was saved later',
    'bridge/past.ts',
    'savedBy(effect, live.events) <= commit.last',
    'true',
  ],
  ['a commit is cut in two', 'bridge/commits.ts', "return isCheckpoint(before, 'wait');", 'return false;'],
  ['a replay calls instead of reusing', 'explorer/replay.ts', 'written >= last &&', 'written > last &&'],
  ['a second crash does not wait for the first', 'lab/arms.ts', 'arm.every || at === first', 'true'],
  [
    'a secret gets into the SQL log',
    'bridge/statement-log.ts',
    'const text = redactText(value);',
    'const text = value;',
  ],
  ['names of deleted runs come again', 'engine/retention.ts', 'keepNumber(transaction, run);', ''],
  [
    'saved results outlive their run',
    'engine/retention.ts',
    "transaction.run('DELETE FROM tool_effects WHERE",
    "transaction.run('DELETE FROM tool_effects WHERE 0 AND",
  ],
  ['a fork keeps its parent’s version', 'engine/fork.ts', '...state, version: 0 };', '...state, version };'],
  [
    'a second call goes ahead without the lock',
    'bridge/session-locks.ts',
    'await lock;',
    'if (keys.size === 1) await lock;',
  ],
  ['a lock is never given back', 'bridge/session-locks.ts', 'release();\n', '\n'],
];

/** Those whose name has this in it; with these files of tests, in place of all fast ones. */
const [only = '', ...files] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'sabotage-'));
for (const part of [
  'src',
  'static',
  'tests',
  'public',
  'package.json',
  'tsconfig.json',
  'vite.config.ts',
  'svelte.config.js',
]) {
  cpSync(part, join(folder, part), { recursive: true });
}
symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));

const green = [];
let tried = 0;
try {
  for (const [name, file, stands, instead] of sabotages) {
    if (!name.includes(only)) continue;
    tried += 1;
    const path = join(folder, 'src', file);
    const source = readFileSync(path, 'utf8');
    if (source.split(stands).length !== 2) {
      green.push(`${name}: the line is not there once in ${file}`);
      continue;
    }
    writeFileSync(
      path,
      source.replace(stands, () => instead),
    );
    const run = spawnSync(
      'npx',
      [
        'vitest',
        'run',
        '--project',
        'node',
        '--project',
        'crash',
        '--bail',
        '1',
        '--reporter',
        'dot',
        ...files,
      ],
      {
        cwd: folder,
        encoding: 'utf8',
      },
    );
    writeFileSync(path, source);
    console.log(`${run.status === 0 ? 'GREEN' : 'red  '} ${name}`);
    if (run.status === 0) green.push(name);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${String(tried - green.length)} of ${String(tried)} sabotages were caught.`);
if (green.length > 0) console.log(`Not caught:\n  ${green.join('\n  ')}`);
process.exit(green.length > 0 || tried === 0 ? 1 : 0);
