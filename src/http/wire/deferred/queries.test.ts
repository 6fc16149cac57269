import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ServiceError } from '../../../core/error.ts'
import { readListQuery, readPollWait } from './queries.ts'

/** Expects a client error that names the parameter. */
function refuses(param: string): (error: unknown) => boolean {
  return (error) => error instanceof ServiceError && error.code === 'invalid_request_error' && error.param === param
}

describe('the query of the list of requests', () => {
  it('returns the twenty newest of all states by default', () => {
    assert.deepEqual(readListQuery({}), { status: null, limit: 20, after: null })
  })

  it('accepts every state, one to a hundred per page, and the last id of the previous page', () => {
    for (const status of ['pending', 'running', 'completed']) assert.equal(readListQuery({ status }).status, status)
    for (const limit of ['1', '100', '007']) assert.equal(readListQuery({ limit }).limit, Number(limit))
    assert.equal(readListQuery({ after: 'abc-DEF_1' }).after, 'abc-DEF_1')
  })

  for (const [param, values] of Object.entries({
    status: ['', 'Pending', 'cancelled', 'toString', '__proto__', ['pending', 'running'], 'pending,running'],
    limit: ['0', '101', '1000', '-1', '1.5', '1e2', '', ' 5', 'ten', '0x10', '９', ['5', '6']],
    after: ['', '../x', 'a b', "a'--", 'a\n', 'é', 'a'.repeat(129), ['a', 'b'], '%00'],
  }))
    for (const value of values)
      it(`refuses ${param}=${JSON.stringify(value).slice(0, 40)} by name`, () =>
        assert.throws(() => readListQuery({ [param]: value }), refuses(param)))
})

describe('the wait of a poll', () => {
  for (const [wait, ms] of [
    ['0', 0],
    ['1', 1000],
    ['0.5', 500],
    ['60', 60_000],
    ['60.000', 60_000],
    ['00', 0],
  ] as const)
    it(`?wait=${wait} is ${ms} ms, and not a preference`, () => assert.deepEqual(readPollWait(wait, 'wait=9'), { ms, preferred: false }))

  for (const wait of [
    '61',
    '60.001',
    '-1',
    '',
    ' 1',
    '1s',
    '1e1',
    '.5',
    '5.',
    'NaN',
    'Infinity',
    '0x1',
    '1,5',
    '9999999',
    ['1', '2'],
    true,
    5,
  ])
    it(`refuses ?wait=${JSON.stringify(wait)} by name`, () => assert.throws(() => readPollWait(wait, undefined), refuses('wait')))

  for (const [header, ms, preferred] of [
    [undefined, 0, false],
    ['wait=10', 10_000, true],
    ['respond-async, wait=10', 10_000, true],
    ['wait="10"', 10_000, true],
    ['WAIT=10', 10_000, true],
    ['wait=0', 0, true],
    // A preference that is too large is reduced to the limit, and an invalid one ignored.
    ['wait=61', 60_000, true],
    ['wait=999999', 60_000, true],
    ['wait', 0, false],
    ['wait=', 0, false],
    ['wait=-1', 0, false],
    ['wait=1.5', 0, false],
    ['wait=9999999', 0, false],
    ['wait=soon', 0, false],
    ['waiting=5', 0, false],
  ] as const)
    it(`Prefer: ${header} is ${ms} ms`, () => assert.deepEqual(readPollWait(undefined, header), { ms, preferred }))
})
