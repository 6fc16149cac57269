import { makeBrokenError } from './upstream-error.ts'

/** The longest line that is read, in characters; no event of an honest server comes near it. */
const longestLine = 4 << 20
const byteOrderMark = '\uFEFF'

/**
 * The `data:` lines of a server-sent stream of UTF-8 text, without their prefix.
 *
 * @throws {ServiceError} `inference_failed` when a line does not end within 4 million characters.
 */
export async function* readDataLines(pieces: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let rest = ''
  for await (const piece of pieces) {
    const [end = '', ...begun] = piece.split('\n')
    rest += end
    if (rest.length > longestLine) throw makeBrokenError('sent a line that does not end')
    for (const next of begun) {
      yield* dataOf(rest)
      rest = next
    }
  }
  yield* dataOf(rest)
}

function dataOf(line: string): readonly string[] {
  if (line.startsWith('data:')) return [line.slice('data:'.length).trim()]
  return line.startsWith(byteOrderMark) ? dataOf(line.slice(byteOrderMark.length)) : []
}
