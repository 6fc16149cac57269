import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findPlaces } from './connection.ts'

test('each mention of a parameter gets its own place', () => {
  assert.deepEqual(findPlaces('select * from a where b = :id and (:from is null or c >= :from)'), {
    sql: 'select * from a where b = ? and (? is null or c >= ?)',
    names: ['id', 'from', 'from'],
  })
})

test('texts, names and comments contain no parameters', () => {
  const sql = `select ':no', 'it''s :no', ":no" -- :no
    from a where b = :yes`
  assert.deepEqual(findPlaces(sql).names, ['yes'])
  assert.equal(findPlaces(sql).sql, sql.replace(':yes', '?'))
})
