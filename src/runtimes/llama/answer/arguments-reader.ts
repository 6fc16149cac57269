import { JsonScanner } from '../grammar/json-scanner.ts'

/** Characters up to a call's arguments, or up to the value of one; names have far fewer. */
export const longestHead = 1024

/** A fragment's addition to a call's arguments. */
export interface ReadArguments {
  /** JSON, the next part of it. */
  readonly json: string
  /** Text after the arguments; empty while they continue. */
  readonly rest: string
}

/** Reads the arguments of one call while they arrive in fragments. */
export interface ArgumentsReader {
  /** Whether they go on. */
  readonly open: boolean
  add(fragment: string): ReadArguments
}

/** Arguments that are JSON already. */
export class JsonArguments implements ArgumentsReader {
  readonly #scanner = new JsonScanner()
  #begun = false

  get open(): boolean {
    return this.#scanner.open
  }

  add(received: string): ReadArguments {
    const fragment = this.#begun ? received : received.trimStart()
    this.#begun ||= fragment !== ''
    const count = this.#scanner.add(fragment)
    return { json: fragment.slice(0, count), rest: fragment.slice(count) }
  }
}
