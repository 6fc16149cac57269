import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { assertRefused } from '../../../test/support/wire/assert-refused.ts'
import { pageOf, readPageQuery } from './page.ts'

suite('pages of a list in memory', () => {
  const entries = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id }))

  for (const [query, ids, more] of [
    [{ order: 'asc' }, ['a', 'b', 'c', 'd', 'e'], false],
    [{}, ['e', 'd', 'c', 'b', 'a'], false],
    [{ limit: '2' }, ['e', 'd'], true],
    [{ limit: '2', after: 'd' }, ['c', 'b'], true],
    [{ limit: '1', after: 'b', order: 'desc' }, ['a'], false],
    [{ limit: '2', after: 'c', order: 'asc' }, ['d', 'e'], false],
    [{ after: 'a' }, [], false],
  ] as const)
    test(`${JSON.stringify(query)} returns ${ids.join('')}${more ? ' and has more' : ''}`, () => {
      const page = pageOf(entries, readPageQuery(query, 'desc'), 'items')
      assert.deepEqual(page, {
        object: 'list',
        data: ids.map((id) => ({ id })),
        first_id: ids[0] ?? null,
        last_id: ids.at(-1) ?? null,
        has_more: more,
      })
    })

  for (const [param, value] of [
    ['limit', '0'],
    ['limit', '101'],
    ['limit', '-1'],
    ['limit', '1e2'],
    ['limit', ''],
    ['limit', ['2', '3']],
    ['after', 'a b'],
    ['after', ''],
    ['after', 'x'.repeat(129)],
    ['order', 'newest'],
  ] as const)
    test(`${param}=${value} is refused`, () => assertRefused(() => readPageQuery({ [param]: value }, 'asc'), { param }))

  test('an id that is not in the list is refused', () => {
    assertRefused(() => pageOf(entries, readPageQuery({ after: 'z' }, 'asc'), 'items'), { param: 'after', says: /one of the items/ })
  })
})
