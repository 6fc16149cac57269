import { AsyncLocalStorage } from 'node:async_hooks'

export type SpanAttributes = Readonly<Record<string, string | number>>

/** A span that has begun. */
export interface OpenSpan {
  readonly context: TraceContext
  /** @param end.at Unix milliseconds; absent = now. */
  end(end?: { readonly at?: number; readonly name?: string; readonly attributes?: SpanAttributes; readonly failed?: boolean }): void
}

/** What a span begins with. */
export interface SpanStart {
  readonly kind: 'server' | 'consumer' | 'client' | 'internal'
  readonly parent: TraceContext | undefined
  /** Unix milliseconds; absent = now. */
  readonly at?: number
  readonly attributes?: SpanAttributes
}

/** Makes spans and sends them to the collector. */
export type BeginSpan = (name: string, start: SpanStart) => OpenSpan

/**
 * Which place in which trace runs now. Without anybody to send spans to, the callers' own places are kept and handed on unchanged, as the standard
 * asks of those who take no part.
 */
export class Traces {
  readonly #begin: BeginSpan | null
  readonly #current = new AsyncLocalStorage<TraceContext | undefined>()

  constructor(begin: BeginSpan | null) {
    this.#begin = begin
  }

  /** Whether anybody is sent spans. */
  get begins(): boolean {
    return this.#begin !== null
  }

  /** Begins a span of its own below a caller's `traceparent`; undefined without a collector and without the caller's `traceparent`. */
  enter(
    name: string,
    { traceparent, ...start }: Pick<SpanStart, 'kind'> & { readonly traceparent: string | undefined },
  ): { readonly run: <Result>(work: () => Result) => Result; readonly end: OpenSpan['end'] } {
    const parent = parseTraceparent(traceparent)
    const span = this.#begin?.(name, { ...start, parent })
    const context = span?.context ?? parent
    return { run: (work) => this.#current.run(context, work), end: (end) => span?.end(end) }
  }

  /** Runs work in a span of its own below a caller's `traceparent`, which has failed where the work throws. */
  async within<Result>(
    name: string,
    { attributes, ...start }: Pick<SpanStart, 'kind'> & { readonly traceparent: string | undefined; readonly attributes: SpanAttributes },
    work: () => Promise<Result>,
  ): Promise<Result> {
    const span = this.enter(name, start)
    let failed = true
    try {
      const result = await span.run(work)
      failed = false
      return result
    } finally {
      span.end({ attributes, failed })
    }
  }

  /** A span that is over already, below what runs now. */
  record(name: string, { startedAt, endedAt, attributes }: { startedAt: number; endedAt: number; attributes: SpanAttributes }): void {
    this.#begin?.(name, { kind: 'internal', parent: this.#current.getStore(), at: startedAt, attributes }).end({ at: endedAt })
  }

  /** The same function, always run in the place where this was called; as it is where nobody is sent spans. */
  bind<Event>(listener: (event: Event) => void): (event: Event) => void {
    if (this.#begin === null) return listener
    const context = this.#current.getStore()
    return (event) => this.#current.run(context, () => listener(event))
  }

  /** The `traceparent` of what runs now, for the services it calls. */
  traceparent(): string | undefined {
    const context = this.#current.getStore()
    return context && formatTraceparent(context)
  }
}

/** Where in which trace something happens: hex of 16 and 8 bytes. */
export interface TraceContext {
  readonly traceId: string
  readonly spanId: string
  /** Whether the caller who began the trace records it. */
  readonly sampled: boolean
}

const form = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/**
 * Reads a `traceparent`; one that is malformed begins a new trace, so it reads as none.
 *
 * @see W3C Trace Context, level 1, section 3.2
 */
export function parseTraceparent(text: string | undefined): TraceContext | undefined {
  const [, version, traceId, spanId, flags, more] = form.exec(text ?? '') ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined || (version === '00' && more !== undefined)) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** A `traceparent` of version 00. */
export function formatTraceparent({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`
}
