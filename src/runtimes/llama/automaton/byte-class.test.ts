import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ByteClass, ByteClasses } from './byte-class.ts'

/** Whether a class accepts a character. */
function accepts(bytes: ByteClass, code: number): boolean {
  let open: readonly (ByteClass | null)[] = [bytes]
  for (const byte of Buffer.from(String.fromCodePoint(code)))
    open = open.flatMap((at) => at?.edges ?? []).flatMap(({ low, high, rest }) => (low <= byte && byte <= high ? [rest] : []))
  return open.includes(null)
}

const ends = [
  0, 0x41, 0x7f, 0x80, 0xbf, 0xc0, 0x7ff, 0x800, 0xfff, 0x1000, 0xd7ff, 0xe000, 0xfffd, 0xffff, 0x10000, 0x3ffff, 0x40000, 0x10ffff,
]
const probes = [...new Set(ends.flatMap((code) => [code - 1, code, code + 1]))].filter(
  (code) => code >= 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff),
)

test('accepts exactly the characters of a range in UTF-8', () => {
  for (const low of ends)
    for (const high of ends.filter((end) => end >= low)) {
      const bytes = new ByteClasses().of([[low, high]])
      const expected = probes.filter((code) => low <= code && code <= high)
      assert.deepEqual(
        probes.filter((code) => accepts(bytes, code)),
        expected,
        `${low.toString(16)}-${high.toString(16)}`,
      )
    }
})
