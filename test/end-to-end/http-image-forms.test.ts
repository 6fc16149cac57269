import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { encodeSolidPng } from '../../src/runtimes/fake/solid-png.ts'
import { type HttpService, startHttpService } from '../support/http-service.ts'
import { readError, readJson } from '../support/read-json.ts'

const picture = new Blob([encodeSolidPng(64, 64, 0xff0000)], { type: 'image/png' })
const small = new Blob([encodeSolidPng(8, 8, 0x00ff00)], { type: 'image/png' })

/** Width and height of the first picture of an answer, which its PNG header states. */
function sizeOf(data: unknown): readonly [number, number] {
  const [first] = data as readonly { readonly b64_json: string }[]
  const header = Buffer.from(first?.b64_json ?? '', 'base64')
  return [header.readUInt32BE(16), header.readUInt32BE(20)]
}

type Part = readonly [string, string | Blob]

suite('image forms', () => {
  let service: HttpService
  before(async () => {
    service = await startHttpService()
  })
  after(() => service[Symbol.asyncDispose]())

  const send = (path: string, parts: readonly Part[]) => {
    const body = new FormData()
    for (const [name, value] of parts) typeof value === 'string' ? body.append(name, value) : body.append(name, value, `${name}.png`)
    return fetch(`${service.url}${path}`, { method: 'POST', body, headers: { authorization: `Bearer ${service.token}` } })
  }
  const edit = (...parts: readonly Part[]) => send('/v1/images/edits', [['prompt', 'a tiger'], ...parts])

  test('an edit returns the shape of a generation, and parses numbers and switches', async () => {
    const answer = await edit(['image', picture], ['mask', picture], ['n', '2'], ['size', '128x72'], ['seed', '7'], ['stream', 'false'])
    assert.equal(answer.status, 200, await answer.clone().text())
    const { data, background, quality } = await readJson(answer)
    assert.deepEqual([...sizeOf(data), background, quality], [128, 72, 'opaque', 'medium'])
    assert.deepEqual(
      JSON.parse(JSON.stringify(data)).map(({ seed }: { seed: number }) => seed),
      [7, 8],
    )
  })

  test('the proportions of the picture are kept if no size is given', async () => {
    const wide = new Blob([encodeSolidPng(128, 64, 0xff0000)], { type: 'image/png' })
    const { data } = await readJson(await edit(['image[]', wide]))
    const [width, height] = sizeOf(data)
    assert.ok(width > height * 1.8 && width < height * 2.2, `${width}x${height}`)
  })

  test('a variation needs no prompt', async () => {
    const answer = await send('/v1/images/variations', [
      ['image', picture],
      ['n', '2'],
    ])
    assert.equal(answer.status, 200)
    assert.equal(Object((await readJson(answer)).data).length, 2)
    assert.equal(
      (
        await send('/v1/images/variations', [
          ['image', picture],
          ['prompt', 'x'],
        ])
      ).status,
      422,
    )
  })

  for (const [what, parts, param] of [
    ['no picture', [], 'image'],
    ['a picture as text', [['image', 'abc']], 'image'],
    [
      'several pictures',
      [
        ['image[]', picture],
        ['image[]', picture],
      ],
      'image',
    ],
    ['no picture that decodes', [['image', new Blob(['nothing'])]], 'image'],
    [
      'a mask of another size',
      [
        ['image', picture],
        ['mask', small],
      ],
      'mask',
    ],
    [
      'two masks',
      [
        ['image', picture],
        ['mask', picture],
        ['mask', picture],
      ],
      'mask',
    ],
    [
      'an unknown file',
      [
        ['image', picture],
        ['face', picture],
      ],
      'face',
    ],
    [
      'markup',
      [
        ['image', picture],
        ['markup', picture],
      ],
      'markup',
    ],
    [
      'a field twice',
      [
        ['image', picture],
        ['n', '1'],
        ['n', '2'],
      ],
      'n',
    ],
    [
      'an invalid number',
      [
        ['image', picture],
        ['n', 'two'],
      ],
      'n',
    ],
    [
      'a prototype',
      [
        ['image', picture],
        ['__proto__[stream]', 'true'],
      ],
      '__proto__',
    ],
    [
      'transparent background',
      [
        ['image', picture],
        ['background', 'transparent'],
      ],
      'background',
    ],
    [
      'less of a PNG',
      [
        ['image', picture],
        ['output_compression', '50'],
      ],
      'output_compression',
    ],
    [
      'previews without a stream',
      [
        ['image', picture],
        ['partial_images', '2'],
      ],
      'partial_images',
    ],
    [
      'fidelity and strength',
      [
        ['image', picture],
        ['input_fidelity', 'high'],
        ['strength', '0.5'],
      ],
      'input_fidelity',
    ],
    [
      'quality and steps',
      [
        ['image', picture],
        ['quality', 'low'],
        ['steps', '4'],
      ],
      'quality',
    ],
    [
      'svg',
      [
        ['image', picture],
        ['svg[model]', 'x'],
      ],
      'svg',
    ],
  ] as const satisfies readonly (readonly [string, readonly Part[], string])[])
    test(`rejected by name: ${what}`, async () => {
      const answer = await edit(...parts)
      assert.equal(answer.status, 422)
      assert.equal((await readError(answer)).param, param)
    })

  test('a missing or incomplete form is rejected', async () => {
    const post = (body: string, type: string) =>
      fetch(`${service.url}/v1/images/edits`, {
        method: 'POST',
        body,
        headers: { authorization: `Bearer ${service.token}`, 'content-type': type },
      })
    assert.equal((await post('{}', 'application/json')).status, 415)
    for (const body of ['', '--x\r\n', '--x\r\ncontent-disposition: form-data; name="n"\r\n\r\n1', 'nothing'])
      assert.equal((await post(body, 'multipart/form-data; boundary=x')).status, 400, body)
    assert.equal((await post('--x--', 'multipart/form-data')).status, 400)
    const body = new FormData()
    body.append('prompt', 'a tiger')
    const answer = await fetch(`${service.url}/v1/images/generations`, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${service.token}` },
    })
    assert.equal(answer.status, 415)
  })

  test('a stream contains previews and ends with each picture', async () => {
    const events = (text: string) => [...text.matchAll(/^event: (\S+)$/gm)].map(([, name]) => name)
    const generated = await service.fetch('/v1/images/generations', {
      json: { prompt: 'a tiger', stream: true, partial_images: 2, n: 2, steps: 8 },
    })
    assert.equal(generated.headers.get('content-type'), 'text/event-stream; charset=utf-8')
    const names = events(await generated.text())
    assert.ok(names.includes('image_generation.partial_image'))
    assert.deepEqual(names.slice(-2), ['image_generation.completed', 'image_generation.completed'])
    assert.deepEqual(events(await (await edit(['image', picture], ['stream', 'true'])).text()), ['image_edit.completed'])
    const failing = await service.fetch('/v1/images/generations', { json: { prompt: '[fail numerical_error]', stream: true } })
    assert.equal(failing.status, 500)
    const late = { prompt: '[fail numerical_error after 4]', stream: true, partial_images: 3, steps: 8 }
    assert.equal(events(await (await service.fetch('/v1/images/generations', { json: late })).text()).at(-1), 'error')
  })
})
