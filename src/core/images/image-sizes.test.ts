import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pictureFormat } from './image-sizes.ts'

test('image formats are distinguished by their first bytes', () => {
  for (const [start, format] of [
    ['\x89PNG\r\n\x1a\n....', 'png'],
    ['\xff\xd8\xff\xe0', 'jpeg'],
    ['RIFF\x24\0\0\0WEBPVP8 ', 'webp'],
    ['GIF89a', 'gif'],
    ['\0\0\0\x20ftypavif', 'avif'],
    ['<svg xmlns="http://www.w3.org/2000/svg"/>', undefined],
    ['\x89PNG', undefined],
    ['', undefined],
  ] as const)
    assert.equal(pictureFormat(Buffer.from(start, 'latin1')), format, start)
})
