import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError } from '../../../core/error.ts'
import { decodeImage } from './decode-image.ts'

const options = { signal: new AbortController().signal }
const inspect = async (): Promise<{ format: string; width: number; height: number }> => ({ format: 'png', width: 1, height: 1 })

test('the bytes decide what an image field holds, whatever type its data URI names', async () => {
  for (const prefix of [
    '',
    'data:image/png;base64,',
    'data:application/octet-stream;base64,',
    'data:;base64,',
    'data:image/png;name=a.png;base64,',
    'DATA:IMAGE/PNG;BASE64,',
  ])
    assert.deepEqual([...(await decodeImage(inspect, { field: 'init_image', text: `${prefix}AQID` }, options))], [1, 2, 3], prefix)
})

test('an image field takes no other address and no data URI without base64', async () => {
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
