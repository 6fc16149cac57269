import assert from 'node:assert/strict'
import { syncBuiltinESMExports } from 'node:module'
import type { Transform } from 'node:stream'
import { describe, type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import zlib, {
  brotliCompressSync,
  createBrotliCompress,
  createDeflate,
  createDeflateRaw,
  createGzip,
  createZstdCompress,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib'
import type { UpstreamTimeouts } from '../../src/core/model.ts'
import { UpstreamConnection } from '../../src/runtimes/upstream/upstream-connection.ts'
import { type Answer, startTextServer } from '../support/engines/text-server.ts'

const { signal } = new AbortController()
const patient: UpstreamTimeouts = { connectMs: 60_000, firstMs: 60_000, idleMs: 60_000 }
/** Text whose characters are cut anywhere. */
const text = 'data: {"a":"Grüße 😀"}\n\n'.repeat(5000)

const codings = {
  gzip: { compress: gzipSync, open: createGzip },
  'x-gzip': { compress: gzipSync, open: createGzip },
  GZIP: { compress: gzipSync, open: createGzip },
  deflate: { compress: deflateSync, open: createDeflate },
  br: { compress: brotliCompressSync, open: createBrotliCompress },
  zstd: { compress: zstdCompressSync, open: createZstdCompress },
} as const

async function connect(stack: AsyncDisposableStack, answer: Answer, timeouts = patient) {
  const server = stack.use(await startTextServer(answer))
  const connection = stack.use(await UpstreamConnection.open({ url: server.url, keyFile: null, timeouts }))
  return {
    server,
    stream: () => connection.send('/chat/completions', {}, { signal }),
    read: async () => (await Array.fromAsync(await connection.send('/chat/completions', {}, { signal }))).join(''),
    exchange: (mostBytes: number) =>
      connection.exchange(
        '/draw',
        { type: 'application/json', bytes: '{}' },
        { signal, mostBytes, isDueAtOnce: false, isRepeatable: true },
      ),
  }
}

const compressed =
  (coding: string, bytes: Uint8Array): Answer =>
  (response) =>
    response.setHeader('content-encoding', coding).end(bytes)

/** Notes the decoders that are made from now on. */
function noteDecoders({ mock }: TestContext): readonly Transform[] {
  const made: Transform[] = []
  for (const name of ['createGunzip', 'createBrotliDecompress'] as const) {
    const create = zlib[name]
    mock.method(zlib, name, (options?: object) => {
      const decoder = create(options)
      made.push(decoder)
      return decoder
    })
  }
  syncBuiltinESMExports()
  return made
}

const failsBecause = (cause: RegExp) => (error: Error) => {
  assert.match(String(error.cause), cause)
  return true
}

describe('an answer that is compressed although this was not requested', { concurrency: 4 }, () => {
  for (const [coding, { compress, open }] of Object.entries(codings)) {
    test(`is read whole (${coding})`, async () => {
      await using stack = new AsyncDisposableStack()
      const { server, read, exchange } = await connect(stack, compressed(coding, compress(text)))
      assert.equal(await read(), text)
      assert.equal(`${await exchange(Buffer.byteLength(text))}`, text)
      assert.equal(server.requests[0]?.headers['accept-encoding'], 'identity')
    })

    test(`is read as it arrives (${coding})`, async () => {
      await using stack = new AsyncDisposableStack()
      const first = Promise.withResolvers<void>()
      const { stream } = await connect(stack, async (response) => {
        const packer = open()
        packer.pipe(response.setHeader('content-encoding', coding))
        packer.write('data: one\n\n')
        packer.flush()
        await first.promise
        packer.end('data: two\n\n')
      })
      let all = ''
      for await (const piece of await stream()) {
        all += piece
        if (all.includes('one\n\n')) first.resolve()
      }
      assert.equal(all, 'data: one\n\ndata: two\n\n')
    })

    for (const hangsUp of [true, false])
      test(`and ${hangsUp ? 'broken off' : 'incomplete'} fails after what arrived (${coding})`, async () => {
        await using stack = new AsyncDisposableStack()
        const { stream, exchange } = await connect(stack, (response) => {
          const packer = open()
          packer.on('data', (piece) => response.write(piece))
          response.setHeader('content-encoding', coding)
          packer.write('data: one\n\n')
          packer.flush(() => (hangsUp ? response.write('', () => response.destroy()) : response.end()))
        })
        let all = ''
        await assert.rejects(
          async () => {
            for await (const piece of await stream()) all += piece
          },
          { code: 'inference_failed' },
        )
        assert.equal(all, 'data: one\n\n')
        await assert.rejects(exchange(1000), { code: 'inference_failed' })
      })

    test(`and broken off after its last byte fails, as one that is not compressed (${coding})`, async () => {
      await using stack = new AsyncDisposableStack()
      const { stream } = await connect(stack, (response) => {
        response.setHeader('content-encoding', coding).write(compress(text), () => response.destroy())
      })
      let all = ''
      await assert.rejects(
        async () => {
          for await (const piece of await stream()) all += piece
        },
        failsBecause(/broke off its answer/),
      )
      assert.equal(all, text)
    })

    test(`and damaged is an error that says so (${coding})`, async () => {
      await using stack = new AsyncDisposableStack()
      const damaged = compress(text).map((byte, at) => (at > 1 ? byte ^ 0x5a : byte))
      const { read, exchange } = await connect(stack, compressed(coding, damaged))
      await assert.rejects(read(), failsBecause(/sent a damaged or incomplete answer/))
      await assert.rejects(exchange(2 ** 30), failsBecause(/sent a damaged or incomplete answer/))
    })
  }

  test('may be deflated without a header, or compressed twice, or empty', async () => {
    await using stack = new AsyncDisposableStack()
    const { server, read } = await connect(stack, compressed('deflate', deflateRawSync(text)))
    assert.equal(await read(), text)
    server.answer = compressed('gzip, br', brotliCompressSync(gzipSync(text)))
    assert.equal(await read(), text)
    server.answer = compressed('gzip', Buffer.alloc(0))
    assert.equal(await read(), '')
  })

  test('is an error in an unsupported coding, and other words in the header are ignored', async () => {
    await using stack = new AsyncDisposableStack()
    const { server, read } = await connect(stack, compressed('compress', Buffer.from('x')))
    await assert.rejects(read(), failsBecause(/compressed its answer \(compress\)/))
    server.answer = compressed('gzip, gzip, gzip', Buffer.from('x'))
    await assert.rejects(read(), failsBecause(/compressed its answer \(gzip, gzip, gzip\)/))
    for (const coding of ['identity', 'none', 'utf-8', 'constructor']) {
      server.answer = compressed(coding, Buffer.from('done'))
      assert.equal(await read(), 'done', coding)
    }
  })

  test('in a way that cannot be read is not kept open', { timeout: 300_000 }, async () => {
    await using stack = new AsyncDisposableStack()
    const closed = Promise.withResolvers<void>()
    const { read } = await connect(stack, (response) => {
      response.once('close', closed.resolve).setHeader('content-encoding', 'compress').write('x')
    })
    await assert.rejects(read(), failsBecause(/compressed its answer \(compress\)/))
    await closed.promise
  })

  test('is read if it refuses the request', async () => {
    await using stack = new AsyncDisposableStack()
    const { server, read } = await connect(stack, (response) =>
      response.writeHead(400, { 'content-encoding': 'gzip' }).end(gzipSync('{"error":{"message":"that is too large"}}')),
    )
    await assert.rejects(read(), { code: 'invalid_request_error', message: 'that is too large.' })
    server.answer = (response) => response.writeHead(400, { 'content-encoding': 'gzip,'.repeat(1000) }).end('x')
    await assert.rejects(read(), { code: 'invalid_request_error' })
  })

  test('ends at the bound of decompressed bytes', async () => {
    await using stack = new AsyncDisposableStack()
    // A gigabyte in 64 parts of one file.
    const part = gzipSync(Buffer.alloc(1 << 24))
    const bomb = Buffer.concat(new Array<Buffer>(64).fill(part))
    const { server, exchange } = await connect(stack, compressed('gzip', bomb))
    await assert.rejects(exchange(1 << 20), failsBecause(/sent more than 1048576 bytes/))
    server.answer = compressed('zstd', zstdCompressSync(Buffer.alloc(1 << 24)))
    await assert.rejects(exchange(1 << 20), failsBecause(/sent more than 1048576 bytes/))
  })

  test('has the time of a first answer until its first decompressed byte', async () => {
    await using stack = new AsyncDisposableStack()
    const header = gzipSync('').subarray(0, 10)
    const begin: Answer = (response) => void response.setHeader('content-encoding', 'gzip').write(header)
    const { read } = await connect(stack, begin, { ...patient, firstMs: 50 })
    await assert.rejects(read(), failsBecause(/raise `timeouts\.first`/))
  })

  test('is late if it continues without decompressed bytes', async () => {
    await using stack = new AsyncDisposableStack()
    const { read } = await connect(
      stack,
      async (response) => {
        response.setHeader('content-encoding', 'deflate')
        const packer = createDeflateRaw()
        packer.on('data', (piece) => response.write(piece))
        packer.write('data: one\n\n')
        await new Promise<void>((resolve) => packer.flush(() => resolve()))
        // Empty blocks.
        while (!response.destroyed) {
          response.write(Buffer.from([0, 0, 0, 0xff, 0xff]))
          await nextTurn()
        }
      },
      { ...patient, idleMs: 50 },
    )
    await assert.rejects(read(), failsBecause(/raise `timeouts\.idle`/))
  })
})

test('a compressed answer that is read in part leaves no decoder open', async (context) => {
  const made = noteDecoders(context)
  await using stack = new AsyncDisposableStack()
  const whole = Buffer.alloc(1 << 20)
  const { stream, exchange } = await connect(stack, compressed('gzip, br', brotliCompressSync(gzipSync(whole, { level: 0 }))))
  for await (const _ of await stream()) break
  await assert.rejects(exchange(1000), failsBecause(/sent more than 1000 bytes/))
  assert.equal(made.length, 4)
  while (made.some(({ destroyed }) => !destroyed)) await nextTurn()
})
