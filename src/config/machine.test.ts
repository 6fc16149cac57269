import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countPhysicalCores } from './machine.ts'

/** A machine whose cores have two threads each, as Linux numbers them: 0 and 4, 1 and 5, … */
function readMachine(allowed: string): (path: string) => string | null {
  return (path) => {
    if (path === '/proc/self/status') return `Name:\tnode\nCpus_allowed_list:\t${allowed}\nMems_allowed:\t1\n`
    const cpu = /cpu(\d+)\/topology/.exec(path)?.[1]
    return cpu === undefined ? null : `${Number(cpu) % 4},${(Number(cpu) % 4) + 4}\n`
  }
}

for (const [allowed, cores] of [
  ['0-7', 4],
  ['0-3', 4],
  ['0,4', 1],
  ['1-2,5-6', 2],
] as const)
  test(`of a machine with four cores of two threads each, ${allowed} are ${cores}`, () => {
    assert.equal(countPhysicalCores(readMachine(allowed)), cores)
  })

test('a system that does not report its cores has no number', () => {
  assert.equal(
    countPhysicalCores(() => null),
    null,
  )
  assert.equal(
    countPhysicalCores((path) => (path === '/proc/self/status' ? 'Cpus_allowed_list:\t0-1\n' : null)),
    null,
  )
})
