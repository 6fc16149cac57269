import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findAddressFault, readAddress, readPicture } from './picture-address.ts'

const png = Buffer.from('\x89PNG\r\n\x1a\n????????', 'latin1').toString('base64')
const webp = Buffer.from('RIFF????WEBPVP8 ', 'latin1').toString('base64')
const wave = Buffer.from('RIFF????WAVEfmt ', 'latin1').toString('base64')

test('the bytes determine the format of a picture, whatever its data URI states', () => {
  const heads = [
    'data:image/png',
    'data:image/jpeg',
    'DATA:IMAGE/PNG',
    'data:application/octet-stream',
    'data:',
    'data:image/png;charset=utf-8',
  ]
  for (const head of heads) {
    const url = `${head};base64,${png}`
    assert.equal(findAddressFault(url), null, url)
    assert.deepEqual(readAddress(url), { type: 'picture', mediaType: 'image/png', base64: png }, url)
  }
  assert.equal(readPicture(webp)?.mediaType, 'image/webp')
  assert.equal(readPicture(`${png.slice(0, 8)}\r\n${png.slice(8)}`, 'image/gif')?.mediaType, 'image/png')
})

test('the stated type counts if the bytes are unknown, also image/jpg', () => {
  assert.equal(readPicture('AAAA', 'image/jpg')?.mediaType, 'image/jpeg')
  assert.equal(readPicture('data:image/GIF;base64,AAAA')?.mediaType, 'image/gif')
  for (const named of ['', 'image/bmp', 'text/plain']) assert.equal(readPicture('AAAA', named), null, named)
})

test('a value that is not a picture is rejected with the reason', () => {
  assert.equal(readPicture(wave), null)
  assert.match(findAddressFault('https://example.org/a.png') ?? '', /other addresses are not fetched/)
  assert.match(findAddressFault(`data:audio/wav;base64,${wave}`) ?? '', /must hold the image itself/)
  assert.match(findAddressFault('data:image/png;base64,?') ?? '', /must be base64/)
})

test('a data URI with millions of parameters is refused like any other address', () => {
  for (const head of [';'.repeat(20_000_000), ';a=b'.repeat(5_000_000), 'a'.repeat(20_000_000)])
    assert.match(findAddressFault(`data:${head}`) ?? '', /other addresses are not fetched/)
})
