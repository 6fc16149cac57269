import { backslash, type Code, type Construct, dollar, type Extension, type State, type Tokenizer } from './math-in-text.ts'

/** The brackets of `\(` and `\[`. */
const brackets: readonly Code[] = [40, 91]

/**
 * Formulas that are open at the end of a growing text: `\(…`, `\[…` and `$$…`. They have no value. Each is read up to the next delimiter of
 * its kind, so a text takes linear time. Closed formulas in brackets must be tried first.
 */
export function openMathInText(text: string): Extension {
  const tokenize = tokenizeUntil(text.trimEnd().length)
  const previous = (code: Code) => code !== dollar
  return {
    text: {
      [dollar]: { name: 'openDollarMath', tokenize, previous } satisfies Construct,
      [backslash]: { name: 'openBracketMath', tokenize } satisfies Construct,
    },
  }
}

/** @param end Offset of the end of the text. */
function tokenizeUntil(end: number): Tokenizer {
  return function (effects, ok, nok) {
    let before: Code = null
    let mark: Code = null
    const offset = () => this.now().offset
    return (first) => {
      before = first
      effects.enter('mathText')
      effects.enter('mathTextSequence')
      effects.consume(first)
      return open
    }

    function open(code: Code): State | undefined {
      if (before === dollar ? code !== dollar : !brackets.includes(code)) return nok(code)
      mark = code
      before = null
      effects.consume(code)
      effects.exit('mathTextSequence')
      return (next) => (mark === dollar && next === dollar ? nok(next) : inside(next))
    }

    function inside(code: Code): State | undefined {
      if (code === null) return offset() >= end ? close(code) : nok(code)
      // A backslash that follows another one begins no bracket.
      const isMark = code === mark && before === (mark === dollar ? dollar : backslash)
      if (isMark) return nok(code)
      before = before === backslash && code === backslash ? null : code
      const type = code < -2 ? 'lineEnding' : 'mathTextSequence'
      effects.enter(type)
      effects.consume(code)
      effects.exit(type)
      return inside
    }

    function close(code: Code): State | undefined {
      effects.exit('mathText')
      return ok(code)
    }
  }
}
