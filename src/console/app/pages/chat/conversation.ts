import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { AttachedPicture, AttachedText, Turn } from '../../../../core/chat/conversation.ts'
import { beginning, isVisible, onOneLine } from '../../../../core/text/visible-text.ts'
import type { OpenedConversation } from '../../../contract/conversations.ts'
import { makeId } from '../../browser/make-id.ts'
import { language } from '../../language/language.ts'
import { t } from '../../language/t.ts'
import { chatSettings } from './chat-settings.ts'
import { chosenModels } from './compare/compared-models.ts'
import { ConversationKeeper } from './conversation-keeper.ts'
import { messagesOf } from './message-text.ts'
import { allBelow, newestBelow, pathTo, versionsByMessage } from './turn-tree.ts'
import { writeAnswer } from './write-answer.ts'

/** What goes along with a message. */
export interface Attachments {
  readonly files: readonly AttachedText[]
  readonly pictures: readonly AttachedPicture[]
}

export const noAttachments: Attachments = { files: [], pictures: [] }

const longestTitle = 80
const pageLeft = t`Interrupted: the page was closed or reloaded.`
/** How often an answer is kept while it is being written. */
const keepEveryMs = 3000

/** A conversation: what was said in all its versions, which of them are shown, and the answer that is being written. */
export class Conversation {
  readonly id: string
  readonly title: Signal<string>
  readonly pinned: Signal<boolean>
  readonly keeper: ConversationKeeper
  readonly #all: Signal<readonly Turn[]>
  readonly #leaf: Signal<string | null>
  readonly #versions: ReadonlySignal<ReturnType<typeof versionsByMessage>>
  /** What is shown: one version of each message. */
  readonly turns: ReadonlySignal<readonly Turn[]>
  /** The answers of several models to what was said last, of which none is chosen yet; none where nobody compares. */
  readonly comparing = signal<readonly string[]>([])
  /** Whether a model is answering right now. */
  readonly writing: ReadonlySignal<boolean>
  readonly #answering = new Map<string, AbortController>()

  constructor(known?: OpenedConversation) {
    this.id = known?.id ?? makeId()
    this.title = signal(known?.title ?? '')
    this.pinned = signal(known?.pinned ?? false)
    // An answer that nobody is writing any more was left by a page that is gone.
    this.#all = signal(
      known?.turns.map((turn) =>
        turn.state === 'writing' ? { ...turn, state: 'failed', failure: pageLeft, failureLanguage: language } : turn,
      ) ?? [],
    )
    this.#leaf = signal(known?.leaf ?? known?.turns.at(-1)?.id ?? null)
    this.#versions = computed(() => versionsByMessage(this.#all.value))
    this.turns = computed(() => pathTo(this.#all.value, this.#leaf.value))
    this.writing = computed(() => this.turns.value.at(-1)?.state === 'writing' || this.compared().some(({ state }) => state === 'writing'))
    this.keeper = new ConversationKeeper(this.id, {
      head: () => ({ title: this.title.peek(), pinned: this.pinned.peek(), leaf: this.#leaf.peek() }),
      turn: (id) => this.#all.peek().find((turn) => turn.id === id),
    })
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
    const { requestId: _, cause: __, failureLanguage: ___, ...begun } = turn
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
    const head = { id: makeId(), title: this.title.peek(), pinned: this.pinned.peek(), leaf: this.#leaf.peek() }
    const made = new Conversation({ ...head, changedAt: Date.now(), turns })
    made.keeper.headChanged()
    for (const { id } of turns) made.keeper.turnChanged(id)
    return made
  }

  rename(title: string): void {
    this.title.value = beginning(title, longestTitle * 2)
    this.keeper.headChanged()
  }

  pin(pinned: boolean): void {
    this.pinned.value = pinned
    this.keeper.headChanged()
  }

  /** Stops an answer where it is, or all of them; what was written stays. */
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

  /** Writes an answer, or the rest of one, until it is done. */
  async #write(turn: Turn, model: string): Promise<void> {
    const controller = new AbortController()
    this.#answering.set(turn.id, controller)
    const before = pathTo(this.#all.peek(), turn.content === '' ? turn.parent : turn.id)
    const requested = { settings: { ...chatSettings.value, model }, messages: before.flatMap(messagesOf), signal: controller.signal }
    let written = turn
    let keptAt = performance.now()
    const change = (fields: Partial<Turn>) => {
      written = { ...written, ...fields }
      this.#all.value = this.#all.peek().map((each) => (each.id === written.id ? written : each))
      if (performance.now() - keptAt < keepEveryMs) return
      keptAt = performance.now()
      this.keeper.turnChanged(turn.id)
    }
    change({})
    await writeAnswer(turn, requested, change)
    if (this.#answering.get(turn.id) === controller) this.#answering.delete(turn.id)
    this.keeper.turnChanged(turn.id)
  }

  #add(fields: Omit<Turn, 'id' | 'failure' | 'facts' | 'at'>): Turn {
    // Messages come back in the order of their times: two begun at once must not share one.
    const at = Math.max(Date.now(), (this.#all.peek().at(-1)?.at ?? 0) + 1)
    const turn: Turn = { ...fields, id: makeId(), failure: null, facts: null, at }
    this.#all.value = [...this.#all.peek(), turn]
    this.#leaf.value = turn.id
    if (this.title.peek() === '') this.title.value = titleOf(turn)
    this.keeper.headChanged()
    this.keeper.turnChanged(turn.id)
    return turn
  }
}

/** What a conversation is called that begins with a message. */
function titleOf({ content, pictures = [] }: Turn): string {
  const titles = [content, pictures[0]?.name ?? ''].map((text) => beginning(onOneLine(text), longestTitle))
  return titles.find(isVisible) ?? t`Untitled`
}
