import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSafetensorsHeader, SafetensorsFault } from './safetensors-header.ts'

/** A file with this header and so many bytes of numbers. */
function fileOf(header: string | object, dataBytes: number, length?: bigint): Uint8Array {
  const text = Buffer.from(typeof header === 'string' ? header : JSON.stringify(header))
  const start = Buffer.alloc(8)
  start.writeBigUInt64LE(length ?? BigInt(text.length))
  return Buffer.concat([start, text, Buffer.alloc(dataBytes)])
}

function read(file: Uint8Array) {
  return readSafetensorsHeader(async (offset, bytes) => file.subarray(offset, offset + bytes), file.length)
}

const f32 = (shape: readonly number[], from: number, to: number) => ({ dtype: 'F32', shape, data_offsets: [from, to] })

test('offsets and texts are read, including empty tensors and scalars', async () => {
  const file = fileOf(
    { __metadata__: { format: 'pt', number: 7 }, v_pred: f32([0], 0, 0), a: f32([2, 3], 0, 24), scalar: f32([], 24, 28) },
    28,
  )
  const { tensors, metadata } = await read(file)
  const begin = file.length - 28
  assert.deepEqual(tensors.get('a'), { type: 'F32', shape: [2, 3], offset: begin, bytes: 24 })
  assert.deepEqual(tensors.get('scalar'), { type: 'F32', shape: [], offset: begin + 24, bytes: 4 })
  assert.deepEqual(tensors.get('v_pred')?.shape, [0])
  assert.deepEqual([...metadata], [['format', 'pt']])
})

const notes = (count: number) => Array.from({ length: count }, (_, at) => `"${at}":"v"`).join()

const hostile: readonly (readonly [string, Uint8Array, RegExp])[] = [
  ['an empty file', new Uint8Array(0), /too short/],
  ['a pickle in a zip', Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(100)]), /pickle/],
  ['an old pickle', Buffer.concat([Buffer.from([0x80, 2]), Buffer.alloc(100)]), /pickle/],
  ['a header longer than the file', fileOf('{}', 0, 1_000_000n), /longer than the file/],
  ['a header of the largest length', fileOf('{}', 0, 2n ** 64n - 1n), /longer than the file/],
  ['a header that is not text', fileOf('\u0000\u0000', 0), /not JSON/],
  ['a list', fileOf('[]', 0), /not a JSON object/],
  ['a number for a tensor', fileOf({ a: 3 }, 0), /no entry for "a"/],
  ['an unknown type', fileOf({ a: { dtype: 'Q4', shape: [1], data_offsets: [0, 1] } }, 1), /unknown type "Q4"/],
  [
    'a type named after a member of every object',
    fileOf({ a: { dtype: 'toString', shape: [1], data_offsets: [0, 1] } }, 1),
    /unknown type/,
  ],
  ['a negative size', fileOf({ a: f32([-1], 0, -4) }, 0), /sound shape/],
  ['a fractional size', fileOf({ a: f32([0.5], 0, 2) }, 2), /sound shape/],
  ['sizes beyond safe integers', fileOf('{"a":{"dtype":"F32","shape":[1e300],"data_offsets":[0,4]}}', 4), /sound shape/],
  ['sizes whose product overflows', fileOf({ a: f32([2 ** 52, 2 ** 52, 2 ** 52], 0, 4) }, 4), /span 4 bytes/],
  ['too many dimensions', fileOf({ a: f32([1, 1, 1, 1, 1, 1, 1, 1, 1], 0, 4) }, 4), /sound shape/],
  ['one offset', fileOf({ a: { dtype: 'F32', shape: [1], data_offsets: [0] } }, 4), /two offsets/],
  ['reversed offsets', fileOf({ a: f32([1], 4, 0) }, 4), /span -4 bytes/],
  ['a shape that needs more than its offsets', fileOf({ a: f32([2], 0, 4) }, 4), /span 4 bytes where its shape needs 8/],
  ['overlapping tensors', fileOf({ a: f32([2], 0, 8), b: f32([2], 4, 12) }, 12), /"b" that overlaps/],
  ['two tensors in one place', fileOf({ a: f32([1], 0, 4), b: f32([1], 0, 4) }, 4), /overlaps/],
  ['a gap', fileOf({ a: f32([1], 0, 4), b: f32([1], 8, 12) }, 12), /gap before its tensor "b"/],
  ['offsets beyond the end', fileOf({ a: f32([4], 0, 16) }, 8), /cut short: it has/],
  ['endless brackets', fileOf('['.repeat(1_000_000), 0), /nests more than 8 levels deep/],
  ['a million metadata entries', fileOf(`{"__metadata__":{${notes(1_000_000)}}}`, 0), /too many tensors or notes/],
  ['a million values', fileOf(`{"a":[${'0,'.repeat(1_000_000)}0]}`, 0), /too many tensors or notes/],
  ['a million tensors with the same name', fileOf(`{${'"a":{},'.repeat(1_000_000)}"a":{}}`, 0), /too many tensors or notes/],
  [
    'a tensor that is named twice',
    fileOf(`{"a":${JSON.stringify(f32([1], 0, 4))},"\\u0061":${JSON.stringify(f32([1], 0, 4))}}`, 4),
    /holds a name twice/,
  ],
  ['a tensor with two shapes', fileOf('{"a":{"dtype":"F32","shape":[9],"shape":[1],"data_offsets":[0,4]}}', 4), /holds a name twice/],
  ['a name of a megabyte', fileOf({ ['a'.repeat(1_000_000)]: f32([1], 0, 4) }, 4), /name of more than 1024 bytes/],
  ['bytes that belong to no tensor', fileOf({ a: f32([1], 0, 4) }, 100), /96 bytes that its header does not name/],
]

for (const [what, file, expected] of hostile) {
  test(`rejects ${what}`, async () => {
    await assert.rejects(read(file), (error) => error instanceof SafetensorsFault && expected.test(error.message))
  })
}

test('rejects a header that would take seconds to parse, without reading it', async () => {
  const start = Buffer.alloc(8)
  start.writeBigUInt64LE(17n * 1024n * 1024n)
  let bytesRead = 0
  const reading = readSafetensorsHeader(async (_, bytes) => {
    bytesRead += bytes
    return start
  }, 1e9)
  await assert.rejects(reading, /at most 16777216/)
  assert.equal(bytesRead, 8)
})

test('a long name in the file does not flood the message', async () => {
  await assert.rejects(read(fileOf({ ['x'.repeat(10_000)]: 3 }, 0)), (error: Error) => error.message.length < 200)
})

test('metadata of many megabytes and the tensors of the largest models are read', async () => {
  const tensors = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`model.layers.${at}.weight`, f32([1], at * 4, at * 4 + 4)]))
  const { metadata, tensors: read20k } = await read(fileOf({ __metadata__: { tags: 'x'.repeat(5_000_000) }, ...tensors }, 80_000))
  assert.deepEqual([metadata.get('tags')?.length, read20k.size], [5_000_000, 20_000])
})
