import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutText, findCuts } from './cut-text.ts'
import { vocabularyTypes } from './token-piece.ts'

const facts = { tokens: ['a', 'Ġa', 'ĠĠ'], tokenTypes: undefined, spelling: 'bytes', addsSpace: true } as const
const bytePair = findCuts({ ...facts, type: vocabularyTypes.bytePair })

test('text is split before the space between two words, and before lines that begin with a letter', () => {
  assert.deepEqual(cutText('one two  three. Four\nfive\n six', bytePair, 1), ['one', ' two  three.', ' Four\n', 'five\n six'])
})

test('a space that SentencePiece adds before each piece is left out', () => {
  const sentencePiece = findCuts({ ...facts, tokens: ['▁a', '▁▁'], spelling: 'spaces', type: vocabularyTypes.sentencePiece })
  assert.deepEqual(cutText('one two\nthree 4', sentencePiece, 1), ['one', 'two\nthree 4'])
})

test('a word of any length is split, at a mark if it has one, and never inside a character', () => {
  const { longest } = bytePair
  for (const unit of ['a', ' ', '\n', '🦊', 'e\u0301', '\u0301', '漢字。', '12,'])
    for (const shift of ['', 'x']) {
      const text = shift + unit.repeat(20_000)
      const stretches = cutText(text, bytePair, 2048)
      assert.equal(stretches.join(''), text)
      assert.ok(stretches.every((stretch) => stretch.length <= longest && stretch.isWellFormed()))
      assert.ok(stretches.length > 2)
      if (/[。,]/.test(unit)) assert.ok(stretches.slice(1).every((stretch) => /^[。,]/.test(stretch)))
      if (unit.startsWith('e')) assert.ok(stretches.slice(1).every((stretch) => stretch.startsWith('e')))
    }
})

test('control tokens that contain a space do not prevent splits; ordinary tokens that do prevent them', () => {
  const type = vocabularyTypes.bytePair
  const [normal, control] = [1, 3]
  assert.ok(findCuts({ ...facts, type, tokens: ['<|begin▁of|>', 'a'], tokenTypes: [control, normal] }).boundary)
  const cut = (tokens: readonly string[]) =>
    cutText('one two. Three> four\nfive > <six', findCuts({ ...facts, type, tokens, tokenTypes: tokens.map(() => normal) }), 1)
  assert.deepEqual(cut(['a', 'ofĠthe']), ['one two. Three> four\n', 'five > <six'])
  assert.deepEqual(cut(['a', '>Ġ<']), ['one', ' two.', ' Three> four\n', 'five > <six'])
  assert.deepEqual(cut(['a', 'bĊc']), ['one', ' two.', ' Three>', ' four\nfive', ' >', ' <six'])
  assert.deepEqual(cut(['a', '=Ġ', 'bĊÃ']), ['one', ' two.', ' Three> four\nfive > <six'], 'half a character after a line break matters')
  const everywhere = cut([])
  assert.deepEqual(cut(['a', 'ĊÂł', 'ĊĊãĢĢ', '.Ċ', 'Ġ', 'ĠĠ']), everywhere, 'spaces after a line break do not')
  assert.equal(everywhere.length, 7)
})

test('a word of a megabyte is split in linear time', () => {
  assert.ok(cutText('a'.repeat(2 ** 20), bytePair, 2048).length >= 128)
})
