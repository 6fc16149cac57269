import { AsyncLocalStorage } from 'node:async_hooks'

export type SpanAttributes = Readonly<Record<string, string | number>>

/** A span in progress. */
export interface OpenSpan {
  readonly context: TraceContext
  /** @param end.at Unix milliseconds; absent = now. */
  end(end?: { readonly at?: number; readonly name?: string; readonly attributes?: SpanAttributes; readonly failed?: boolean }): void
}

/** Start of a span. */
export interface SpanStart {
  readonly kind: 'server' | 'consumer' | 'client' | 'internal'
  readonly parent: TraceContext | undefined
  /** Unix milliseconds; absent = now. */
  readonly at?: number
  readonly attributes?: SpanAttributes
}

/** Starts spans and exports them. */
export type BeginSpan = (name: string, start: SpanStart) => OpenSpan

/**
 * The current position in a trace. Without a collector, callers' trace contexts are passed on unchanged, as the standard requires of
 * non-participants.
 */
export class Traces {
  readonly #begin: BeginSpan | null
  readonly #current = new AsyncLocalStorage<TraceContext | undefined>()

  constructor(begin: BeginSpan | null) {
    this.#begin = begin
  }

  /** Whether spans are exported. */
  get begins(): boolean {
    return this.#begin !== null
  }

  /** Starts a span under a caller's `traceparent`; undefined without both a collector and a `traceparent`. */
  enter(
    name: string,
    { traceparent, ...start }: Pick<SpanStart, 'kind'> & { readonly traceparent: string | undefined },
  ): { readonly run: <Result>(work: () => Result) => Result; readonly end: OpenSpan['end'] } {
    const parent = parseTraceparent(traceparent)
    const span = this.#begin?.(name, { ...start, parent })
    const context = span?.context ?? parent
    return { run: (work) => this.#current.run(context, work), end: (end) => span?.end(end) }
  }

  /** Runs work in a span under a caller's `traceparent`; a thrown error marks the span as failed. */
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

  /** Records a completed span under the current one. */
  record(name: string, { startedAt, endedAt, attributes }: { startedAt: number; endedAt: number; attributes: SpanAttributes }): void {
    this.#begin?.(name, { kind: 'internal', parent: this.#current.getStore(), at: startedAt, attributes }).end({ at: endedAt })
  }

  /** Binds a function to the current context; returned unchanged without a collector. */
  bind<Event>(listener: (event: Event) => void): (event: Event) => void {
    if (this.#begin === null) return listener
    const context = this.#current.getStore()
    return (event) => this.#current.run(context, () => listener(event))
  }

  /** The current `traceparent`, for outgoing requests. */
  traceparent(): string | undefined {
    const context = this.#current.getStore()
    return context && formatTraceparent(context)
  }
}

/** A trace context: trace id and span id in hex (16 and 8 bytes). */
export interface TraceContext {
  readonly traceId: string
  readonly spanId: string
  /** Whether the caller's trace is sampled. */
  readonly sampled: boolean
}

const form = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/**
 * Parses a `traceparent`; malformed ones count as none, which starts a new trace.
 *
 * @see W3C Trace Context, level 1, section 3.2
 */
export function parseTraceparent(text: string | undefined): TraceContext | undefined {
  const [, version, traceId, spanId, flags, more] = form.exec(text ?? '') ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined || (version === '00' && more !== undefined)) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** Formats a `traceparent` of version 00. */
export function formatTraceparent({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`
}
