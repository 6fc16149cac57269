import type { KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { Socket } from 'node:net'
import { ServiceError } from '../core/error.ts'
import type { Clock } from '../core/ports/clock.ts'
import type { ModelPool } from '../core/ports/model-pool.ts'
import { grantLease } from './grant-lease.ts'
import { firstSignMs, type LeaseQuestion, leasePath, pingMs, quickAnswerMs, silenceMs } from './lease-wire.ts'
import { type NodeTls, UnprovenConnections } from './node-tls.ts'
import { aheadKey, leaseKey, makeNonce, maxLineBytes, QuestionGuard, SealedLines, seal, signSeal, splitLines } from './sealed-lines.ts'
import { repeat, watchSilence } from './watch-silence.ts'

export interface LenderSettings {
  readonly nodeId: string
  /** The secret shared by all nodes. */
  readonly secret: KeyObject
  /** Absent = nodes authenticate by their secret only. */
  readonly tls?: NodeTls | undefined
  /** The models of this machine. */
  readonly pool: ModelPool
  readonly clock: Clock
  /** Whether new leases are refused. */
  readonly isDraining: () => boolean
  readonly onFault: (error: unknown) => void
  /** Runs a lease within the requester's trace; absent = tracing is off. */
  readonly trace?: (question: LeaseQuestion, run: () => Promise<void>) => Promise<void>
}

/** Time limit for the headers of a slot request, starting with the connection. */
const longestHeadMs = 10_000
/** Time limit for closing a refused connection. */
const refusalMs = 1000
const maxQuestionBytes = 16 * 1024
/** Longer than any pool's maximum wait. */
const longestWaitMs = 24 * 60 * 60_000

/** A listener for other nodes; disposing it ends every lease. */
export interface Lender extends AsyncDisposable {
  readonly port: number
  /** Resolves when no slot is leased. */
  idle(): Promise<void>
}

/** Listens for other nodes and leases slots of this machine's models to them. */
export async function lendSlots(settings: LenderSettings, address: { readonly host: string; readonly port: number }): Promise<Lender> {
  const guard = new QuestionGuard(settings.secret, settings.clock)
  const unproven = new UnprovenConnections()
  // A lease has no time limit; only its silence is limited.
  const limits = { requestTimeout: 0, headersTimeout: longestHeadMs, keepAliveTimeout: 30_000, connectionsCheckingInterval: 5000 }
  const { tls } = settings
  const secure = tls && createSecureServer({ ...limits, ...tls.settings, handshakeTimeout: firstSignMs })
  const server: Server = secure ?? createServer(limits)
  const renewing = secure && tls.onReplaced((replaced) => secure.setSecureContext(replaced))
  const leases = new Set<Promise<void>>()
  server.on('connection', (socket: Socket) => unproven.add(socket))
  server.on('clientError', (_error, socket) => socket.destroy())
  server.on('request', (request, response) => {
    const lease = answer(settings, { guard, onProven: () => unproven.prove(request.socket) }, request, response)
      .catch((error: unknown) => {
        response.destroy()
        if (!(error instanceof ServiceError) && !hasLeft(error)) settings.onFault(error)
      })
      .finally(() => leases.delete(lease))
    leases.add(lease)
  })
  server.listen(address.port, address.host)
  await once(server, 'listening')
  return {
    port: portOf(server),
    async idle() {
      while (leases.size > 0) await Promise.all(leases)
    },
    async [Symbol.asyncDispose]() {
      renewing?.[Symbol.dispose]()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface Admission {
  readonly guard: QuestionGuard
  /** Called when a request was proven to come from a node. */
  readonly onProven: () => void
}

async function answer(
  settings: LenderSettings,
  { guard, onProven }: Admission,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { clock, nodeId, secret, isDraining } = settings
  if (request.method !== 'POST' || request.url !== leasePath) return refuse(request, response, 404)
  const gone = new AbortController()
  response.on('close', () => gone.abort(new ServiceError('request_cancelled', 'The requesting node disconnected.')))
  let limitMs = firstSignMs
  let mostBytes = maxQuestionBytes
  using watch = watchSilence(
    settings,
    () => limitMs,
    () => request.destroy(),
  )
  const lines = splitLines(receivedBytes(request, watch), () => mostBytes)
  const line = await lines.next().catch(() => ({ done: true as const, value: undefined }))
  if (line.done) return refuse(request, response, 400)
  if (!guard.admits(request.headers, { to: nodeId, line: line.value })) return refuse(request, response, 401)
  onProven()
  // A waiting node sends nothing; one with a slot sends keep-alives.
  limitMs = longestWaitMs
  mostBytes = maxLineBytes

  const [askerNonce, lenderNonce] = [String(request.headers['x-sepia-nonce']), makeNonce()]
  const key = leaseKey(secret, askerNonce, lenderNonce)
  const head = { 'x-sepia-nonce': lenderNonce, 'x-sepia-seal': seal(secret, 'answer', nodeId, askerNonce, lenderNonce) }
  const question = JSON.parse(line.value) as LeaseQuestion
  let signs = 0
  const showWork = () =>
    !response.headersSent && response.writeInformation(102, { 'x-sepia-seal': signSeal(secret, nodeId, askerNonce, ++signs) })
  using _signs = repeat({ clock }, pingMs, showWork, quickAnswerMs)
  const { trace = (_question, run) => run() } = settings
  const ahead = question.ahead === true ? new SealedLines(aheadKey(secret, nodeId, askerNonce), 'asker') : null
  const requested = {
    question,
    signal: gone.signal,
    lines,
    ahead,
    asker: new SealedLines(key, 'asker'),
    lender: new SealedLines(key, 'lender'),
  }
  await trace(question, () =>
    grantLease({ ...settings, isDraining }, requested, {
      start: () => {
        response.writeHead(200, head)
        watch.onSign()
        limitMs = silenceMs
      },
      send: async (text) => {
        if (!response.write(text)) await once(response, 'drain', { signal: gone.signal })
      },
    }),
  )
  response.end()
}

/** Whether an error means that the other node or its connection is gone. */
function hasLeft(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'ERR_STREAM_PREMATURE_CLOSE')
}

async function* receivedBytes(request: IncomingMessage, watch: { onSign(): void }): AsyncGenerator<Buffer, void, undefined> {
  for await (const chunk of request) {
    watch.onSign()
    yield chunk
  }
}

/** Refuses strangers without information and closes their connection, even if they keep their half open. */
function refuse(request: IncomingMessage, response: ServerResponse, status: number): void {
  response.writeHead(status, { connection: 'close' }).end()
  request.resume()
  setTimeout(() => request.destroy(), refusalMs).unref()
}

function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the listener for other nodes has no port')
  return address.port
}
