import { signal } from '@preact/signals'
import type { ConversationHead, Turn } from '../../../../core/chat/conversation.ts'
import { send } from '../../interface/request.ts'
import { isSignedOut, loadSession } from '../../state/session.ts'
import { forgetUnsent, isGone, isRefused, keepUnsent, type UnsentChange } from './unsent/unsent-changes.ts'

const retryMs = 5000
/** After how long what was refused is tried again: somebody may have mended what refuses it. */
const retryRefusedMs = 60_000
/** Browsers let 64 KB in all outlive a page. */
const mostOutliving = 20_000

/** What is kept of a conversation, as it stands when it is sent. */
interface Kept {
  readonly head: () => ConversationHead
  readonly turn: (id: string) => Turn | undefined
}

/** Sends what changed in a conversation to the service, one thing after the other, and again until the service has it; the browser keeps it until then. */
export class ConversationKeeper {
  /** Why the last change is not kept yet; null = everything is. */
  readonly fault = signal<unknown>(null)
  /** Whether it was deleted elsewhere, so that nothing of it is kept any more. */
  readonly isGone = signal(false)
  readonly #path: string
  readonly #kept: Kept
  /** Ids of messages; null = the head. */
  readonly #changed = new Set<string | null>()
  /** What the service refused as it stands, and why; what else changed goes on without it. */
  readonly #refused = new Map<string | null, unknown>()
  #sending: Promise<void> | null = null
  #later: ReturnType<typeof setTimeout> | undefined
  /** What is on its way. */
  readonly #underWay = new Set<string | null>()
  #stopped = false
  #changes = 0

  constructor(id: string, kept: Kept) {
    this.#path = `/console/api/conversations/${id}`
    this.#kept = kept
  }

  /** A message is new, changed or gone. */
  turnChanged(id: string): void {
    this.#change(id)
  }

  headChanged(): void {
    this.#change(null)
  }

  /** Whether a message, or the head where it is null, is on its way to the service or waits to be. */
  isAtWork(id: string | null): boolean {
    return this.#changed.has(id) || this.#underWay.has(id)
  }

  /** Increases by one with each change here and with each that the service has stored. */
  get changes(): number {
    return this.#changes
  }

  /** It was deleted elsewhere. */
  foundGone(): void {
    this.#giveUp()
    this.isGone.value = true
  }

  /** Tries again at once what was refused. */
  retry(): void {
    this.#refused.clear()
    this.#flush()
  }

  /** Sends no more: the conversation is gone. */
  stop(): void {
    this.#stopped = true
  }

  /** The page is being left: sends at once what waits for its turn, as far as that may outlive the page. */
  leave(): void {
    if (this.#stopped || this.#sending === null) return
    for (let id = this.#next(); id !== undefined; id = this.#next()) void this.#sendOne(id).catch(() => undefined)
  }

  /** Resolves once nothing is left to send, or sending failed. */
  async settled(): Promise<void> {
    await this.#sending
  }

  #change(id: string | null): void {
    this.#changes++
    this.#changed.add(id)
    this.#refused.delete(id)
    this.#remember(id)
    this.#flush()
  }

  #flush(): void {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null
      if (this.fault.value === null || this.#stopped) return
      clearTimeout(this.#later)
      this.#later = setTimeout(() => this.retry(), this.#refused.size === 0 ? retryMs : retryRefusedMs)
    })
  }

  async #sendAll(): Promise<void> {
    try {
      for (let id = this.#next(); id !== undefined && !this.#stopped; id = this.#next()) await this.#sendUnlessRefused(id)
      this.fault.value = [...this.#refused.values()][0] ?? null
    } catch (failure) {
      this.fault.value = failure
      if (isSignedOut(failure)) void loadSession()
      if (isGone(failure)) this.foundGone()
    }
  }

  /** The head first: it is what a list shows. */
  #next(): string | null | undefined {
    const waiting = [...this.#changed].filter((id) => !this.#refused.has(id))
    return waiting.includes(null) ? null : waiting[0]
  }

  async #sendUnlessRefused(id: string | null): Promise<void> {
    try {
      await this.#sendOne(id)
    } catch (failure) {
      if (!isRefused(failure)) throw failure
      this.#refused.set(id, failure)
    }
  }

  async #sendOne(id: string | null): Promise<void> {
    this.#changed.delete(id)
    this.#underWay.add(id)
    try {
      await this.#send(id)
    } catch (failure) {
      this.#changed.add(id)
      throw failure
    } finally {
      this.#underWay.delete(id)
      this.#changes++
    }
    if (!this.#changed.has(id)) forgetUnsent(this.#pathOf(id))
  }

  /** @param id Of a message; null = the head. */
  async #send(id: string | null): Promise<void> {
    const { method, body } = this.#changeOf(id)
    // What was said last is often sent just before a page is left.
    const outlivesPage = body === undefined || JSON.stringify(body).length <= mostOutliving
    await send(this.#pathOf(id), { method, body, outlivesPage })
  }

  #remember(id: string | null): void {
    if (!this.#stopped) keepUnsent(this.#pathOf(id), this.#changeOf(id))
  }

  #giveUp(): void {
    this.stop()
    for (const id of [...this.#changed, null]) forgetUnsent(this.#pathOf(id))
  }

  #changeOf(id: string | null): UnsentChange {
    if (id === null) return { method: 'PUT', body: this.#kept.head() }
    const turn = this.#kept.turn(id)
    const { id: _, ...body } = turn ?? {}
    return turn === undefined ? { method: 'DELETE', body: undefined } : { method: 'PUT', body }
  }

  #pathOf(id: string | null): string {
    return id === null ? this.#path : `${this.#path}/turns/${id}`
  }
}
