import { batch, computed, type ReadonlySignal, type Signal, signal, untracked } from '@preact/signals'
import type { ConversationHead, ConversationSettings, Turn } from '../../../../core/chat/conversation.ts'
import { beginning } from '../../../../core/text/visible-text.ts'
import { orAborted } from '../../../../core/waiting.ts'
import type { OpenedConversation } from '../../../contract/conversations.ts'
import { makeId } from '../../browser/make-id.ts'
import { pageShown } from '../../browser/page-shown.ts'
import { cancelInference } from '../../interface/inference-requests.ts'
import { submitChat } from '../../interface/submit-chat.ts'
import { language } from '../../language/language.ts'
import { t } from '../../language/t.ts'
import { whileSignedIn } from '../../state/session.ts'
import { type Attachments, noAttachments } from './attach/attachments.ts'
import { type ChatSettings, chatRequestBody, chatSettings } from './chat-settings.ts'
import { chosenModels } from './compare/compared-models.ts'
import { countedTurns } from './context/context-use.ts'
import { ConversationKeeper } from './conversation-keeper.ts'
import { mergeTurns } from './merge-turns.ts'
import { messagesOf, titleOf } from './message-text.ts'
import { isSame, settingsNow } from './presets/presets.ts'
import { type KnownConversation, readChanges } from './read-changes.ts'
import { readSchema } from './structure/read-schema.ts'
import { allBelow, newestBelow, pathTo, versionsByMessage } from './turn-tree.ts'
import { failedFields, followAnswer } from './write-answer.ts'

/** Characters of what a person calls a conversation. */
const longestTitle = 160
const pageLeft = t`Interrupted: the page was closed or reloaded.`
/** How long a page has to hand in what an answer is asked for with, in milliseconds. */
const handInMs = 5000

/** What is known of a conversation when it is opened: all that the service has of it, or a copy of another. */
export type OpenedTurns = ConversationHead & Pick<OpenedConversation, 'id' | 'turns'> & Partial<KnownConversation>

interface FollowedTurn {
  /** The request that writes it. */
  readonly id: string
  readonly sentAt: number | null
  /** Whether the service itself keeps it in the conversation. */
  readonly isKept: boolean
  readonly settings?: ChatSettings
  readonly controller?: AbortController
}

/** A conversation: what was said in all its versions, which of them are shown, and the answer that is being written. */
export class Conversation {
  readonly id: string
  readonly title: Signal<string>
  readonly pinned: Signal<boolean>
  /** How the next answer is asked for; null = as the page has it. */
  readonly settings: Signal<ConversationSettings | null>
  /** The message from which on models read it; null = they read all. */
  readonly countsFrom: Signal<string | null>
  readonly keeper: ConversationKeeper
  readonly #all: Signal<readonly Turn[]>
  readonly #leaf: Signal<string | null>
  readonly #versions: ReadonlySignal<ReturnType<typeof versionsByMessage>>
  /** What is shown: one version of each message. */
  readonly turns: ReadonlySignal<readonly Turn[]>
  /** Those of them that models read. */
  readonly counted: ReadonlySignal<readonly Turn[]>
  /** The answers of several models to what was said last, of which none is chosen yet; none where nobody compares. */
  readonly comparing = signal<readonly string[]>([])
  /** Whether a model is answering right now. */
  readonly writing: ReadonlySignal<boolean>
  /** Whether the page has lost the service while an answer goes on there. */
  readonly connectionLost = signal(false)
  readonly #answering = new Map<string, AbortController>()
  /** Requests that were stopped here, or whose end was heard; the service may take a moment to note it. */
  readonly #ended = new Set<string>()
  #known: KnownConversation | null = null
  #knownLeaf: string | null

  constructor(known?: OpenedTurns) {
    this.id = known?.id ?? makeId()
    this.title = signal(known?.title ?? '')
    this.pinned = signal(known?.pinned ?? false)
    this.settings = signal(known?.settings ?? null)
    this.countsFrom = signal(known?.countsFrom ?? null)
    this.#all = signal(known?.turns ?? [])
    this.#leaf = signal(known?.leaf ?? null)
    this.#knownLeaf = known?.leaf ?? null
    this.#versions = computed(() => versionsByMessage(this.#all.value))
    this.turns = computed(() => pathTo(this.#all.value, this.#leaf.value))
    this.counted = computed(() => countedTurns(this.turns.value, this.countsFrom.value))
    this.writing = computed(() => this.turns.value.at(-1)?.state === 'writing' || this.compared().some(({ state }) => state === 'writing'))
    this.keeper = new ConversationKeeper(this.id, {
      head: () => this.#head(),
      turn: (id) => this.#all.peek().find((turn) => turn.id === id),
    })
    const { version, readAt, turnIds } = known ?? {}
    if (version !== undefined && readAt !== undefined && turnIds !== undefined) this.#known = { version, readAt, turnIds }
    this.#findLeaf()
    this.#followAll()
  }

  /** Takes over what other pages, and the service, have made of it since. @returns false when something changed here meanwhile, which may be missing in what was read. */
  async refresh(): Promise<boolean> {
    const { changes } = this.keeper
    const read = await readChanges(this.id, this.#known)
    if (read === 'gone') this.keeper.foundGone()
    if (read === 'gone' || read === null) return true
    if (changes !== this.keeper.changes) return false
    const before = new Set(this.#known?.turnIds)
    this.#known = read
    const isOurs = (id: string) => this.keeper.isAtWork(id) || this.#answering.has(id)
    const turns = read.turns.filter(({ state, inference = '' }) => state !== 'writing' || !this.#ended.has(inference))
    batch(() => {
      this.#all.value = mergeTurns(this.#all.peek(), { ...read, turns }, { isOurs, wasThere: (id) => before.has(id) })
      if (!this.keeper.isAtWork(null)) this.#takeHead(read)
      this.#findLeaf()
    })
    this.#followAll()
    return true
  }

  #takeHead({ title, pinned, leaf, settings, countsFrom }: ConversationHead): void {
    if (settings !== undefined && !isSame(settings, this.settings.peek())) this.settings.value = settings
    this.title.value = title
    this.pinned.value = pinned
    this.countsFrom.value = countsFrom ?? null
    if (leaf !== this.#knownLeaf && leaf !== this.#leaf.peek()) {
      this.comparing.value = []
      this.#leaf.value = leaf
    }
    this.#knownLeaf = leaf
  }

  /** Where the message that was shown last is gone, or not there yet, the newest is. */
  #findLeaf(): void {
    const all = this.#all.peek()
    const leaf = this.#leaf.peek()
    if (!all.some(({ id }) => id === leaf)) this.#leaf.value = all.at(-1)?.id ?? null
  }

  /** Follows what the service is writing; what a page left before it had asked for it is not being written. */
  #followAll(): void {
    for (const turn of this.#all.peek()) {
      if (turn.state !== 'writing' || this.#answering.has(turn.id)) continue
      if (turn.inference !== undefined) void this.#follow(turn, { id: turn.inference, sentAt: null, isKept: true })
      else setTimeout(() => this.#giveUp(turn), handInMs)
    }
  }

  #giveUp(turn: Turn): void {
    const failed = { ...turn, state: 'failed', failure: pageLeft, failureLanguage: language } as const
    this.#all.value = this.#all.peek().map((each) => (each === turn ? failed : each))
  }

  /** All versions of a message, the first made first. */
  versions(turn: Turn): readonly Turn[] {
    return this.#versions.value(turn)
  }

  /** The answers that are compared, in the order of their models. */
  compared(): readonly Turn[] {
    return this.comparing.value.flatMap((id) => this.#all.value.find((turn) => turn.id === id) ?? [])
  }

  /** Goes on with one of the answers that were compared; the others stay as its versions. */
  choose({ id }: Turn): void {
    this.comparing.value = []
    this.#leaf.value = id
    this.keeper.headChanged()
  }

  /** Says what the functions came to that an answer asks for, and lets the model go on. */
  answerCalls(turn: Turn, results: readonly string[]): void {
    const calls = turn.calls?.map((call, index) => ({ ...call, result: results[index] ?? '' }))
    if (calls === undefined) return
    this.#all.value = this.#all.peek().map((each) => (each.id === turn.id ? { ...each, calls } : each))
    this.keeper.turnChanged(turn.id)
    this.#leaf.value = turn.id
    void this.#answer()
  }

  /** Adds what a person said and lets the model answer, or several. */
  say(content: string, { files, pictures }: Attachments = noAttachments): void {
    const attached = { files, ...(pictures.length > 0 && { pictures }) }
    this.#add({ parent: this.#leaf.peek(), role: 'user', content, ...attached, state: 'done', model: null })
    void this.#answer(chosenModels(chatSettings.value.model))
  }

  /** Says something else in place of an earlier message; the earlier one stays as another version. */
  edit({ parent, files, pictures }: Turn, content: string): void {
    this.stop()
    this.comparing.value = []
    this.#add({ parent, role: 'user', content, files, ...(pictures && { pictures }), state: 'done', model: null })
    void this.#answer()
  }

  /** Says in place of an answer what it should have been; the earlier one stays as another version. */
  rewrite({ parent }: Turn, content: string): void {
    this.stop()
    this.comparing.value = []
    this.#add({ parent, role: 'assistant', content, files: [], state: 'done', model: null })
  }

  /** Asks for another answer to the same message; the earlier one stays as another version. */
  regenerate({ parent }: Turn): void {
    this.stop()
    this.comparing.value = []
    this.#leaf.value = parent
    void this.#answer()
  }

  /** Lets the model write on where an answer ended. */
  goOn(turn: Turn): void {
    this.stop()
    this.comparing.value = []
    this.#leaf.value = turn.id
    const { requestId: _, cause: __, failureLanguage: ___, inference: ____, ...begun } = turn
    void this.#write({ ...begun, state: 'writing', failure: null }, chatSettings.value.model)
  }

  /** Shows a version of a message, with the newest of what follows it. */
  show(id: string): void {
    this.comparing.value = []
    this.#leaf.value = newestBelow(this.#all.peek(), id)
    this.keeper.headChanged()
  }

  /** Takes a message out with everything that follows it. @returns the way back. */
  remove(turn: Turn): () => void {
    this.stop()
    this.comparing.value = []
    const gone = allBelow(this.#all.peek(), turn.id)
    const before = { all: this.#all.peek(), leaf: this.#leaf.peek() }
    this.#all.value = before.all.filter((each) => !gone.includes(each))
    const other = this.versions(turn).at(-1)
    this.#leaf.value = other === undefined ? turn.parent : newestBelow(this.#all.peek(), other.id)
    const keepAll = () => {
      for (const { id } of gone) this.keeper.turnChanged(id)
      this.keeper.headChanged()
    }
    keepAll()
    return () => {
      this.#all.value = [...this.#all.peek(), ...gone]
      this.#leaf.value = before.leaf
      keepAll()
    }
  }

  /** The same once more, as a conversation of its own. */
  copy(): Conversation {
    this.stop()
    const turns = this.#all.peek()
    const made = new Conversation({ ...this.#head(), id: makeId(), turns })
    made.keeper.headChanged()
    for (const { id } of turns) made.keeper.turnChanged(id)
    return made
  }

  rename(title: string): void {
    this.title.value = beginning(title, longestTitle)
    this.keeper.headChanged()
  }

  /** Keeps how the next answer is asked for. */
  keepSettings(settings: ConversationSettings): void {
    if (isSame(settings, this.settings.peek())) return
    this.settings.value = settings
    this.keeper.headChanged()
  }

  /** Lets models read it from one of its messages on; null = all of it. */
  countFrom(id: string | null): void {
    this.countsFrom.value = id
    this.keeper.headChanged()
  }

  pin(pinned: boolean): void {
    this.pinned.value = pinned
    this.keeper.headChanged()
  }

  /** Stops an answer where it is, or all of them, whichever page asked for them; what was written stays. */
  stop(turn?: Turn): void {
    if (turn === undefined) for (const controller of this.#answering.values()) controller.abort()
    else this.#answering.get(turn.id)?.abort()
  }

  /** Lets the model answer what was said last; several at once where somebody compares them. */
  async #answer(models: readonly string[] = [chatSettings.value.model]): Promise<void> {
    const parent = this.#leaf.peek()
    const answers = models.map((model) => this.#add({ parent, role: 'assistant', content: '', files: [], state: 'writing', model }))
    const [first, ...others] = answers
    if (first !== undefined && others.length > 0) {
      this.comparing.value = answers.map(({ id }) => id)
      this.#leaf.value = first.id
    }
    await Promise.all(answers.map((answer) => this.#write(answer, answer.model ?? '')))
  }

  /** Asks for an answer, or the rest of one, and follows it until it is done. */
  async #write(turn: Turn, model: string): Promise<void> {
    const controller = this.#begin(turn.id)
    this.#replace(turn)
    const before = pathTo(this.#all.peek(), turn.content === '' ? turn.parent : turn.id)
    const settings = { ...chatSettings.value, model }
    const sentAt = performance.now()
    const place = { conversation: this.id, turn: turn.id, parent: turn.parent, key: makeId() }
    const body = chatRequestBody(settings, countedTurns(before, this.countsFrom.peek()).flatMap(messagesOf))
    const submitted = whileSignedIn(() => submitChat(body, place))
    try {
      const { id, isKept } = await orAborted(submitted, controller.signal)
      await this.#follow({ ...turn, inference: id }, { id, sentAt, isKept, settings, controller })
    } catch (error) {
      // Reported as the service's failure, it would stand so in the conversation that the next page opens.
      if (!controller.signal.aborted) await pageShown()
      if (this.#answering.get(turn.id) === controller) this.#answering.delete(turn.id)
      this.#replace({ ...turn, ...(controller.signal.aborted ? { state: 'stopped' } : failedFields(error)) })
      this.keeper.turnChanged(turn.id)
      // The service may have it nevertheless.
      if (controller.signal.aborted) void submitted.then(({ id }) => this.#cancel(id)).catch(() => {})
    }
  }

  /** Follows an answer that the service is writing until it is done. */
  async #follow(
    turn: Turn,
    { id, sentAt, isKept, settings = chatSettings.value, controller = this.#begin(turn.id) }: FollowedTurn,
  ): Promise<void> {
    const { signal } = controller
    const before = this.#known
    let written = turn
    const change = (fields: Partial<Turn>) => {
      written = { ...written, ...fields }
      this.#replace(written)
    }
    change({})
    signal.addEventListener('abort', () => void this.#cancel(id).catch(() => {}))
    const onConnection = (isLost: boolean) => (this.connectionLost.value = isLost)
    const { schema } = readSchema(settings)
    const followed = { id, sentAt, schema, signal, onConnection }
    await whileSignedIn(() => followAnswer(turn, followed, change)).catch((error: unknown) => change(failedFields(error)))
    if (this.#answering.get(turn.id) === controller) this.#answering.delete(turn.id)
    this.#ended.add(id)
    await this.#settle(written, { isKept, before })
  }

  /** Takes over what the service has kept of an answer that ended, and keeps what it does not know. */
  async #settle(written: Turn, { isKept, before }: { readonly isKept: boolean; readonly before: KnownConversation | null }): Promise<void> {
    if (isKept && !(await this.#readAgain(before))) return
    const kept = this.#all.peek().find(({ id }) => id === written.id)
    const { cause, schemaFaults } = written
    if (kept !== written && cause === undefined && schemaFaults === undefined) return
    if (kept !== undefined) this.#replace({ ...kept, ...(cause !== undefined && { cause }), ...(schemaFaults && { schemaFaults }) })
    this.keeper.turnChanged(written.id)
  }

  /** Reads what the service has by now, also of what was left out while it was written. @returns false when it cannot be read; the page looks again before long. */
  async #readAgain(before: KnownConversation | null): Promise<boolean> {
    try {
      do {
        this.#known = before && this.#known && { ...this.#known, readAt: before.readAt, version: 0 }
        await this.keeper.settled()
      } while (!(await this.refresh()))
      return true
    } catch {
      return false
    }
  }

  #head(): ConversationHead {
    const settings = this.settings.peek()
    const countsFrom = this.countsFrom.peek()
    const more = { ...(settings && { settings }), ...(countsFrom !== null && { countsFrom }) }
    return { title: this.title.peek(), pinned: this.pinned.peek(), leaf: this.#leaf.peek(), ...more }
  }

  #begin(id: string): AbortController {
    const controller = new AbortController()
    this.#answering.set(id, controller)
    return controller
  }

  async #cancel(id: string): Promise<void> {
    this.#ended.add(id)
    await cancelInference(id)
  }

  #replace(turn: Turn): void {
    this.#all.value = this.#all.peek().map((each) => (each.id === turn.id ? turn : each))
  }

  #add(fields: Omit<Turn, 'id' | 'failure' | 'facts' | 'at'>): Turn {
    // Messages come back in the order of their times: two begun at once must not share one.
    const at = Math.max(Date.now(), (this.#all.peek().at(-1)?.at ?? 0) + 1)
    const turn: Turn = { ...fields, id: makeId(), failure: null, facts: null, at }
    this.#all.value = [...this.#all.peek(), turn]
    this.#leaf.value = turn.id
    if (this.title.peek() === '') this.title.value = titleOf(turn)
    this.settings.value ??= untracked(settingsNow)
    this.keeper.headChanged()
    this.keeper.turnChanged(turn.id)
    return turn
  }
}
