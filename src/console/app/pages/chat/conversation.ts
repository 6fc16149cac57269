import { batch, computed, type ReadonlySignal, type Signal, signal, untracked } from '@preact/signals'
import { type ConversationHead, type ConversationSettings, longestTitle, type Turn } from '../../../../core/chat/conversation.ts'
import { beginning } from '../../../../core/text/visible-text.ts'
import type { OpenedConversation } from '../../../contract/conversations.ts'
import { makeId } from '../../browser/make-id.ts'
import { LiveAnswers } from './answers/live-answers.ts'
import { type Attachments, noAttachments } from './attach/attachments.ts'
import { chatSettings } from './chat-settings.ts'
import { chosenModels } from './compare/compared-models.ts'
import { countedTurns } from './context/context-use.ts'
import { ConversationKeeper, type HeadPart } from './conversation-keeper.ts'
import { titleOf } from './message-text.ts'
import { isSame, settingsNow } from './presets/presets.ts'
import { type KnownConversation, readChanges } from './read-changes.ts'
import { ConversationTurns } from './tree/conversation-turns.ts'
import { mergeTurns } from './tree/turn-tree.ts'

/** The data of a conversation when it is opened: the stored one, or a copy of another. */
export type OpenedTurns = ConversationHead & Pick<OpenedConversation, 'id' | 'turns'> & Partial<KnownConversation>

/** A conversation: its messages, the settings of its next answer, and the answers that are being written. */
export class Conversation {
  readonly id: string
  readonly title: Signal<string>
  readonly pinned: Signal<boolean>
  /** Settings of the next answer; null = the page's. */
  readonly settings: Signal<ConversationSettings | null>
  /** The first message that models read; null = all. */
  readonly countsFrom: Signal<string | null>
  readonly keeper: ConversationKeeper
  /** The shown version of each message. */
  readonly turns: ReadonlySignal<readonly Turn[]>
  /** The number of shown messages. */
  readonly length: ReadonlySignal<number>
  /** The shown messages that models read. */
  readonly counted: ReadonlySignal<readonly Turn[]>
  /**
   * The answers to compare, in the order of their models; empty = no comparison. While none of several answers is chosen, the shown messages end
   * with the question, so that every page of the person shows the comparison, also after a reload.
   */
  readonly compared: ReadonlySignal<readonly Turn[]>
  /** Whether a model is answering. */
  readonly writing: ReadonlySignal<boolean>
  /** Whether the page has lost the connection while an answer continues. */
  readonly connectionLost: ReadonlySignal<boolean>
  readonly #turns: ConversationTurns
  readonly #answers: LiveAnswers
  #known: KnownConversation | null = null
  #knownLeaf: string | null

  constructor(known?: OpenedTurns) {
    this.id = known?.id ?? makeId()
    this.title = signal(known?.title ?? '')
    this.pinned = signal(known?.pinned ?? false)
    this.settings = signal(known?.settings ?? null)
    this.countsFrom = signal(known?.countsFrom ?? null)
    this.#knownLeaf = known?.leaf ?? null
    this.#turns = new ConversationTurns(known?.turns ?? [], this.#knownLeaf)
    this.turns = this.#turns.shown
    this.length = computed(() => this.turns.value.length)
    this.counted = computed(() => countedTurns(this.turns.value, this.countsFrom.value))
    this.compared = computed(() => {
      const last = this.turns.value.at(-1)
      const answers = last?.role === 'user' ? this.#turns.versions({ parent: last.id, role: 'assistant' }) : []
      return answers.length > 1 ? answers : []
    })
    this.writing = computed(() => [this.turns.value.at(-1), ...this.compared.value].some((turn) => turn?.state === 'writing'))
    this.keeper = new ConversationKeeper(this.id, {
      head: () => this.#head(),
      turn: (id) => this.#turns.all.find((turn) => turn.id === id),
    })
    this.#answers = new LiveAnswers({
      id: this.id,
      turns: this.#turns,
      counted: (path) => countedTurns(path, this.countsFrom.peek()),
      keep: (id) => this.keeper.turnChanged(id),
      readAgain: () => this.#readAgain(),
    })
    this.connectionLost = this.#answers.connectionLost
    const { version, versions } = known ?? {}
    if (version !== undefined && versions !== undefined) this.#known = { version, versions }
    this.#answers.followAll()
  }

  /**
   * Takes over changes by other pages and the service.
   *
   * @returns false when something changed here meanwhile, which may be missing in the data read.
   */
  async refresh(): Promise<boolean> {
    const { changes } = this.keeper
    const before = this.#known
    const read = await readChanges(this.id, before)
    if (read === 'gone') this.keeper.markDeleted()
    if (read === 'gone' || read === null) return true
    if (changes !== this.keeper.changes) return false
    const isOurs = (id: string) => this.keeper.isAtWork(id) || this.#answers.isWriting(id)
    const turns = read.turns.filter((turn) => !this.#answers.isOutdated(turn))
    const taken = new Set(turns.flatMap(({ id }) => (isOurs(id) ? [] : [id])))
    const passedOver = new Set(read.turns.flatMap(({ id }) => (taken.has(id) ? [] : [id])))
    const versions = Object.fromEntries(Object.entries(read.known).filter(([id]) => !passedOver.has(id)))
    this.#known = { version: read.version, versions }
    const isRestored = this.keeper.isGone.peek()
    batch(() => {
      const wasThere = (id: string) => before !== null && Object.hasOwn(before.versions, id)
      this.#turns.takeOver(mergeTurns(this.#turns.all, { turns, versions: read.versions }, { isOurs, wasThere }))
      if (!this.keeper.isAtWork(null)) this.#takeHead(read)
      if (isRestored) this.keeper.markRestored()
    })
    // Messages written since it was deleted were not stored.
    if (isRestored) for (const { id } of this.#turns.all) if (!Object.hasOwn(read.versions, id)) this.keeper.turnChanged(id)
    this.#answers.followAll()
    return true
  }

  #takeHead({ title, pinned, leaf, settings, countsFrom }: ConversationHead): void {
    if (settings !== undefined && !isSame(settings, this.settings.peek())) this.settings.value = settings
    this.title.value = title
    this.pinned.value = pinned
    this.countsFrom.value = countsFrom ?? null
    // A head may arrive before the message it names, which is then shown when it arrives.
    if (leaf === this.#knownLeaf || (leaf !== null && this.#turns.find(leaf) === undefined)) return
    this.#knownLeaf = leaf
    if (leaf === this.#turns.leaf) return
    this.#turns.leaf = leaf
  }

  /** All versions of a message, oldest first. */
  versions(turn: Turn): readonly Turn[] {
    return this.#turns.versions(turn)
  }

  /** The compared answer that the next message continues: the first that is complete; undefined = no comparison. */
  get continued(): Turn | undefined {
    const compared = this.compared.value
    return compared.find(({ state }) => state === 'done') ?? compared[0]
  }

  /** Continues with one of the compared answers; the others end, and stay as its versions. */
  choose({ id }: Turn): void {
    for (const other of this.compared.peek()) if (other.id !== id && other.state === 'writing') this.stop(other)
    this.#turns.leaf = id
    this.keeper.headChanged('leaf')
  }

  /** Adds the results of an answer's function calls, and requests the next answer. */
  answerCalls(turn: Turn, results: readonly string[]): void {
    const calls = turn.calls?.map((call, index) => ({ ...call, result: results[index] ?? '' }))
    if (calls === undefined) return
    this.#turns.replace({ ...turn, calls })
    this.keeper.turnChanged(turn.id)
    this.#turns.leaf = turn.id
    void this.#answer()
  }

  /** Adds the user's message, and requests one or several answers. */
  say(content: string, { files, pictures }: Attachments = noAttachments): void {
    const { continued } = this
    if (continued !== undefined) this.choose(continued)
    const attached = { files, ...(pictures.length > 0 && { pictures }) }
    this.#add({ parent: this.#turns.leaf, role: 'user', content, ...attached, state: 'done', model: null })
    void this.#answer(chosenModels(chatSettings.value.model))
  }

  /** Adds another version of an earlier message. */
  edit({ parent }: Turn, content: string, { files, pictures }: Attachments): void {
    this.stop()
    this.#add({ parent, role: 'user', content, files, ...(pictures.length > 0 && { pictures }), state: 'done', model: null })
    void this.#answer()
  }

  /** Replaces an answer by the user's own text, as another version. */
  rewrite({ parent }: Turn, content: string): void {
    this.stop()
    this.#add({ parent, role: 'assistant', content, files: [], state: 'done', model: null })
  }

  /** Requests another answer to the same message; the earlier one stays as a version. */
  regenerate({ parent }: Turn): void {
    this.#answerTo(parent)
  }

  /** Requests an answer to a message. */
  answer({ id }: Turn): void {
    this.#answerTo(id)
  }

  /** Requests the continuation of an answer. */
  continueAnswer(turn: Turn): void {
    this.stop()
    this.#turns.leaf = turn.id
    void this.#answers.continue(turn, chatSettings.value.model)
  }

  /** Shows a version of a message, with the newest messages below it. */
  show(id: string): void {
    this.#turns.show(id)
    this.keeper.headChanged('leaf')
  }

  /**
   * Removes a message and all below it.
   *
   * @returns a function that restores them.
   */
  remove(turn: Turn): () => void {
    this.stop()
    const { gone, undo } = this.#turns.remove(turn)
    const keepAll = () => {
      for (const { id } of gone) this.keeper.turnChanged(id)
      this.keeper.headChanged('leaf')
    }
    keepAll()
    return () => {
      undo()
      keepAll()
    }
  }

  /** A copy of this conversation with new ids. */
  copy(): Conversation {
    this.stop()
    const turns = this.#turns.all
    const made = new Conversation({ ...this.#head(), id: makeId(), turns })
    made.keepWhole()
    return made
  }

  /** Stores everything: the service does not have this conversation yet. */
  keepWhole(): void {
    this.keeper.headChanged('title', 'pinned', 'leaf', 'settings')
    for (const { id } of this.#turns.all) this.keeper.turnChanged(id)
  }

  rename(title: string): void {
    this.title.value = beginning(title, longestTitle)
    this.keeper.headChanged('title')
  }

  /** Stores the settings of the next answer. */
  keepSettings(settings: ConversationSettings): void {
    if (isSame(settings, this.settings.peek())) return
    this.settings.value = settings
    this.keeper.headChanged('settings')
  }

  /** Sets the first message that models read; null = all. */
  countFrom(id: string | null): void {
    this.countsFrom.value = id
    this.keeper.headChanged('settings')
  }

  pin(pinned: boolean): void {
    this.pinned.value = pinned
    this.keeper.headChanged('pinned')
  }

  /** Stops one answer, or all of them, whichever page requested them. The written text stays. */
  stop(turn?: Turn): void {
    this.#answers.stop(turn)
  }

  #answerTo(parent: string | null): void {
    this.stop()
    this.#turns.leaf = parent
    void this.#answer()
  }

  /** Requests the answer to the last message, or several to compare. */
  async #answer(models: readonly string[] = [chatSettings.value.model]): Promise<void> {
    const parent = this.#turns.leaf
    const answers = models.map((model) => this.#add({ parent, role: 'assistant', content: '', files: [], state: 'writing', model }))
    if (answers.length > 1) {
      this.#turns.leaf = parent
      this.keeper.headChanged('leaf')
    }
    await Promise.all(answers.map((answer) => this.#answers.write(answer, answer.model ?? '')))
  }

  /**
   * Reads the stored state, including changes that were skipped while an answer was written.
   *
   * @returns false when it cannot be read; the page retries soon.
   */
  async #readAgain(): Promise<boolean> {
    try {
      do {
        this.#known &&= { ...this.#known, version: 0 }
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
    return { title: this.title.peek(), pinned: this.pinned.peek(), leaf: this.#turns.leaf, ...more }
  }

  #add(fields: Parameters<ConversationTurns['add']>[0]): Turn {
    const turn = this.#turns.add(fields)
    const parts: HeadPart[] = ['leaf']
    if (this.title.peek() === '') {
      this.title.value = titleOf(turn)
      parts.push('title', 'pinned')
    }
    if (this.settings.peek() === null) {
      this.settings.value = untracked(settingsNow)
      parts.push('settings')
    }
    this.keeper.headChanged(...parts)
    this.keeper.turnChanged(turn.id)
    return turn
  }
}
