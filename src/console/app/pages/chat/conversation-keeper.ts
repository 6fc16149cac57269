import { signal } from '@preact/signals'
import type { ConversationHead, Turn } from '../../../../core/chat/conversation.ts'
import { RequestFailure, send } from '../../interface/request.ts'
import { isSignedOut, loadSession } from '../../state/session.ts'
import { forgetUnsent, isFinal, keepUnsent, type UnsentChange } from './unsent/unsent-changes.ts'

const retryMs = 5000
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
  readonly #changed = new Set<string>()
  #headChanged = false
  #sending: Promise<void> | null = null
  #stopped = false

  constructor(id: string, kept: Kept) {
    this.#path = `/console/api/conversations/${id}`
    this.#kept = kept
  }

  /** A message is new, changed or gone. */
  turnChanged(id: string): void {
    this.#changed.add(id)
    this.#remember(id)
    this.#flush()
  }

  headChanged(): void {
    this.#headChanged = true
    this.#remember(null)
    this.#flush()
  }

  /** Sends no more: the conversation is gone. */
  stop(): void {
    this.#stopped = true
  }

  /** The page is being left: sends at once what waits for its turn, as far as that may outlive the page. */
  leave(): void {
    if (this.#stopped || this.#sending === null) return
    while (this.#headChanged || this.#changed.size > 0) void this.#sendNext().catch(() => undefined)
  }

  /** Resolves once nothing is left to send, or sending failed. */
  async settled(): Promise<void> {
    await this.#sending
  }

  #flush(): void {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null
      if (this.fault.value !== null && !this.#stopped) setTimeout(() => this.#flush(), retryMs)
    })
  }

  async #sendAll(): Promise<void> {
    try {
      while (!this.#stopped && (this.#headChanged || this.#changed.size > 0)) await this.#sendNext()
      this.fault.value = null
    } catch (failure) {
      this.fault.value = failure
      if (isSignedOut(failure)) void loadSession()
      // What the service refuses for good is not sent again and again.
      if (isFinal(failure)) this.#giveUp()
      this.isGone.value = failure instanceof RequestFailure && failure.status === 404
    }
  }

  /** The head first: it is what a list shows. */
  async #sendNext(): Promise<void> {
    if (this.#headChanged) {
      this.#headChanged = false
      await this.#send(null).catch((failure: unknown) => {
        this.#headChanged = true
        throw failure
      })
      if (!this.#headChanged) forgetUnsent(this.#pathOf(null))
      return
    }
    const [id = ''] = this.#changed
    this.#changed.delete(id)
    await this.#send(id).catch((failure: unknown) => {
      this.#changed.add(id)
      throw failure
    })
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
