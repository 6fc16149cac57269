import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ServiceError } from '../../../core/error.ts'
import { decodeBase64, decodeImage } from './decode-image.ts'

const options = { signal: new AbortController().signal }
const inspect = async (): Promise<{ format: string; width: number; height: number }> => ({ format: 'png', width: 1, height: 1 })

test('the bytes determine the format of an image, whatever its data URI states', async () => {
  for (const prefix of [
    '',
    'data:image/png;base64,',
    'data:application/octet-stream;base64,',
    'data:;base64,',
    'data:image/png;name=a.png;base64,',
    ' data:image/png;base64, ',
    'DATA:IMAGE/PNG;BASE64,',
  ])
    assert.deepEqual([...(await decodeImage(inspect, { field: 'init_image', text: `${prefix}AQID` }, options)).bytes], [1, 2, 3], prefix)
})

test('an image field accepts only base64 and data URIs with base64', async () => {
  for (const text of [
    'data:image/png,AQID',
    'data:image/png;base64',
    'data:image/png;base64,',
    'https://host.example/a.png',
    'base64,AQID',
  ])
    await assert.rejects(
      decodeImage(inspect, { field: 'init_image', text }, options),
      (error) => error instanceof ServiceError && error.code === 'validation_error',
      text,
    )
})

const megabyte = 1024 * 1024

suite('base64', () => {
  test('is decoded at any length, with and without line breaks', async () => {
    for (const size of [1, 2, 3, 4, 57, megabyte, 2 * megabyte, 2 * megabyte + 1, 2 * megabyte + 2]) {
      const bytes = Buffer.alloc(size, 'a tiger ')
      const text = bytes.toString('base64')
      assert.ok(bytes.equals((await decodeBase64(text)) ?? Buffer.of()), `${size} bytes`)
      const lines = text.replaceAll(/.{76}/g, '$&\r\n')
      assert.ok(bytes.equals((await decodeBase64(`${lines}\n`)) ?? Buffer.of()), `${size} bytes in lines`)
    }
  })

  test('is decoded in the URL-safe alphabet and without padding', async () => {
    for (const size of [1, 2, 3, 2 * megabyte + 1]) {
      const bytes = Buffer.alloc(size, Buffer.from([251, 255, 191, 62]))
      const usual = bytes.toString('base64')
      for (const text of [bytes.toString('base64url'), usual.replace(/=+$/, ''), usual.replaceAll('+', '-').replaceAll('/', '_')])
        assert.ok(bytes.equals((await decodeBase64(text)) ?? Buffer.of()), `${size} bytes`)
    }
  })

  test('is refused if malformed', async () => {
    for (const text of ['', '\n', '=', '==', 'Q', 'QUJDQ', 'QQ=', 'QQ===', 'Q===', 'QUJD=', 'QQ==QQ==', 'QU D', 'QUJÿ', 'QUJD\u4141'])
      assert.equal(await decodeBase64(text), null, JSON.stringify(text))
    const long = 'QUJD'.repeat(megabyte)
    for (const text of [`${long}!`, `!${long}`, `${long.slice(0, 2 * megabyte)}QQ==${long}`, `${long}Q`])
      assert.equal(await decodeBase64(text), null)
  })
})
