import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { Turn } from '../../../../../core/chat/conversation.ts'
import { makeId } from '../../../browser/make-id.ts'
import { allBelow, newestBelow, pathTo, versionsByMessage } from './turn-tree.ts'

/** The messages of a conversation in all versions, and the shown version of each. */
export class ConversationTurns {
  /** The shown version of each message, first to last. */
  readonly shown: ReadonlySignal<readonly Turn[]>
  readonly #all: Signal<readonly Turn[]>
  readonly #leaf: Signal<string | null>
  readonly #versions: ReadonlySignal<ReturnType<typeof versionsByMessage>>

  constructor(turns: readonly Turn[], leaf: string | null) {
    this.#all = signal(turns)
    this.#leaf = signal(leaf)
    this.#versions = computed(() => versionsByMessage(this.#all.value))
    this.shown = computed(() => pathTo(this.#all.value, this.#leaf.value))
    this.#findLeaf()
  }

  /** All messages, in the order in which they were begun. */
  get all(): readonly Turn[] {
    return this.#all.peek()
  }

  /** The last shown message; null = none. */
  get leaf(): string | null {
    return this.#leaf.peek()
  }

  set leaf(id: string | null) {
    this.#leaf.value = id
  }

  find(id: string): Turn | undefined {
    return this.#all.value.find((turn) => turn.id === id)
  }

  /** All versions of a message, oldest first. */
  versions(turn: Pick<Turn, 'parent' | 'role'>): readonly Turn[] {
    return this.#versions.value(turn)
  }

  /** The messages from the first to this one. */
  pathTo(id: string | null): readonly Turn[] {
    return pathTo(this.all, id)
  }

  /** Replaces the messages. The same last message stays shown if it still exists. */
  takeOver(turns: readonly Turn[], leaf = this.leaf): void {
    batch(() => {
      this.#all.value = turns
      this.#leaf.value = leaf
      this.#findLeaf()
    })
  }

  /** Adds a message, and shows it. */
  add(fields: Omit<Turn, 'id' | 'failure' | 'facts' | 'at'>): Turn {
    // Messages are ordered by time, so two must not have the same one.
    const at = Math.max(Date.now(), (this.all.at(-1)?.at ?? 0) + 1)
    const turn: Turn = { ...fields, id: makeId(), failure: null, facts: null, at }
    this.#all.value = [...this.all, turn]
    this.leaf = turn.id
    return turn
  }

  replace(turn: Turn): void {
    this.#all.value = this.all.map((each) => (each.id === turn.id ? turn : each))
  }

  /** Shows a version of a message, with the newest messages below it. */
  show(id: string): void {
    this.leaf = newestBelow(this.all, id)
  }

  /**
   * Removes a message and all below it.
   *
   * @returns the removed messages, and a function that restores them.
   */
  remove(turn: Turn): { readonly gone: readonly Turn[]; readonly undo: () => void } {
    const gone = allBelow(this.all, turn.id)
    const before = this.leaf
    this.#all.value = this.all.filter((each) => !gone.includes(each))
    const other = this.versions(turn).at(-1)
    if (other === undefined) this.leaf = turn.parent
    else this.show(other.id)
    return { gone, undo: () => this.takeOver([...this.all, ...gone], before) }
  }

  /** Shows the newest message when the last shown one is deleted or has not arrived yet. */
  #findLeaf(): void {
    if (!this.all.some(({ id }) => id === this.leaf)) this.leaf = this.all.at(-1)?.id ?? null
  }
}
