import assert from 'node:assert/strict'
import { test } from 'node:test'
import { printable, printableLine, textTable } from './printed-text.ts'

const hostile: readonly (readonly [what: string, text: string, shown: string])[] = [
  ['an escape sequence that clears the screen', 'a\u001b[2Jb', 'a\\u001b[2Jb'],
  ['a bell and a backspace', '\u0007\b', '\\u0007\\u0008'],
  ['a return that writes over the line', 'safe\revil', 'safe\\u000devil'],
  ['an eight-bit control sequence', '\u009b31m', '\\u009b31m'],
  ['text that turns its direction', 'gpj.\u202Eexe', 'gpj.\\u202eexe'],
  ['an isolate', '\u2066x\u2069', '\\u2066x\\u2069'],
  ['a tab, which would break columns', 'a\tb', 'a\\u0009b'],
]

for (const [what, text, shown] of hostile)
  test(`shows ${what} instead of executing it`, () => {
    assert.equal(printable(text), shown)
    assert.equal(printableLine(text), shown)
  })

test('keeps all scripts and emoji', () => {
  for (const text of ['Zoë', 'שלום', 'مرحبا', '日本語', '👩‍👩‍👧', 'a\u00a0b']) assert.equal(printable(text), text)
})

test('keeps line breaks only in multi-line texts', () => {
  assert.equal(printable('a\nb'), 'a\nb')
  assert.equal(printableLine('a\nb'), 'a\\u000ab')
})

test('a cell of a table cannot add a row to it', () => {
  const table = textTable(['ID', 'NAME'], [['a1', 'Mallory\na2  owner']])
  assert.equal(table.split('\n').length, 2)
})

test('columns are aligned with their headings, and no line ends in spaces', () => {
  const rows = [
    ['a', 'long cell', 'x'],
    ['bbbb', '', ''],
  ]
  assert.equal(textTable(['ID', 'NAME', 'Z'], rows), 'ID    NAME       Z\na     long cell  x\nbbbb')
  assert.equal(textTable(['ID'], []), '')
})
