import { createHash } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import sharp from 'sharp'
import type { ImageServerFormat } from '../../../src/core/images/image-servers.ts'

/** How a server answers one of its calls, given what it would say if nothing were wrong with it. */
export type ImageServerFault = (response: ServerResponse, body: Buffer) => void

export interface ImageServerFaults {
  /** Its behaviour at the calls that `at` names; absent = it answers. */
  readonly fault?: ImageServerFault
  /** Paths of the calls with the fault; absent = the one that brings the picture. */
  readonly at?: RegExp
  /** Its behaviour on a cancellation; absent = it confirms it. */
  readonly stopFault?: ImageServerFault
  /** Its use of the progress socket once that is open; absent = it waits for `send`. */
  readonly socketFault?: (socket: Duplex) => void
  /** The key that it accepts; absent = any key. */
  readonly accepts?: (authorization: string | undefined) => boolean
  /** Absent = any that is free. */
  readonly port?: number
  /** The file that it draws; absent = a picture of 64 × 64. */
  readonly drawn?: Uint8Array
}

/** The calls that one picture takes at each kind of server, the one that brings it last. */
export const drawingCalls: Readonly<Record<ImageServerFormat, readonly RegExp[]>> = {
  a1111: [/2img$/],
  'sd-server': [/\/img_gen$/, /\/jobs\/job_1$/],
  comfyui: [/^\/prompt$/, /^\/history\//, /^\/view/],
  'openai-images': [/\/images\/generations$/],
}

/** The cancellation that each kind of server receives for an accepted picture. */
export const stops: Readonly<Record<ImageServerFormat, string | null>> = {
  a1111: '/sdapi/v1/interrupt',
  'sd-server': '/sdcpp/v1/jobs/job_1/cancel',
  comfyui: '/interrupt',
  'openai-images': null,
}

/** Never answers. */
export const hangs: ImageServerFault = () => {}

export interface SeenCall {
  readonly method: string
  readonly path: string
  readonly body: string
  readonly authorization: string | undefined
}

export interface ImageServerStandIn {
  readonly url: string
  readonly calls: readonly SeenCall[]
  /** Resolves when the server is in the call with the fault. */
  readonly drawing: Promise<unknown>
  /** Resolves when a client opens the progress socket. */
  readonly listened: Promise<void>
  /** Resolves when that socket is closed. */
  readonly unheard: Promise<void>
  /** Resolves when a call of that path has arrived. */
  seen(path: string): Promise<SeenCall>
  /** Resolves when so many calls of that path have arrived, with the last of them. */
  seenTimes(path: string, times: number): Promise<SeenCall>
  /** Sends a message over the progress socket of ComfyUI. */
  send(message: object | Uint8Array): void
  /** Ends the server, as a machine that goes down does. */
  leave(): Promise<void>
}

/** Starts a server that answers as the real ones do, as far as their documentation and source say, with one fault. */
export async function startImageServer(
  context: TestContext,
  format: ImageServerFormat,
  {
    fault,
    at = drawingCalls[format].at(-1),
    stopFault,
    socketFault,
    accepts = (authorization) => authorization !== undefined,
    drawn,
    port: listensAt = 0,
  }: ImageServerFaults = {},
): Promise<ImageServerStandIn> {
  const png = Buffer.from(drawn ?? (await drawPicture({ width: 64, height: 64 })))
  const calls: SeenCall[] = []
  const events = new EventEmitter()
  const sockets: Duplex[] = []
  const { promise: drawing, resolve: begun } = Promise.withResolvers<unknown>()
  const { promise: listened, resolve: listening } = Promise.withResolvers<void>()
  const { promise: unheard, resolve: left } = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    void answer(request, response)
  })
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const call = {
      method: request.method ?? '',
      path: request.url ?? '',
      body: await text(request),
      authorization: request.headers.authorization,
    }
    calls.push(call)
    events.emit('call', call)
    if (!accepts(call.authorization)) return void response.writeHead(401).end('{}')
    const json = answers[format](call, png.toString('base64'))
    if (at?.test(call.path)) {
      begun(null)
      if (fault !== undefined) return fault(response, call.path.startsWith('/view') ? png : Buffer.from(JSON.stringify(json)))
    }
    if (stopFault !== undefined && /interrupt$|cancel$|\/queue$/u.test(call.path))
      return stopFault(response, Buffer.from(JSON.stringify(json)))
    if (call.path.startsWith('/view')) return void response.end(png)
    if (json === undefined) response.writeHead(404).end('{"error":"not found"}')
    else response.writeHead(call.path.endsWith('/img_gen') ? 202 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(json))
  }
  server.on('upgrade', (request, socket) => {
    socket.on('error', () => undefined)
    if (!accepts(request.headers.authorization))
      return void socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
    sockets.push(socket)
    socket.once('end', () => {
      left()
      socket.end()
    })
    socket.resume()
    const key = createHash('sha1').update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${key}\r\n\r\n`)
    if (socketFault !== undefined) socketFault(socket)
    listening()
  })
  server.listen(listensAt, '127.0.0.1')
  await once(server, 'listening')
  const leave = async (): Promise<void> => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  context.after(leave)
  const seenTimes = async (path: string, times: number): Promise<SeenCall> => {
    for (;;) {
      const found = calls.filter((call) => call.path === path)[times - 1]
      if (found !== undefined) return found
      await once(events, 'call')
    }
  }
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    drawing,
    listened,
    unheard,
    seen: (path) => seenTimes(path, 1),
    seenTimes,
    send(message) {
      for (const socket of sockets) socket.write(frame(message))
    },
    leave,
  }
}

/** A PNG of one colour. */
export function drawPicture({ width, height }: { readonly width: number; readonly height: number }): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#3366cc' } })
    .png()
    .toBuffer()
}

/** A frame of RFC 6455 as a server sends it. */
function frame(message: object | Uint8Array): Buffer {
  const payload = message instanceof Uint8Array ? Buffer.from(message) : Buffer.from(JSON.stringify(message))
  const head = payload.length < 126 ? Buffer.from([0, payload.length]) : Buffer.from([0, 126, payload.length >> 8, payload.length & 255])
  head[0] = message instanceof Uint8Array ? 0x82 : 0x81
  return Buffer.concat([head, payload])
}

type Answer = (call: SeenCall, png: string) => unknown

const answers: Readonly<Record<ImageServerFormat, Answer>> = {
  a1111: ({ path }, png) => {
    if (path === '/sdapi/v1/samplers') return ['Euler', 'Euler a', 'DPM++ 2M', 'DDIM'].map((name) => ({ name, aliases: [], options: {} }))
    if (path === '/sdapi/v1/schedulers') return ['automatic', 'uniform', 'karras'].map((name) => ({ name, label: name }))
    if (path.startsWith('/sdapi/v1/progress'))
      return { progress: 0.5, eta_relative: 1, state: { sampling_step: 2, sampling_steps: 4 }, current_image: png }
    if (path === '/internal/progress') return { active: true, queued: false, completed: false, progress: 0.5 }
    if (path === '/sdapi/v1/interrupt') return {}
    return /2img$/.test(path) ? { images: png === '' ? [] : [png], parameters: {}, info: '{}' } : undefined
  },
  'sd-server': ({ path }, png) => {
    if (path === '/sdcpp/v1/capabilities')
      return {
        samplers: ['euler', 'euler_a', 'dpm++2m'],
        schedulers: ['discrete', 'karras'],
        output_formats: ['png', 'jpeg'],
        loras: [{ name: 'ink', path: 'styles/ink.safetensors' }],
        limits: { min_width: 64, max_width: 1024, min_height: 64, max_height: 1024 },
      }
    if (path === '/sdcpp/v1/img_gen') return { id: 'job_1', kind: 'img_gen', status: 'queued', poll_url: '/sdcpp/v1/jobs/job_1' }
    if (path === '/sdcpp/v1/jobs/job_1/cancel') return { id: 'job_1', status: 'cancelled' }
    if (path !== '/sdcpp/v1/jobs/job_1') return undefined
    return { id: 'job_1', status: 'completed', result: { output_format: 'png', images: [{ index: 0, b64_json: png }] }, error: null }
  },
  comfyui: ({ path, method }, png) => {
    const required = { sampler_name: [['euler', 'dpmpp_2m', 'ddim']], scheduler: [['normal', 'karras']] }
    if (path === '/object_info/KSampler') return { KSampler: { input: { required } } }
    if (path === '/prompt') return { prompt_id: 'p1', number: 1, node_errors: {} }
    if (path === '/upload/image') return { name: 'mine.png', subfolder: '', type: 'input' }
    if (path === '/queue') return method === 'POST' ? {} : { queue_running: [[1, 'p1', {}]], queue_pending: [] }
    if (path === '/interrupt') return {}
    const images = png === '' ? [] : [{ filename: 'a.png', subfolder: 'x', type: 'output' }]
    return path === '/history/p1' ? { p1: { outputs: { 9: { images } }, status: { status_str: 'success', completed: true } } } : undefined
  },
  'openai-images': ({ path }, png) => {
    if (path === '/models') return { object: 'list', data: [] }
    return path === '/images/generations' ? { created: 1, data: png === '' ? [] : [{ b64_json: png }] } : undefined
  },
}
