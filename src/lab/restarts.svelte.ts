/**
 * Owns: the card after a restart: counting down, waiting, resumed; and the durable count of automatic resumes.
 * Leaves: what to say and when to ask to restart.ts; taking the run up to lab.svelte.ts.
 * Invariant: an automatic resume is counted durably before it acts, so that a crash on the way is counted.
 */
import type { AutoResumes } from './kept.ts';
import { writeKept } from './kept.ts';
import type { LabPorts } from './lab-ports.ts';
import type { LabView } from '../bridge/views.ts';
import { restartAfter, restartSeenIn, waits } from './restart.ts';
import type { Plan, Restart, RestartFacts, WhyAsk } from './restart.ts';

export class Restarts {
  current = $state.raw<Restart | null>(null);
  /** Its heading had the focus once: a card that comes back on screen does not take it again. */
  seen = false;
  #autoResumes: AutoResumes | null = null;
  #countdown = new AbortController();
  readonly #ports: Pick<LabPorts, 'keep' | 'wait'>;

  constructor(ports: Pick<LabPorts, 'keep' | 'wait'>) {
    this.#ports = ports;
  }

  find(facts: RestartFacts): Restart | null {
    this.#autoResumes = facts.kept.autoResumes;
    this.seen = false;
    return (this.current = restartAfter(facts));
  }

  /** True when the countdown has run out and the resume is counted; false: nothing counts down, or cancelled. */
  async countDown(): Promise<boolean> {
    if (this.current?.plan.type !== 'countdown') return false;
    const { signal } = (this.#countdown = new AbortController());
    for (let seconds = this.#secondsLeft(); seconds > 0; seconds = this.#secondsLeft()) {
      if (!(await this.#ports.wait(1000, signal))) return false;
      this.#plan({ type: 'countdown', seconds: seconds - 1 });
    }
    const stored = this.current?.stored;
    if (!stored) return false;
    const { runId, version } = stored;
    const known = this.#autoResumes;
    const count = known?.runId === runId && known.version === version ? known.count + 1 : 1;
    this.#autoResumes = { runId, version, count };
    await writeKept(this.#ports.keep, 'autoResumes', this.#autoResumes);
    return !signal.aborted;
  }

  /** What the database says now; an offer that another tab has overtaken is withdrawn. The new plan, if there is one. */
  look(view: LabView): Plan | null {
    if (this.current === null) return null;
    const before = this.current;
    const restart = restartSeenIn(before, view);
    if (waits(before) && !waits(restart)) this.#countdown.abort();
    this.current = restart;
    if (restart === null || restart.plan.type === before.plan.type) return null;
    if (restart.plan.type !== 'resumed') return restart.plan;
    this.#forgetCrash();
    return null;
  }

  cancel(why: WhyAsk = 'cancelled'): void {
    this.#countdown.abort();
    if (this.current?.plan.type === 'countdown') this.#plan({ type: 'asks', why });
  }

  /** The card waits for its reader, whatever it was about to do. */
  lookFirst(): void {
    this.cancel('look-first');
    if (this.current?.plan.type === 'asks') this.#plan({ type: 'asks', why: 'look-first' });
  }

  /** A person resumes: the guard against loops begins anew. */
  async byHand(): Promise<void> {
    this.#autoResumes = null;
    await writeKept(this.#ports.keep, 'autoResumes', null);
  }

  takenUp(runId: string): void {
    if (this.current === null || this.current.plan.type === 'resumed') return;
    if (this.current.stored?.runId === runId) this.#plan({ type: 'resumed' });
    this.#forgetCrash();
  }

  /** Another run begins. A run that waits goes on waiting; all else has been read. */
  begun(): void {
    this.cancel();
    if (!waits(this.current)) this.current = null;
    this.#forgetCrash();
  }

  dismiss(): void {
    this.cancel();
    this.current = null;
    this.#forgetCrash();
  }

  #forgetCrash(): void {
    void writeKept(this.#ports.keep, 'lastCrash', null);
  }

  #secondsLeft(): number {
    return this.current?.plan.type === 'countdown' ? this.current.plan.seconds : 0;
  }

  #plan(plan: Plan): void {
    if (this.current !== null) this.current = { ...this.current, plan };
  }
}
