import type { FieldFault } from '../../../core/error.ts'
import { nestsDeeperThan } from '../../../core/text/json-shape.ts'
import { fieldFault } from '../../faults/refuse-faults.ts'
import { jsonBounds } from '../../json/parse-json.ts'

/** Limit of the characters of all calls' arguments together: more than any context holds, and read in 16 ms. */
const longestArguments = 2_000_000

/** Checks the arguments of every call of a conversation, because templates re-serialize their parsed values. */
export class CallArguments {
  #length = 0

  /** Whether all arguments together are too long. Further ones are then not parsed. */
  get tooLong(): boolean {
    return this.#length > longestArguments
  }

  /** Checks the arguments of another call. */
  check(text: string, path: FieldFault['path']): readonly FieldFault[] {
    this.#length += text.length
    if (this.tooLong)
      return [fieldFault(path, `must leave at most ${longestArguments} characters of arguments in all messages together.`, 'range')]
    if (nestsDeeperThan(jsonBounds.depth, Buffer.from(text)))
      return [fieldFault(path, `must nest at most ${jsonBounds.depth} levels deep.`, 'range')]
    return []
  }
}
