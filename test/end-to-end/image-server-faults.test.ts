import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import sharp from 'sharp'
import type { ErrorCode } from '../../src/core/error.ts'
import type { ImageRequest } from '../../src/core/image-generation.ts'
import { type ImageServerFormat, imageServerFormats } from '../../src/core/images/image-servers.ts'
import { connectImageServer } from '../support/engines/connect-image-server.ts'
import { drawingCalls, drawPicture, hangs, type ImageServerFault, stops } from '../support/engines/image-server.ts'
import { makeImageRequest } from '../support/image-request.ts'

const { signal } = new AbortController()
const idle = { signal, onProgress: (): void => undefined }
const request = (change: Partial<ImageRequest> = {}): ImageRequest =>
  makeImageRequest('a fox', { sampler: 'K_EULER', seeds: [7], guidanceScale: 5, steps: 4, ...change })

interface FaultRow {
  readonly does: string
  /** A word of its row in docs/upstream-servers.md. */
  readonly row: string
  readonly fault: ImageServerFault
  readonly reported: ErrorCode
  /** Whether a client that requests a picture once cannot tell from it that none is drawn. */
  readonly mayDraw?: boolean
}

const answers =
  (status: number, body = '{"error":{"message":"that is too large"}}', headers: Record<string, string> = {}): ImageServerFault =>
  (response) =>
    void response.writeHead(status, headers).end(body)

/** An answer whose end, which it announced, never comes. */
const breaksOff =
  (status: number, { hangsUp }: { readonly hangsUp: boolean }): ImageServerFault =>
  (response) => {
    const body = '{"error":{"message":"that is too large"}}'
    response.writeHead(status, { 'retry-after': '7', 'content-length': body.length + 1 })
    response.write(body, () => hangsUp && setImmediate(() => response.destroy()))
  }

const endless: ImageServerFault = (response) => {
  response.writeHead(200)
  const piece = Buffer.alloc(1 << 20, ' ')
  const write = (): void => {
    while (!response.destroyed && response.write(piece));
  }
  response.on('drain', write)
  write()
}

const cut: ImageServerFault = (response, body) => {
  response.writeHead(200, { 'content-length': body.length })
  response.write(body.subarray(0, body.length / 2), () => response.destroy())
}

const drips: ImageServerFault = (response, body) => {
  let at = 0
  const drip = (): void => {
    response.write(body.subarray(at, at + 7))
    at += 7
    if (at < body.length) setImmediate(drip)
    else response.end()
  }
  drip()
}

/** Faults of any call for a picture. */
const faults: readonly FaultRow[] = [
  { does: 'answers 500', row: '5xx', fault: answers(500), reported: 'inference_failed' },
  { does: 'answers 502 with a page', row: '5xx', fault: answers(502, '<html>'), reported: 'inference_failed', mayDraw: true },
  { does: 'answers 401', row: '401', fault: answers(401), reported: 'inference_failed' },
  { does: 'answers 403', row: '403', fault: answers(403), reported: 'inference_failed' },
  { does: 'answers 404', row: '404', fault: answers(404), reported: 'inference_failed' },
  { does: 'redirects', row: 'redirect', fault: answers(307, '', { location: 'http://127.0.0.1:1/' }), reported: 'inference_failed' },
  { does: 'hangs up', row: 'hangs up', fault: (response) => void response.destroy(), reported: 'inference_failed', mayDraw: true },
  { does: 'breaks off', row: 'hangs up', fault: cut, reported: 'inference_failed', mayDraw: true },
  { does: 'sends for ever', row: 'over 64 MB', fault: endless, reported: 'inference_failed', mayDraw: true },
  {
    does: 'sends headers for ever',
    row: 'headers over 16 KB',
    fault: (response) => void response.socket?.write(`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(100_000)}`),
    reported: 'inference_failed',
    mayDraw: true,
  },
  {
    does: 'speaks another protocol from then on',
    row: 'hangs up',
    fault: (response) => void response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
    reported: 'inference_failed',
    mayDraw: true,
  },
  {
    does: 'packs its answer and cuts it off',
    row: 'compressed',
    fault: (response, body) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(body).subarray(0, 20)),
    reported: 'inference_failed',
    mayDraw: true,
  },
  { does: 'sends a page', row: 'no JSON', fault: answers(200, '<html>Bad Gateway</html>'), reported: 'inference_failed', mayDraw: true },
  {
    does: 'sends half of its JSON',
    row: 'no JSON',
    fault: (response, body) => void response.end(body.subarray(0, 9)),
    reported: 'inference_failed',
    mayDraw: true,
  },
  { does: 'sends lists in lists', row: '65 536', fault: answers(200, '['.repeat(5_000_000)), reported: 'inference_failed', mayDraw: true },
  { does: 'is busy (429)', row: '429', fault: answers(429, '{}', { 'retry-after': '7' }), reported: 'server_is_overloaded' },
  { does: 'is busy (503)', row: '503', fault: answers(503, '{}', { 'retry-after': '7' }), reported: 'server_is_overloaded' },
  { does: 'answers 500 and breaks off', row: '5xx', fault: breaksOff(500, { hangsUp: true }), reported: 'inference_failed' },
  { does: 'is busy (503) and breaks off', row: '503', fault: breaksOff(503, { hangsUp: true }), reported: 'server_is_overloaded' },
  {
    does: 'is busy (503) and never ends saying so',
    row: '503',
    fault: breaksOff(503, { hangsUp: false }),
    reported: 'server_is_overloaded',
  },
  { does: 'refuses (400) and breaks off', row: '400', fault: breaksOff(400, { hangsUp: true }), reported: 'validation_error' },
  { does: 'refuses (422) and never ends saying so', row: '422', fault: breaksOff(422, { hangsUp: false }), reported: 'validation_error' },
  { does: 'refuses (400)', row: '400', fault: answers(400), reported: 'validation_error' },
  { does: 'refuses (413)', row: '413', fault: answers(413), reported: 'validation_error' },
  { does: 'refuses (422)', row: '422', fault: answers(422), reported: 'validation_error' },
]

/** Faults of the drawn file. */
const files: readonly { readonly does: string; readonly row: string; readonly drawn: () => Promise<Uint8Array> }[] = [
  { does: 'sends no picture', row: 'no image', drawn: async () => Buffer.alloc(0) },
  { does: 'sends a text for a picture', row: 'no image', drawn: async () => Buffer.from('<svg>no</svg>') },
  {
    does: 'sends a drawing in words, which could say anything',
    row: 'no image',
    drawn: async () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><rect width="64" height="64"/></svg>'),
  },
  {
    does: 'sends a picture of four thousand million pixels',
    row: 'no image',
    drawn: async () => {
      const huge = await drawPicture({ width: 64, height: 64 })
      huge.writeUInt32BE(65_535, 16)
      huge.writeUInt32BE(65_535, 20)
      return huge
    },
  },
  {
    does: 'sends a damaged picture',
    row: 'no image',
    drawn: async () => {
      const whole = await drawPicture({ width: 64, height: 64 })
      return whole.subarray(0, whole.length - 40)
    },
  },
  { does: 'sends a picture of another size', row: 'another size', drawn: () => drawPicture({ width: 32, height: 64 }) },
]

/** The same answer with a text that holds no bytes in the place of each picture. */
const withoutPicture = (body: Buffer): string => body.toString().replaceAll(/"iVBOR[^"]*"/g, '"*"')

/** Whether a drawing can be stopped from that call on: before, it has no id, and afterwards it is complete. */
const isStoppable = (format: ImageServerFormat, at: RegExp): boolean => format === 'a1111' || /jobs|history/u.test(at.source)

async function assertFails(context: TestContext, format: ImageServerFormat, { fault, at, reported }: FaultRow & { readonly at: RegExp }) {
  const { model, server } = await connectImageServer(context, format, { fault, at })
  await assert.rejects(model.generate(request(), idle), {
    name: 'ServiceError',
    code: reported,
    ...(reported === 'server_is_overloaded' && { retryAfterSeconds: 7 }),
    ...(reported === 'validation_error' && { message: 'that is too large.' }),
  })
  return server.calls
}

for (const format of imageServerFormats) {
  describe(`a server of the kind ${format} that`, { concurrency: 4 }, () => {
    for (const at of drawingCalls[format]) {
      for (const row of faults)
        test(`${row.does} at ${at.source} is reported as ${row.reported}, without a second drawing`, async (context) => {
          const calls = await assertFails(context, format, { ...row, at })
          const requested = calls.filter(({ path }) => at.test(path)).length
          // A kept-alive connection that ends without a word may have been closed before the question came; what draws is not repeated for that.
          const isRepeatable = /jobs|history|view/.test(at.source) && /hangs up|protocol/.test(row.does)
          assert.ok(requested === 1 || (requested === 2 && isRepeatable), `asked ${requested} times`)
          const stop = stops[format]
          if (stop !== null)
            assert.equal(
              calls.some(({ path }) => path === stop),
              isStoppable(format, at) && (format !== 'a1111' || row.mayDraw === true),
            )
        })

      test(`packs its answer at ${at.source} is read`, async (context) => {
        const fault: ImageServerFault = (response, body) => void response.setHeader('content-encoding', 'gzip').end(gzipSync(body))
        const { model } = await connectImageServer(context, format, { fault, at })
        assert.equal((await model.generate(request(), idle)).images.length, 1)
      })

      test(`streams slowly at ${at.source} is read to the end`, async (context) => {
        const { model } = await connectImageServer(context, format, { fault: drips, at })
        const { images } = await model.generate(request(), idle)
        assert.equal((await sharp(images[0]?.bytes).metadata()).format, 'png')
      })

      test(`hangs at ${at.source} is abandoned and notified when the signal aborts`, async (context) => {
        const { model, server } = await connectImageServer(context, format, { fault: hangs, at })
        const controller = new AbortController()
        const reason = new Error('the client left')
        const generating = model.generate(request(), { ...idle, signal: controller.signal })
        await server.drawing
        controller.abort(reason)
        await assert.rejects(generating, reason)
        const stop = stops[format]
        if (stop !== null && isStoppable(format, at)) assert.equal((await server.seen(stop)).method, 'POST')
      })
    }

    for (const { does, drawn } of files)
      test(`${does} is reported as inference_failed`, async (context) => {
        const { model } = await connectImageServer(context, format, { drawn: await drawn() })
        await assert.rejects(model.generate(request(), idle), { name: 'ServiceError', code: 'inference_failed' })
      })

    test('sends nothing instead of the picture is reported as inference_failed', async (context) => {
      const nothing: ImageServerFault = (response, body) => void response.end(format === 'comfyui' ? '' : withoutPicture(body))
      const { model } = await connectImageServer(context, format, { fault: nothing })
      await assert.rejects(model.generate(request(), idle), { name: 'ServiceError', code: 'inference_failed' })
    })

    test('disconnects after the connection was made is reported as inference_failed', async (context) => {
      const { model, server } = await connectImageServer(context, format)
      await server.leave()
      await assert.rejects(model.generate(request(), idle), { name: 'ServiceError', code: 'inference_failed', isNotStarted: true })
    })

    test('disconnects during the drawing is reported as started', async (context) => {
      const { model, server } = await connectImageServer(context, format, { fault: () => void server.leave() })
      await assert.rejects(model.generate(request(), idle), { name: 'ServiceError', code: 'inference_failed', isNotStarted: false })
    })
  })
}

for (const [name, preview] of [
  ['nothing', '*'],
  ['no picture', 'bm8='],
  ['a text', 7],
] as const)
  test(`a preview that is ${name} does not fail the picture`, async (context) => {
    const fault: ImageServerFault = (response, body) => {
      if (body.includes('sampling_step'))
        return void response.end(JSON.stringify({ ...JSON.parse(body.toString()), current_image: preview }))
      finish = () => response.end(body)
    }
    let finish: () => void = () => undefined
    const { model } = await connectImageServer(context, 'a1111', { fault, at: /2img$|v1\/progress/ })
    const { images } = await model.generate(request({ previews: true }), { signal, onProgress: () => finish() })
    assert.equal(images.length, 1)
  })

test('an error in the progress callback fails neither the picture nor the service', async (context) => {
  const unhandled: unknown[] = []
  const note = (reason: unknown): void => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  context.after(() => process.off('unhandledRejection', note))
  let finish: () => void = () => undefined
  const fault: ImageServerFault = (response, body) => {
    finish = () => response.end(body)
  }
  const { model, server } = await connectImageServer(context, 'a1111', { fault })
  const generating = model.generate(request(), {
    signal,
    onProgress: ({ step }) => {
      if (step < 4) throw new Error('nobody listens')
    },
  })
  await server.drawing
  await server.seenTimes('/sdapi/v1/progress?skip_current_image=true', 3)
  finish()
  assert.equal((await generating).images.length, 1)
  assert.deepEqual(unhandled, [])
})

test('docs/upstream-servers.md describes the behaviour for every fault', async () => {
  const document = await readFile(new URL('../../docs/upstream-servers.md', import.meta.url), 'utf8')
  const [, section = ''] = document.split('## Image servers')
  const [, table = ''] = (section.split('\n## ')[0] ?? '').split('| The server … |')
  const rows = table
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split('|').map((cell) => cell.trim()))
  const reported = (word: string) =>
    rows.filter(([, does]) => does?.includes(word)).map(([, , again, says]) => [again?.split(',')[0], says?.match(/`(\w+)`/)?.[1]])
  for (const { row, reported: code } of faults)
    assert.deepEqual([row, reported(row)], [row, [[row === '401' || row === '403' ? 'once' : 'no', code]]])
  for (const { row } of files) assert.deepEqual([row, reported(row)], [row, [['no', 'inference_failed']]])
  for (const [row, code] of [
    ['first used', 'model_loading'],
    ['`timeouts.connect`', 'inference_failed'],
    ['`timeouts.idle`', 'inference_failed'],
    ['`timeouts.first`', 'inference_failed'],
    ['run-limit', 'inference_timeout'],
    ['has lost', 'inference_failed'],
    ['progress or preview', undefined],
    ['slowly', undefined],
  ] as const)
    assert.deepEqual(
      reported(row).map(([, says]) => says),
      [code],
      row,
    )
})
