import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tokenAttributes, tokenPiece } from './token-piece.ts'

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8')

test('a byte-pair token decodes to its bytes', () => {
  assert.equal(text(tokenPiece('ĠParis', 4, 'bytes')), ' Paris')
  assert.equal(text(tokenPiece('Ċ', 4, 'bytes')), '\n')
  assert.deepEqual([...tokenPiece('Ã', 4, 'bytes')], [0xc3])
})

test('a SentencePiece token decodes to its space and its bytes', () => {
  assert.equal(text(tokenPiece('\u2581Paris', 4, 'spaces')), ' Paris')
  assert.deepEqual([...tokenPiece('<0x0A>', tokenAttributes.byte, 'spaces')], [10])
})

test('a control token decodes to nothing, a user-defined token to itself', () => {
  assert.equal(tokenPiece('<|im_end|>', tokenAttributes.control, 'bytes').length, 0)
  assert.equal(text(tokenPiece('<think>', tokenAttributes.userDefined, 'bytes')), '<think>')
})

test('an unused token decodes to nothing', () => {
  const unused = 2
  for (const spelling of ['bytes', 'spaces', 'plain'] as const) assert.equal(tokenPiece('foo', unused, spelling).length, 0)
})
