import { ServiceError } from '../core/error.ts'
import type { ImageRequest } from '../core/image-generation.ts'
import { readEnlargement } from '../core/images/earlier-enlargement.ts'
import type { Clock } from '../core/ports/clock.ts'
import type { ImageModel } from '../core/ports/image-model.ts'
import type { ModelLease, ModelPool } from '../core/ports/model-pool.ts'
import type { TextModel } from '../core/ports/text-model.ts'
import type { DetokenizeRequest, EmbeddingRequest, RankRequest, TextRequest, TokenizeRequest } from '../core/text-generation.ts'
import { type AskerLine, carryError, type LeaseAnswer, type LeaseQuestion, type LenderLine, pingMs } from './lease-wire.ts'
import type { SealedLines } from './sealed-lines.ts'
import { repeat } from './watch-silence.ts'

interface GrantDependencies {
  readonly pool: ModelPool
  readonly clock: Clock
  readonly isDraining: () => boolean
  readonly onFault: (error: unknown) => void
}

interface Requested {
  readonly question: LeaseQuestion
  /** Aborts when the requesting node disconnects. */
  readonly signal: AbortSignal
  /** Lines sent after the question. */
  readonly lines: AsyncIterable<string>
  /** Seals of the call sent along with the question; null = none. */
  readonly ahead: SealedLines | null
  readonly asker: SealedLines
  readonly lender: SealedLines
}

interface Reply {
  readonly start: () => void
  /** Resolves when more may be sent. */
  readonly send: (text: string) => Promise<void>
}

/** Acquires the requested slot and serves calls on it until the requesting node ends the lease or disconnects. */
export async function grantLease(deps: GrantDependencies, requested: Requested, reply: Reply): Promise<void> {
  const { lender, lines, ahead, asker, signal } = requested
  const answer = (line: LeaseAnswer) => {
    reply.start()
    return reply.send(lender.write(line))
  }
  await using lease = await acquire(deps, requested).catch(async (error: unknown) => {
    signal.throwIfAborted()
    if (!(error instanceof ServiceError)) deps.onFault(error)
    await answer({ type: 'refused', error: carryError(error) })
    return undefined
  })
  if (lease === undefined) return
  await answer({ type: 'granted', ...describe(lease.model) })
  const say = (line: LenderLine) => reply.send(lender.write(line))
  using _pings = repeat(deps, pingMs, () => void say({ type: 'ping' }).catch(() => {}))
  const calls = new Map<number, { readonly stop: AbortController; readonly ended: Promise<void> }>()
  try {
    let seals = ahead ?? asker
    for await (const text of lines) {
      const line = seals.read(text) as AskerLine
      seals = asker
      if (line.type === 'cancel') calls.get(line.call)?.stop.abort(new ServiceError('request_cancelled', 'The request was cancelled.'))
      if (line.type !== 'call') continue
      const stop = new AbortController()
      const ended = work(lease.model, line, { signal: AbortSignal.any([signal, stop.signal]), say })
        .catch((error: unknown) => {
          if (!(error instanceof ServiceError) && !signal.aborted) deps.onFault(error)
          return say({ type: 'failed', call: line.call, error: carryError(error) })
        })
        .catch(() => {})
        .finally(() => calls.delete(line.call))
      calls.set(line.call, { stop, ended })
    }
  } finally {
    const left = new ServiceError('request_cancelled', 'The requesting node ended the lease.')
    for (const { stop } of calls.values()) stop.abort(left)
    await Promise.all([...calls.values()].map(({ ended }) => ended))
  }
}

type Model = TextModel | ImageModel | null

async function acquire({ pool, isDraining }: GrantDependencies, { question, signal }: Requested): Promise<ModelLease<Model>> {
  const { kind, model, account, sequences, deferred, priority = 0 } = question
  if (isDraining()) throw new ServiceError('shutting_down', 'The node is stopping; try again when it is back.', { retryAfterSeconds: 1 })
  const options = { signal, account, sequences, deferred, priority }
  if (kind === 'text') return pool.acquireText(model, options)
  if (kind === 'image') return pool.acquireImage(model, options)
  if (kind === 'load') await pool.load(model, { signal })
  else if (kind === 'unload') await pool.unload(model, { signal })
  else throw unknownKind(kind)
  return { model: null, [Symbol.asyncDispose]: async () => {} }
}

/** A node of a later version may send unknown kinds. */
function unknownKind(kind: never): ServiceError {
  return new ServiceError('unsupported', `The other node does not support a lease of the kind ${JSON.stringify(kind)}; upgrade it.`)
}

function describe(model: Model): Omit<Extract<LeaseAnswer, { readonly type: 'granted' }>, 'type'> {
  if (model === null) return { facts: {}, abilities: [] }
  const { device } = model
  if (!('embed' in model)) return { facts: { device }, abilities: [] }
  const abilities = (['countPrompt', 'rank', 'tokenize', 'detokenize'] as const).filter((name) => model[name] !== undefined)
  return { facts: { contextLength: model.contextLength, device }, abilities }
}

interface Speaker {
  readonly signal: AbortSignal
  readonly say: (line: LenderLine) => Promise<void>
}

type Call = Extract<AskerLine, { readonly type: 'call' }>

async function work(model: Model, call: Call, { signal, say }: Speaker): Promise<void> {
  const part = (value: unknown) => say({ type: 'part', call: call.call, part: value })
  const done = (result: unknown) => say({ type: 'done', call: call.call, result })
  if (model === null) throw new ServiceError('internal_error', 'The lease has no model.')
  if (!('embed' in model)) {
    let last = Promise.resolve()
    const onProgress = (progress: unknown) => {
      last = part(progress).catch(() => {})
    }
    const enlargement = readEnlargement(call.request)
    const options = { signal, onProgress }
    const result = await (enlargement === null
      ? model.generate(call.request as ImageRequest, options)
      : model.enlarge?.(enlargement, options))
    await last
    return done(result)
  }
  if (call.method !== 'generate') return done(await ask(model, call, signal))
  for await (const each of model.generate(call.request as TextRequest, { signal, account: call.account })) await part(each)
  return done(null)
}

/** Sealed requests come from another node of Sepia, so their shape is not checked again. */
function ask(model: TextModel, { method, request, account }: Call, signal: AbortSignal): Promise<unknown> | undefined {
  if (method === 'embed') return model.embed(request as EmbeddingRequest, { signal })
  if (method === 'rank') return model.rank?.(request as RankRequest, { signal })
  if (method === 'countPrompt') return model.countPrompt?.(request as TextRequest, { signal, account })
  if (method === 'tokenize') return model.tokenize?.(request as TokenizeRequest, { signal, account })
  if (method === 'detokenize') return model.detokenize?.(request as DetokenizeRequest, { signal })
  throw new ServiceError('internal_error', 'The node does not support this request; it may run an older version.')
}
