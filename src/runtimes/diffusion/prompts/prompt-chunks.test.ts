import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tinyFolder } from '../../../../test/support/model-files/tiny-image-model.ts'
import { readPromptWeights } from '../../../core/images/prompt-weights.ts'
import { loadClipTokenizer } from './load-tokenizer.ts'
import { promptChunks } from './prompt-chunks.ts'

const tokenizer = await loadClipTokenizer(tinyFolder, 'tokenizer')
const chunksOf = (prompt: string) => promptChunks(tokenizer, readPromptWeights(prompt))

test('each part between BREAKs is the same chunk as the part alone', () => {
  assert.deepEqual(chunksOf('a fox BREAK a (red:1.5) sky'), [...chunksOf('a fox'), ...chunksOf('a (red:1.5) sky')])
  assert.deepEqual(chunksOf('BREAK a fox'), [...chunksOf(''), ...chunksOf('a fox')])
})

test('an empty text is one chunk of full length, and start, end and padding have weight 1', () => {
  const [only, ...more] = chunksOf('')
  assert.deepEqual([only?.ids.length, more.length], [77, 0])
  const [weighted] = chunksOf('(fox:2)')
  const twos = weighted?.weights.filter((weight) => weight === 2).length
  assert.ok(twos !== undefined && twos > 0 && twos < 5)
  assert.deepEqual([weighted?.weights[0], weighted?.weights.at(-1)], [1, 1])
})
