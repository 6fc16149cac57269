import { signal } from '@preact/signals'
import type { ConversationHead, Turn } from '../../../../core/chat/conversation.ts'
import type { ConversationUpdate } from '../../../contract/conversations.ts'
import { isGone, send } from '../../interface/request.ts'
import { isSignedOut, loadSession } from '../../state/session.ts'
import { forgetUnsent, isRefused, keepUnsent, type UnsentChange } from './unsent/unsent-changes.ts'

const retryMs = 5000
/** Retry interval of rejected changes, in case the cause is removed. */
const retryRefusedMs = 60_000
/** Browsers let requests of at most 64 KB in total outlive a page. */
const maxOutliving = 20_000

/** What is stored separately of a head. The start of the context belongs to the settings. */
export type HeadPart = Exclude<keyof ConversationHead, 'countsFrom'>

/** The conversation's stored data at the time of sending. */
interface Kept {
  readonly head: () => ConversationHead
  readonly turn: (id: string) => Turn | undefined
}

/**
 * Sends the changes of a conversation to the service one by one, and repeats them until the service has them; until then the browser stores
 * them.
 */
export class ConversationKeeper {
  /** Why the last change is not stored yet; null = all are. */
  readonly fault = signal<unknown>(null)
  /** Whether the conversation was deleted elsewhere, so that it is no longer stored. */
  readonly isGone = signal(false)
  readonly #path: string
  readonly #kept: Kept
  /** Ids of messages; null = the head. */
  readonly #changed = new Set<string | null>()
  /** The parts of the head to send, with the number of changes before each. Another page may have changed the others. */
  readonly #headParts = new Map<string, number>()
  /** Rejected changes with their errors. Other changes are sent regardless. */
  readonly #refused = new Map<string | null, unknown>()
  #sending: Promise<void> | null = null
  #later: ReturnType<typeof setTimeout> | undefined
  /** Changes that are being sent; one that was repeated when the page was left is there twice. */
  readonly #underWay = new Set<{ readonly id: string | null }>()
  #stopped = false
  #changes = 0

  constructor(id: string, kept: Kept) {
    this.#path = `/console/api/conversations/${id}`
    this.#kept = kept
  }

  /** Marks a message as new, changed or deleted. */
  turnChanged(id: string): void {
    this.#change(id)
  }

  headChanged(...parts: readonly HeadPart[]): void {
    for (const part of parts) this.#headParts.set(part, this.#changes)
    this.#change(null)
  }

  /** Whether the change of a message (null = the head) is being sent or waits. */
  isAtWork(id: string | null): boolean {
    return this.#changed.has(id) || [...this.#underWay].some((sending) => sending.id === id)
  }

  /** Increases with each change here and with each that the service has stored. */
  get changes(): number {
    return this.#changes
  }

  /** Marks the conversation as deleted elsewhere. */
  markDeleted(): void {
    this.#giveUp()
    this.isGone.value = true
  }

  /** Sends changes again: the conversation was restored elsewhere. */
  markRestored(): void {
    this.#stopped = false
    this.isGone.value = false
  }

  /** Retries rejected changes at once. */
  retry(): void {
    this.#refused.clear()
    this.#flush()
  }

  /** Stops sending: the conversation is deleted. */
  stop(): void {
    this.#stopped = true
  }

  /** Sends waiting changes at once when the page is closed, those that may outlive it. */
  leave(): void {
    if (this.#stopped || this.#sending === null) return
    for (let id = this.#next(); id !== undefined; id = this.#next()) void this.#sendOne(id).catch(() => this.#flush())
  }

  /** Resolves when nothing is left to send, or sending failed. */
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
      if (isGone(failure)) this.markDeleted()
    }
  }

  /** The head first, because lists show it. */
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
    const sending = { id, changes: this.#changes }
    this.#changed.delete(id)
    this.#underWay.add(sending)
    try {
      await this.#send(id)
    } catch (failure) {
      this.#changed.add(id)
      throw failure
    } finally {
      this.#underWay.delete(sending)
      this.#changes++
    }
    if (id === null) for (const [part, before] of this.#headParts) if (before < sending.changes) this.#headParts.delete(part)
    if (this.isAtWork(id)) this.#remember(id)
    else forgetUnsent(this.#pathOf(id))
  }

  /** @param id A message's id; null = the head. */
  async #send(id: string | null): Promise<void> {
    const { method, body } = this.#changeOf(id)
    // The last message is often sent just before a page is closed.
    const outlivesPage = body === undefined || JSON.stringify(body).length <= maxOutliving
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
    if (id === null) return { method: 'PUT', body: this.#headChange() }
    const turn = this.#kept.turn(id)
    const { id: _, ...body } = turn ?? {}
    return turn === undefined ? { method: 'DELETE', body: undefined } : { method: 'PUT', body }
  }

  #headChange(): ConversationUpdate {
    const parts = Object.entries(this.#kept.head())
    return Object.fromEntries(parts.filter(([name]) => this.#headParts.has(name === 'countsFrom' ? 'settings' : name)))
  }

  #pathOf(id: string | null): string {
    return id === null ? this.#path : `${this.#path}/turns/${id}`
  }
}
