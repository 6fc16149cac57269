import { signal } from '@preact/signals'
import type { ConversationHead, Turn } from '../../../../core/chat/conversation.ts'
import { RequestFailure, send, sentenceOf } from '../../interface/request.ts'

const retryMs = 5000
/** Browsers let 64 KB in all outlive a page. */
const mostOutliving = 20_000

/** What is kept of a conversation, as it stands when it is sent. */
interface Kept {
  readonly head: () => ConversationHead
  readonly turn: (id: string) => Turn | undefined
}

/** Sends what changed in a conversation to the service, one thing after the other, and again until the service has it. */
export class ConversationKeeper {
  /** Why the last change is not kept yet, as a sentence; null = everything is. */
  readonly fault = signal<string | null>(null)
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
    this.#flush()
  }

  headChanged(): void {
    this.#headChanged = true
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
      this.fault.value = sentenceOf(failure)
      // What the service refuses for good is not sent again and again.
      if (failure instanceof RequestFailure && failure.status >= 400 && failure.status < 500 && failure.status !== 429) this.stop()
    }
  }

  /** The head first: it is what a list shows. */
  async #sendNext(): Promise<void> {
    if (this.#headChanged) {
      this.#headChanged = false
      await this.#send('PUT', '', this.#kept.head()).catch((failure: unknown) => {
        this.#headChanged = true
        throw failure
      })
      return
    }
    const [id = ''] = this.#changed
    this.#changed.delete(id)
    const turn = this.#kept.turn(id)
    const { id: _, ...body } = turn ?? {}
    await this.#send(turn === undefined ? 'DELETE' : 'PUT', `/turns/${id}`, turn && body).catch((failure: unknown) => {
      this.#changed.add(id)
      throw failure
    })
  }

  async #send(method: 'PUT' | 'DELETE', path: string, body: unknown): Promise<void> {
    // What was said last is often sent just before a page is left.
    const outlivesPage = body === undefined || JSON.stringify(body).length <= mostOutliving
    await send(`${this.#path}${path}`, { method, body, outlivesPage })
  }
}
