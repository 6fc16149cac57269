import { ServiceError } from '../../core/error.ts'
import type { CountWatch } from './text-protocol.ts'

/** A server stopped answering or answers again. */
export interface ServerChange {
  readonly url: string
  readonly answers: boolean
  readonly reason: string
}

/** Listener for servers that go down and come back. */
export interface ServerWatch extends CountWatch {
  /** Called when a server stops answering and when it answers again. */
  readonly onChange?: (change: ServerChange) => void
  /** Whether an earlier connection reported it as down; absent = none did. */
  readonly isAway?: (url: string) => boolean
}

/** Notifies the listener when one server stops answering or answers again. */
export class WatchedServer {
  readonly #url: string
  readonly #watch: ServerWatch
  #isAway: boolean

  constructor(url: string, watch: ServerWatch) {
    this.#url = url
    this.#watch = watch
    this.#isAway = watch.isAway?.(url) ?? false
  }

  answered(): void {
    this.#changed(true, 'it answered')
  }

  missed(error: unknown): void {
    this.#changed(false, reasonOf(error))
  }

  #changed(answers: boolean, reason: string): void {
    if (this.#isAway === !answers) return
    this.#isAway = !answers
    this.#watch.onChange?.({ url: this.#url, answers, reason })
  }
}

/** The reason for the operator: an error's causes without the first message, which is for the client. */
export function reasonOf(error: unknown): string {
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'it says nothing'
  const reasons: string[] = []
  for (let cause = error instanceof ServiceError ? error.cause : error; cause instanceof Error; cause = cause.cause)
    reasons.push((cause.message || ('code' in cause ? String(cause.code) : cause.name)).trim().replace(/\.$/, ''))
  return reasons.join(': ') || String(error)
}
