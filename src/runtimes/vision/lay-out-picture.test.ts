import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ProjectorFacts } from '../../core/gguf/projector-facts.ts'
import { layOutBlocks, layOutPicture, type Tile } from './lay-out-picture.ts'

const smolvlm: ProjectorFacts = {
  ...{
    family: 'idefics3',
    imageSize: 512,
    patchSize: 16,
    merge: 4,
    longestSide: 2048,
    tiledSizes: [],
    layers: 12,
    wholeEvery: null,
    heads: 12,
  },
  ...{ epsilon: 1e-6, activation: 'gelu', mean: [0.5, 0.5, 0.5], deviation: [0.5, 0.5, 0.5] },
}
const tilesOf = (width: number, height: number, facts = smolvlm): readonly Tile[] =>
  layOutPicture({ width, height }, facts).filter((part) => typeof part !== 'string')

suite('the layout of an image for a model', () => {
  test('rejects other formats, with the supported ones', async () => {
    const { signal } = new AbortController()
    const message = 'The image cannot be read: send a PNG, JPEG, WebP or GIF file in base64.'
    await assert.rejects(layOutBlocks(Buffer.from('no picture'), smolvlm, { signal }), { code: 'validation_error', message })
  })

  test('splits the enlarged image into tiles, followed by the whole', () => {
    const parts = layOutPicture({ width: 1000, height: 700 }, smolvlm)
    const texts = parts.filter((part) => typeof part === 'string')
    assert.equal(tilesOf(1000, 700).length, 13)
    assert.deepEqual(tilesOf(1000, 700)[0]?.scene.sizes, [
      { width: 2048, height: 1434 },
      { width: 2048, height: 1536 },
    ])
    assert.deepEqual(
      [texts[3], texts[4], texts.at(-2), texts.at(-1)],
      [
        '<fake_token_around_image><row_1_col_4>',
        '\n<fake_token_around_image><row_2_col_1>',
        '\n\n<fake_token_around_image><global-img>',
        '<fake_token_around_image>',
      ],
    )
  })

  test('keeps approximately the size if the file does not give one', () => {
    const tiles = tilesOf(1000, 700, { ...smolvlm, longestSide: null })
    assert.equal(tiles.length, 3)
    assert.deepEqual(tiles[0]?.scene, {
      ...{ sizes: [{ width: 732, height: 512 }], canvas: { width: 1024, height: 512 }, colour: [0, 0, 0], filter: 'bicubic' },
    })
  })

  test('keeps the aspect ratio in a square', () => {
    const [tile] = tilesOf(640, 480, { ...smolvlm, family: 'mlp', imageSize: 336, patchSize: 14 })
    assert.deepEqual(tile?.scene.sizes, [{ width: 336, height: 252 }])
  })

  test('splits an image larger than one tile into the tiles that show the most of it', () => {
    const tiledSizes = [
      { width: 336, height: 672 },
      { width: 672, height: 336 },
      { width: 672, height: 672 },
    ]
    const llava: ProjectorFacts = { ...smolvlm, family: 'mlp', imageSize: 336, patchSize: 14, tiledSizes }
    const wide = tilesOf(1000, 400, llava)
    assert.deepEqual(
      [wide.length, wide[0]?.scene.canvas, wide[0]?.scene.sizes],
      [3, { width: 672, height: 336 }, [{ width: 672, height: 269 }]],
    )
    assert.deepEqual(
      wide.map(({ left, top, scene }) => [left, top, scene.canvas.width]),
      [
        [0, 0, 672],
        [336, 0, 672],
        [0, 0, 336],
      ],
    )
    assert.equal(tilesOf(700, 690, llava).length, 5)
    assert.equal(tilesOf(300, 200, llava).length, 1)
  })

  test('keeps approximately the size if the model accepts any, in whole squares, within the limits', () => {
    const qwen: ProjectorFacts = { ...smolvlm, family: 'qwen2.5vl_merger', patchSize: 14, merge: 2 }
    const sizeOf = (width: number, height: number) => tilesOf(width, height, qwen)[0]?.scene.canvas
    assert.deepEqual(sizeOf(300, 90), { width: 308, height: 84 })
    assert.deepEqual(sizeOf(40, 30), { width: 112, height: 84 })
    assert.deepEqual(sizeOf(4000, 3000), { width: 2044, height: 1540 })
    assert.deepEqual(tilesOf(300, 90, qwen)[0]?.scene.sizes, [{ width: 280, height: 84 }])
  })

  test('rejects an image that is nearly a line', () => {
    assert.throws(() => layOutPicture({ width: 2001, height: 10 }, smolvlm), { code: 'validation_error', message: /more than 200 times/ })
    assert.equal(tilesOf(2000, 10).length, 5)
  })
})
