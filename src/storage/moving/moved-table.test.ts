import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Row } from '../rows/row.ts'
import { type MovedTable, movedTables, portable, RowHash, readPages } from './moved-table.ts'

const numbers: MovedTable = { name: 'numbers', key: ['id'], columns: ['id', 'value'] }

/** Reads a table page by page whose ids are these; returns the sizes of the pages and the read ids. */
async function read(rows: number) {
  const requests: (Row | null)[] = []
  const pages = await Array.fromAsync(
    readPages(async (_table, after, limit) => {
      requests.push(after)
      const from = after === null ? 0 : Number(after.id) + 1
      return Array.from({ length: Math.min(limit, rows - from) }, (_, at) => ({ id: from + at }))
    }, numbers),
  )
  return { sizes: pages.map(({ length }) => length), ids: pages.flat().map(({ id }) => id), requests: requests.length }
}

function sumOf(...rows: readonly Row[]): { readonly count: number; readonly sha256: string } {
  const hash = new RowHash(numbers)
  hash.add(rows)
  return hash.sum()
}

suite('tables that move between stores', () => {
  test('each table has a key of its own columns, and each name is there once', () => {
    for (const { name, key, columns } of movedTables) {
      assert.ok(key.length > 0 && key.every((column) => columns.includes(column)), name)
      assert.equal(new Set(columns).size, columns.length, name)
    }
    assert.equal(new Set(movedTables.map(({ name }) => name)).size, movedTables.length)
  })

  test('every row is read once, whether or not the last page is full', async () => {
    for (const [rows, sizes, requests] of [
      [0, [], 1],
      [1, [1], 1],
      [200, [200], 2],
      [450, [200, 200, 50], 3],
    ] as const)
      assert.deepEqual(await read(rows), { sizes, ids: Array.from({ length: rows }, (_, at) => at), requests })
  })

  test('values are the same from either store', () => {
    for (const [value, expected] of [
      [Uint8Array.of(0, 255).subarray(1), '\\xff'],
      ['a\0b', 'a\uFFFDb'],
      [true, 1],
      [false, 0],
      [undefined, null],
      [null, null],
      [1.5, 1.5],
      ['', ''],
    ] as const)
      assert.deepEqual(portable(value), expected)
    assert.deepEqual(sumOf({ id: 1, value: true, other: 'x' }), sumOf({ value: 1, id: 1 }))
  })

  test('a sum counts rows and changes with their content and order', () => {
    const [a, b] = [
      { id: 1, value: 'a' },
      { id: 2, value: 'b' },
    ]
    const inPages = new RowHash(numbers)
    inPages.add([a])
    inPages.add([b])
    assert.deepEqual(inPages.sum(), sumOf(a, b))
    assert.equal(sumOf(a, b).count, 2)
    const others = [sumOf(b, a), sumOf(a), sumOf(a, { id: 2, value: 'c' }), sumOf(a, { id: 2, value: null })]
    for (const { sha256 } of others) assert.notEqual(sha256, sumOf(a, b).sha256)
  })
})
