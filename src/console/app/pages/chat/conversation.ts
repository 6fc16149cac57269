import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { AttachedText, Turn } from '../../../../core/conversation.ts'
import type { OpenedConversation } from '../../../contract/conversations.ts'
import { sentenceOf } from '../../interface/request.ts'
import { streamChat } from '../../interface/stream-chat.ts'
import { chatRequestBody, chatSettings } from './chat-settings.ts'
import { ConversationKeeper } from './conversation-keeper.ts'
import { messageOf } from './message-text.ts'
import { allBelow, newestBelow, pathTo, versionsOf } from './turn-tree.ts'

const longestTitle = 80
const pageLeft = 'The page was left while this was being written.'
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
  /** What is shown: one version of each message. */
  readonly turns: ReadonlySignal<readonly Turn[]>
  /** Whether the model is answering right now. */
  readonly writing: ReadonlySignal<boolean>
  #answering: AbortController | null = null

  constructor(known?: OpenedConversation) {
    this.id = known?.id ?? makeId()
    this.title = signal(known?.title ?? '')
    this.pinned = signal(known?.pinned ?? false)
    // An answer that nobody is writing any more was left by a page that is gone.
    this.#all = signal(
      known?.turns.map((turn) => (turn.state === 'writing' ? { ...turn, state: 'failed', failure: pageLeft } : turn)) ?? [],
    )
    this.#leaf = signal(known?.leaf ?? known?.turns.at(-1)?.id ?? null)
    this.turns = computed(() => pathTo(this.#all.value, this.#leaf.value))
    this.writing = computed(() => this.turns.value.at(-1)?.state === 'writing')
    this.keeper = new ConversationKeeper(this.id, {
      head: () => ({ title: this.title.peek(), pinned: this.pinned.peek(), leaf: this.#leaf.peek() }),
      turn: (id) => this.#all.peek().find((turn) => turn.id === id),
    })
  }

  /** All versions of a message, the first made first. */
  versions(turn: Turn): readonly Turn[] {
    return versionsOf(this.#all.value, turn)
  }

  /** Adds what a person said and lets the model answer. */
  say(content: string, files: readonly AttachedText[] = []): void {
    this.#add({ parent: this.#leaf.peek(), role: 'user', content, files, state: 'done', model: null })
    void this.#answer()
  }

  /** Says something else in place of an earlier message; the earlier one stays as another version. */
  edit({ parent, files }: Turn, content: string): void {
    this.stop()
    this.#add({ parent, role: 'user', content, files, state: 'done', model: null })
    void this.#answer()
  }

  /** Asks for another answer to the same message; the earlier one stays as another version. */
  regenerate({ parent }: Turn): void {
    this.stop()
    this.#leaf.value = parent
    void this.#answer()
  }

  /** Lets the model write on where an answer ended. */
  goOn(turn: Turn): void {
    this.stop()
    this.#leaf.value = turn.id
    void this.#write({ ...turn, state: 'writing', failure: null })
  }

  /** Shows a version of a message, with the newest of what follows it. */
  show(id: string): void {
    this.#leaf.value = newestBelow(this.#all.peek(), id)
    this.keeper.headChanged()
  }

  /** Takes a message out with everything that follows it. @returns the way back. */
  remove(turn: Turn): () => void {
    this.stop()
    const gone = allBelow(this.#all.peek(), turn.id)
    const before = { all: this.#all.peek(), leaf: this.#leaf.peek() }
    this.#all.value = before.all.filter((each) => !gone.includes(each))
    const other = versionsOf(this.#all.peek(), turn).at(-1)
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

  rename(title: string): void {
    this.title.value = title.slice(0, longestTitle * 2)
    this.keeper.headChanged()
  }

  pin(pinned: boolean): void {
    this.pinned.value = pinned
    this.keeper.headChanged()
  }

  /** Stops the answer where it is; what was written stays. */
  stop(): void {
    this.#answering?.abort()
  }

  async #answer(): Promise<void> {
    const model = chatSettings.value.model
    await this.#write(this.#add({ parent: this.#leaf.peek(), role: 'assistant', content: '', files: [], state: 'writing', model }))
  }

  /** Writes an answer, or the rest of one, until it is done. */
  async #write(turn: Turn): Promise<void> {
    const controller = new AbortController()
    this.#answering = controller
    const before = pathTo(this.#all.peek(), turn.content === '' ? turn.parent : turn.id)
    const body = chatRequestBody(chatSettings.value, before.filter(({ content }) => content !== '').map(messageOf))
    let written = turn
    const change = (fields: Partial<Turn>) => {
      written = { ...written, ...fields }
      this.#all.value = this.#all.peek().map((each) => (each.id === written.id ? written : each))
    }
    change({})
    const sentAt = performance.now()
    let [firstAt, keptAt] = [0, sentAt]
    try {
      for await (const part of streamChat(body, controller.signal)) {
        if (part.type === 'text') {
          firstAt ||= performance.now()
          change({ content: written.content + part.text })
          if (performance.now() - keptAt < keepEveryMs) continue
          keptAt = performance.now()
          this.keeper.turnChanged(turn.id)
        } else if (part.type === 'end') {
          change({ state: part.reason === 'length' ? 'cut' : 'done' })
        } else {
          const { promptTokens, completionTokens } = part
          const endedAt = performance.now()
          // An answer without a text never began to be written.
          firstAt ||= endedAt
          change({ facts: { promptTokens, completionTokens, firstTextMs: firstAt - sentAt, writingMs: endedAt - firstAt } })
        }
      }
    } catch (error) {
      change(controller.signal.aborted ? { state: 'stopped' } : { state: 'failed', failure: sentenceOf(error) })
    }
    this.keeper.turnChanged(turn.id)
  }

  #add(fields: Omit<Turn, 'id' | 'failure' | 'facts' | 'at'>): Turn {
    const turn: Turn = { ...fields, id: makeId(), failure: null, facts: null, at: Date.now() }
    this.#all.value = [...this.#all.peek(), turn]
    this.#leaf.value = turn.id
    if (this.title.peek() === '') this.title.value = turn.content.trim().replace(/\s+/g, ' ').slice(0, longestTitle) || 'Untitled'
    this.keeper.headChanged()
    this.keeper.turnChanged(turn.id)
    return turn
  }
}

/** 24 letters and digits at random; `crypto.randomUUID` is not there over plain HTTP. */
function makeId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(24)), (byte) => (byte % 36).toString(36)).join('')
}
