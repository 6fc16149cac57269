import type { math } from 'micromark-extension-math'

export type Extension = ReturnType<typeof math>
export type Construct = Exclude<NonNullable<NonNullable<Extension['text']>[string]>, readonly unknown[]>
export type Tokenizer = Construct['tokenize']
export type State = ReturnType<Tokenizer>
export type Code = Parameters<State>[0]

/** The character code of `$`. */
export const dollar = 36
/** The character code of the backslash. */
export const backslash = 92
const space = 32

/** The closing delimiters of `\(…\)` and `\[…\]`. */
const closing: Readonly<Record<number, number>> = { 40: 41, 91: 93 }

/**
 * Inline formulas as models write them: `\(…\)`, `\[…\]`, and `$…$` without blanks inside the delimiters and without a digit behind, so that
 * prices are not formulas. Each is parsed up to the next delimiter of its kind, so a text takes linear time.
 */
export const mathInText: Extension = {
  text: {
    [dollar]: { name: 'dollarMath', tokenize: tokenizeDollars, previous: (code) => code !== dollar } satisfies Construct,
    [backslash]: { name: 'bracketMath', tokenize: tokenizeBrackets } satisfies Construct,
  },
}

function tokenizeDollars(...[effects, ok, nok]: Parameters<Tokenizer>): State {
  let last: Code = null
  return (code) => {
    effects.enter('mathText')
    effects.enter('mathTextSequence')
    effects.consume(code)
    effects.exit('mathTextSequence')
    return (first) => (first === dollar || isBlank(first) ? nok(first) : inside(first))
  }

  function inside(code: Code): State | undefined {
    if (code === null) return nok(code)
    if (code === dollar && last !== backslash) return isBlank(last) ? nok(code) : close(code)
    return piece(effects, code, (next) => {
      last = code
      return inside(next)
    })
  }

  function close(code: Code): State | undefined {
    effects.enter('mathTextSequence')
    effects.consume(code)
    effects.exit('mathTextSequence')
    effects.exit('mathText')
    return (after) => (after === dollar || isDigit(after) ? nok(after) : ok(after))
  }
}

function tokenizeBrackets(...[effects, ok, nok]: Parameters<Tokenizer>): State {
  let open: Code = null
  return (code) => {
    effects.enter('mathText')
    effects.enter('mathTextSequence')
    effects.consume(code)
    return (bracket) => {
      if (bracket === null || closing[bracket] === undefined) return nok(bracket)
      open = bracket
      effects.consume(bracket)
      effects.exit('mathTextSequence')
      return inside
    }
  }

  function inside(code: Code): State | undefined {
    if (code === null) return nok(code)
    if (code !== backslash) return piece(effects, code, inside)
    return effects.attempt({ tokenize: tokenizeEnd, partial: true }, ok, command)(code)
  }

  /** A backslash in a formula and the character after it, which may be a backslash too. */
  function command(code: Code): State | undefined {
    return piece(effects, code, (next) => {
      if (next === null || next === open) return nok(next)
      return piece(effects, next, inside)
    })
  }

  function tokenizeEnd(...[effects, ok, nok]: Parameters<Tokenizer>): State {
    return (code) => {
      effects.enter('mathTextSequence')
      effects.consume(code)
      return (bracket) => {
        if (open === null || bracket !== closing[open]) return nok(bracket)
        effects.consume(bracket)
        effects.exit('mathTextSequence')
        effects.exit('mathText')
        return ok
      }
    }
  }
}

/** Consumes one character of a formula: a line ending or text. */
function piece(effects: Parameters<Tokenizer>[0], code: Code, next: State): State {
  const type = isLineEnd(code) ? 'lineEnding' : 'mathTextData'
  effects.enter(type)
  effects.consume(code)
  effects.exit(type)
  return next
}

/** micromark's codes of line endings and of expanded tabs are negative. */
function isLineEnd(code: Code): boolean {
  return code !== null && code < -2
}

function isBlank(code: Code): boolean {
  return code === null || code < 0 || code === space
}

function isDigit(code: Code): boolean {
  return code !== null && code >= 48 && code <= 57
}
