import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { follow, start } from '../../../../test/support/engines/followed-generation.ts'
import { CountingContext } from '../binding/counting-context.ts'
import { firstRowNumber, type PromptPicture, positionAt, rowPositions } from './prompt-pictures.ts'

const grid: PromptPicture = { start: 2, rows: 6, columns: 3, seesAround: false, vectors: new Float32Array(12) }
const line: PromptPicture = { ...grid, columns: null }
const numbers = Array.from({ length: 6 }, (_, row) => firstRowNumber + row)

suite('the rows of an image', () => {
  test('share no batch with tokens, and have the positions that the model expects', async () => {
    const { loop, context } = start(1)
    const { generation, released } = follow([1, 1, ...numbers, 1, 1, 1], { pictures: [line], limit: 1 })
    loop.submit(generation)
    await released
    assert.deepEqual(context.batches, ['0:2', '0:6 rows@2', '0:3'])
    await loop[Symbol.asyncDispose]()
  })

  test('leave every second batch to texts being generated', async () => {
    const { loop, context } = start(2)
    const writing = follow([1, 1], { limit: 4 })
    const long: PromptPicture = { ...line, start: 1, rows: 2000, vectors: new Float32Array(4000) }
    const seeing = follow([1, ...Array.from({ length: 2000 }, (_, row) => firstRowNumber + row), 1], { pictures: [long], limit: 1 })
    loop.submit(seeing.generation)
    loop.submit(writing.generation)
    await Promise.all([writing.released, seeing.released])
    const kinds = context.batches.map((batch) => (batch.includes('rows') ? 'rows' : 'tokens'))
    assert.deepEqual(kinds.slice(0, 6), ['tokens', 'rows', 'tokens', 'rows', 'tokens', 'rows'])
    await loop[Symbol.asyncDispose]()
  })

  test('are one batch if they attend to each other, and are reread as a whole', async () => {
    const context = new CountingContext()
    const { loop } = start(1, { context })
    const large: PromptPicture = { ...line, rows: 600, seesAround: true, vectors: new Float32Array(1200) }
    const rows = Array.from({ length: 600 }, (_, row) => firstRowNumber + row)
    for (const prompt of [
      [1, 1, ...rows, 1, 1],
      [1, 1, ...rows.slice(0, 300), ...rows.slice(0, 300).map((row) => row + 700), 1],
    ]) {
      const { generation, released } = follow(prompt, { pictures: [large], limit: 1 })
      loop.submit(generation)
      await released
    }
    assert.deepEqual(context.batches, ['0:2', '0:600 rows@2', '0:2', '0:600 rows@2', '0:1'])
    assert.deepEqual(context.removals, ['0:2'])
    await loop[Symbol.asyncDispose]()
  })

  test('take as many positions as the longer side of their grid, at their rows and columns', () => {
    const pictures = [grid, { ...grid, start: 10 }]
    assert.deepEqual(
      [0, 2, 5, 8, 9, 10, 16].map((place) => positionAt(pictures, place)),
      [0, 2, 2, 5, 6, 7, 10],
    )
    assert.deepEqual([...rowPositions(grid, 2, 4, 2)], [2, 2, 3, 3, 3, 4, 0, 0])
    assert.deepEqual([...rowPositions(line, 2, 4, 2)], [6, 7])
  })
})
