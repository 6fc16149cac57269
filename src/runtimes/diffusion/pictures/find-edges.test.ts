import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findEdges } from './find-edges.ts'

/** A grey image computed by a function. */
function draw(width: number, height: number, colour: (x: number, y: number) => number) {
  return {
    width,
    height,
    data: Uint8Array.from({ length: width * height * 3 }, (_, i) => colour(Math.floor(i / 3) % width, Math.floor(i / 3 / width))),
  }
}

const lit = (picture: ReturnType<typeof findEdges>) =>
  [...picture.data.keys()]
    .filter((i) => i % 3 === 0 && picture.data[i] === 255)
    .map((i) => [(i / 3) % picture.width, Math.floor(i / 3 / picture.width)])

test('an edge in brightness becomes one line, one pixel wide', () => {
  const edges = lit(findEdges(draw(12, 8, (x) => (x < 6 ? 0 : 255))))
  assert.equal(new Set(edges.map(([x]) => x)).size, 1)
  assert.equal(edges.length, 8)
})

test('a uniform image and a faint edge have no lines', () => {
  assert.deepEqual(lit(findEdges(draw(8, 8, () => 128))), [])
  assert.deepEqual(lit(findEdges(draw(8, 8, (x) => (x < 4 ? 100 : 120)))), [])
})

test('a weak line is kept if it continues a strong one', () => {
  const fading = (x: number, y: number) => (x < 6 ? 100 : y < 10 ? 200 : 140)
  const rows = lit(findEdges(draw(12, 20, fading))).filter(([x]) => x === 5 || x === 6)
  assert.ok(rows.some(([, y]) => (y ?? 0) > 15))
  assert.deepEqual(lit(findEdges(draw(12, 20, (x) => (x < 6 ? 100 : 140)))), [])
})
