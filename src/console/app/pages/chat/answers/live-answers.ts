import { computed, signal } from '@preact/signals'
import type { Turn } from '../../../../../core/chat/conversation.ts'
import { orAborted } from '../../../../../core/waiting.ts'
import { makeId } from '../../../browser/make-id.ts'
import { pageShown } from '../../../browser/page-shown.ts'
import { retryUntilAnswered } from '../../../interface/follow-inference.ts'
import { cancelInference } from '../../../interface/inference-requests.ts'
import { submitChat } from '../../../interface/submit-chat.ts'
import { language } from '../../../language/language.ts'
import { t } from '../../../language/t.ts'
import { whileSignedIn } from '../../../state/session.ts'
import { type ChatSettings, chatRequestBody, chatSettings } from '../chat-settings.ts'
import { messagesOf } from '../message-text.ts'
import { readSchema } from '../structure/read-schema.ts'
import type { ConversationTurns } from '../tree/conversation-turns.ts'
import { failedFields, followAnswer } from './write-answer.ts'

const pageLeft = t`Interrupted: the page was closed or reloaded.`
/** Time in which a page must submit the request for an answer, in milliseconds. */
const handInMs = 5000

/** The conversation that the answers belong to. */
interface AnsweredConversation {
  readonly id: string
  readonly turns: ConversationTurns
  /** The messages of a path that models read. */
  readonly counted: (path: readonly Turn[]) => readonly Turn[]
  /** Called to store the local version of a message. */
  readonly keep: (id: string) => void
  /**
   * Takes over the stored version.
   *
   * @returns false when it cannot be read; the page retries soon.
   */
  readonly readAgain: () => Promise<boolean>
}

interface FollowedTurn {
  /** The request that writes the answer. */
  readonly id: string
  readonly sentAt: number | null
  /** Whether the service itself stores it in the conversation. */
  readonly isKept: boolean
  readonly settings?: ChatSettings
  readonly controller?: AbortController
}

/** The answers of a conversation that are being written, requested by this page or another. */
export class LiveAnswers {
  /** Whether this page has lost the connection while an answer continues. */
  readonly connectionLost = computed(() => this.#lost.value.length > 0)
  /** The messages whose connection is lost. */
  readonly #lost = signal<readonly string[]>([])
  readonly #conversation: AnsweredConversation
  /** By message. */
  readonly #followed = new Map<string, AbortController>()
  /** Requests that have ended or were stopped here. The service may show that a moment later. */
  readonly #ended = new Set<string>()
  /** Messages whose continuation waits for their stored version. */
  readonly #continued = new Set<string>()
  /** Answers that are followed, until their stored version is read; by message. */
  readonly #settling = new Map<string, Promise<void>>()

  constructor(conversation: AnsweredConversation) {
    this.#conversation = conversation
  }

  /** Whether a message is being written, so that nothing else may change it. */
  isWriting(id: string): boolean {
    return this.#followed.has(id)
  }

  /** Whether a message is still in the state before its request ended. */
  isOutdated({ state, inference = '' }: Turn): boolean {
    return state === 'writing' && this.#ended.has(inference)
  }

  /** Follows all answers that the service is writing. A page that was left before sending its request has none. */
  followAll(): void {
    for (const turn of this.#conversation.turns.all) {
      if (turn.state !== 'writing' || this.isWriting(turn.id)) continue
      if (turn.inference !== undefined) void this.#follow(turn, { id: turn.inference, sentAt: null, isKept: true })
      else setTimeout(() => this.#giveUp(turn), handInMs)
    }
  }

  /** Requests an answer, or its continuation, and follows it to the end. */
  async write(turn: Turn, model: string): Promise<void> {
    const { id: conversation, turns, counted, keep, readAgain } = this.#conversation
    const controller = this.#begin(turn.id)
    turns.replace(turn)
    const before = turns.pathTo(turn.content === '' ? turn.parent : turn.id)
    const settings = { ...chatSettings.value, model }
    const sentAt = performance.now()
    const place = { conversation, turn: turn.id, parent: turn.parent, key: makeId() }
    const body = chatRequestBody(settings, counted(before).flatMap(messagesOf))
    const submitted = whileSignedIn(() => submitChat(body, place))
    try {
      const { id, isKept } = await orAborted(submitted, controller.signal)
      await this.#follow({ ...turn, inference: id }, { id, sentAt, isKept, settings, controller })
    } catch (error) {
      // Otherwise an aborted request would be stored as a failure of the service, which the next page would show.
      if (!controller.signal.aborted) await pageShown()
      const { aborted } = controller.signal
      turns.replace({ ...turn, ...(aborted ? { state: 'stopped' } : failedFields(error)) })
      keep(turn.id)
      // The service may have received the request nevertheless, and shows it as being written until it is cancelled.
      if (aborted) await submitted.then(({ id }) => this.#cancel(id).then(() => keep(turn.id))).catch(() => {})
      this.#end(turn.id, controller)
      // It may even be answering a request whose reply was lost; then this page follows the answer.
      await readAgain()
    }
  }

  /** Requests the rest of an answer that was stopped or cut, once its stored version is known: the service may have written more of it. */
  async continue({ id, state, inference }: Turn, model: string): Promise<void> {
    const settling = this.#settling.get(id)
    this.#continued.add(id)
    // The service may still be writing an answer that this page could not follow.
    if (state === 'failed' && inference !== undefined) await this.#cancel(inference).catch(() => {})
    await settling
    const turn = this.#conversation.turns.find(id)
    const isWanted = this.#continued.delete(id)
    if (turn === undefined || !isWanted || (settling !== undefined && turn.state === 'done')) return
    const { requestId: _, cause: __, failureLanguage: ___, inference: ____, ...begun } = turn
    await this.write({ ...begun, state: 'writing', failure: null }, model)
  }

  /** Stops one answer, or all of them, whichever page requested them. The written text stays. */
  stop(turn?: Turn): void {
    if (turn === undefined) this.#continued.clear()
    else this.#continued.delete(turn.id)
    if (turn === undefined) for (const controller of this.#followed.values()) controller.abort()
    else this.#followed.get(turn.id)?.abort()
  }

  #giveUp(turn: Turn): void {
    const { turns } = this.#conversation
    if (turns.all.includes(turn)) turns.replace({ ...turn, state: 'failed', failure: pageLeft, failureLanguage: language })
  }

  /** Follows an answer that the service is writing to its end, and takes over its stored version. */
  async #follow(turn: Turn, followed: FollowedTurn): Promise<void> {
    const settled = this.#followToItsEnd(turn, followed)
    this.#settling.set(turn.id, settled)
    await settled.finally(() => {
      if (this.#settling.get(turn.id) === settled) this.#settling.delete(turn.id)
    })
  }

  async #followToItsEnd(
    turn: Turn,
    { id, sentAt, isKept, settings = chatSettings.value, controller = this.#begin(turn.id) }: FollowedTurn,
  ): Promise<void> {
    const { signal } = controller
    let written = turn
    const change = (fields: Partial<Turn>) => {
      written = { ...written, ...fields }
      this.#conversation.turns.replace(written)
    }
    change({})
    let cancelled: Promise<void> | undefined
    signal.addEventListener('abort', () => {
      cancelled = this.#cancel(id).catch(() => {})
    })
    const onConnection = (isLost: boolean) => {
      const others = this.#lost.peek().filter((each) => each !== turn.id)
      if (isLost || others.length < this.#lost.peek().length) this.#lost.value = isLost ? [...others, turn.id] : others
    }
    const { schema } = readSchema(settings)
    const followed = { id, sentAt, schema, signal, onConnection }
    await whileSignedIn(() => followAnswer(turn, followed, change)).catch((error: unknown) => change(failedFields(error)))
    this.#end(turn.id, controller)
    this.#ended.add(id)
    // Until the cancellation arrives, the service does not store that the answer was stopped.
    await cancelled
    await this.#settle(written, isKept)
  }

  /** Takes over the stored version of a finished answer, and stores what the service does not have. */
  async #settle(written: Turn, isKept: boolean): Promise<void> {
    const { turns, keep, readAgain } = this.#conversation
    if (isKept && !(await readAgain())) return
    const kept = turns.all.find(({ id }) => id === written.id)
    const { schemaFaults } = written
    if (kept !== written && schemaFaults === undefined) return
    if (kept !== undefined) turns.replace({ ...kept, ...(schemaFaults !== undefined && { schemaFaults }) })
    keep(written.id)
    if (isKept) await readAgain()
  }

  #begin(id: string): AbortController {
    const controller = new AbortController()
    this.#followed.set(id, controller)
    return controller
  }

  #end(id: string, controller: AbortController): void {
    if (this.#followed.get(id) === controller) this.#followed.delete(id)
  }

  /** Cancels a request, as soon as the service can be reached. */
  async #cancel(id: string): Promise<void> {
    this.#ended.add(id)
    await retryUntilAnswered(() => cancelInference(id), {})
  }
}
