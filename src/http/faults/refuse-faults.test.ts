import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultsError, imageFaultCodes } from './refuse-faults.ts'

const fault = (field: string, message: string) => ({ path: [field], message, kind: 'range' })

test('a fault of several fields is reported once', () => {
  const together = ['num_images', 'width', 'height'].map((field) => fault(field, 'They come to too many pixels.'))
  const error = faultsError(together, imageFaultCodes)
  assert.equal(error.message, 'They come to too many pixels.')
  assert.equal(error.faults?.length, 3)
  const more = faultsError([...together, fault('steps', '`steps` must be an integer.')], imageFaultCodes)
  assert.equal(more.message, '4 fields need a change: They come to too many pixels; `steps` must be an integer.')
})

test('only the first of many faults are reported', () => {
  const error = faultsError(
    Array.from({ length: 8 }, (_, index) => fault(`a${index}`, `\`a${index}\` is unknown.`)),
    imageFaultCodes,
  )
  assert.match(error.message, /^8 fields need a change: .*`a4` is unknown; and 3 more\.$/)
})
