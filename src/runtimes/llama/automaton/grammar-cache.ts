import { ServiceError } from '../../../core/error.ts'
import { keepNewest } from '../../../core/keep-newest.ts'
import { EffortSpent } from './effort.ts'
import type { GrammarAllowance } from './grammar-allowance.ts'
import { GrammarFault } from './grammar-fault.ts'
import { GrammarFollower } from './grammar-follower.ts'
import { type SpelledTokens, TokenGrammar } from './token-grammar.ts'

const maxGrammars = 16
/** Characters of one grammar. */
const longestGrammar = 256 * 1024

/** Units of work to read a character of a grammar. */
const perCharacter = 4

/** Keeps the grammars used last, so that choices and requests that ask for the same one share what was found out about it. */
export class GrammarCache {
  readonly #tokens: () => SpelledTokens
  readonly #allowance: GrammarAllowance
  /** Least recently used first. */
  readonly #grammars = new Map<string, TokenGrammar>()

  constructor(tokens: () => SpelledTokens, allowance: GrammarAllowance) {
    this.#tokens = tokens
    this.#allowance = allowance
  }

  /**
   * Begins an answer in a grammar.
   *
   * @param param The request field of the grammar.
   * @param endWithin Maximum tokens of a complete answer; absent = it may be cut.
   * @throws {ServiceError} `unsupported_parameter` if it is not supported, `rate_limit_exceeded` if the account's grammars caused too much
   * work.
   */
  follow(
    text: string,
    {
      param,
      account,
      endWithin = Number.POSITIVE_INFINITY,
    }: { readonly param: string; readonly account: string; readonly endWithin?: number },
  ): GrammarFollower {
    const charge = (units: number): void => this.#allowance.charge(account, units)
    let grammar = this.#grammars.get(text)
    if (grammar === undefined) {
      this.#allowance.require(account, param)
      charge(perCharacter * text.length)
      grammar = this.#read(text, param)
    }
    keepNewest(this.#grammars, text, grammar, maxGrammars)
    return new GrammarFollower(grammar, { param, endWithin, charge })
  }

  #read(text: string, param: string): TokenGrammar {
    if (text.length > longestGrammar)
      throw refuse(param, `it makes a grammar of ${text.length} characters, at most ${longestGrammar} are allowed`)
    try {
      return new TokenGrammar(text, this.#tokens())
    } catch (cause) {
      if (cause instanceof GrammarFault) throw refuse(param, cause.message, cause)
      if (cause instanceof EffortSpent) throw refuse(param, 'its beginning is too ambiguous', cause)
      throw cause
    }
  }
}

function refuse(param: string, reason: string, cause?: Error): ServiceError {
  return new ServiceError('unsupported_parameter', `The grammar of ${param} cannot be followed: ${reason}.`, { param, cause })
}
