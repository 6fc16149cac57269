import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxConnections, maxDescriptors, warnOfDescriptors } from './file-descriptors.ts'

const limits = (open: string) =>
  `Limit                     Soft Limit           Hard Limit           Units\nMax open files            ${open}                 4096                 files\n`

test('the limit of open files is the one Linux reports; elsewhere there is none', () => {
  const missing = (): string => {
    throw new Error('ENOENT')
  }
  assert.deepEqual(
    [maxDescriptors(() => limits('1024')), maxDescriptors(() => limits('unlimited')), maxDescriptors(missing)],
    [1024, null, null],
  )
})

test('connections leave descriptors for the service, and a limit below what the settings allow is reported with the fix', () => {
  assert.deepEqual([256, 1024, 65_536, 10, null].map(maxConnections), [144, 720, 49_104, 8, null])
  assert.match(warnOfDescriptors(1024, 1000) ?? '', /1024 files at once \(nofile\), which leaves 720 connections.*raise it to 1398 or more/)
  assert.equal(warnOfDescriptors(1398, 1000), null)
  assert.equal(warnOfDescriptors(null, 1000), null)
})
