import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bucketUrl } from './storage-urls.ts'

test('an address of a bucket becomes its parts, and is shown without its secret', () => {
  const parsed = bucketUrl.parse('https://key:s%2Fcret@s3.example:9000/outputs/?region=eu-central-1', '/')
  assert.ok('value' in parsed)
  const value = { endpoint: 'https://s3.example:9000', bucket: 'outputs', region: 'eu-central-1', accessKey: 'key', secretKey: 's/cret' }
  assert.deepEqual(parsed.value, value)
  assert.equal(bucketUrl.print(parsed.value), 'https://key:***@s3.example:9000/outputs?region=eu-central-1')
})

test('an invalid bucket address is rejected without being repeated', () => {
  for (const raw of [
    'ftp://key:hidden@host/bucket',
    'https://host/bucket',
    'https://key:hidden@host/',
    'https://key:hidden@host/a/b',
    'https://key:hidden@host/bucket?delete',
    'https://key:hidden@host/Bucket',
    'https://key:hidden@host/bucket#x',
    7,
  ]) {
    const parsed = bucketUrl.parse(raw, '/')
    assert.ok('fault' in parsed && !parsed.fault.includes('hidden'), String(raw))
  }
})

test('an invalid bucket name is rejected with the rule for names', () => {
  for (const name of ['b', 'My-Bucket', '-outputs', 'a/b']) {
    const parsed = bucketUrl.parse(`https://key:hidden@host/${name}`, '/')
    assert.ok('fault' in parsed && parsed.fault.startsWith('names no bucket; a bucket name has 3 to 63 lower-case letters'), name)
  }
})
