/** Where in which trace something happens: hex of 16 and 8 bytes. */
export interface TraceContext {
  readonly traceId: string
  readonly spanId: string
  /** Whether whoever began the trace records it. */
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
