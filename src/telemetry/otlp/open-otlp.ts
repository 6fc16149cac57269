import type { Agent } from 'node:http'
import type { MetricsRegistry } from '../metrics-registry.ts'
import type { BeginSpan } from './traces.ts'

export interface OtlpSettings {
  /** Base URL; `/v1/traces` and `/v1/metrics` are appended. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Interval between exports of metrics, in milliseconds. */
  readonly intervalMs: number
  /** Agent for connections to the collector; absent = direct. */
  readonly openAgent?: () => Agent
}

/** Exports spans and metrics to a collector; disposing sends what is left. */
export interface Otlp extends AsyncDisposable {
  readonly begin: BeginSpan
}

/** Time limit of the last export at shutdown. */
const exportTimeoutMs = 3000

/** Exports spans and metrics by OTLP over HTTP as JSON. The libraries are only loaded if a collector is configured. */
export async function openOtlp(
  { registry, onFault }: { readonly registry: MetricsRegistry; readonly onFault: (fault: unknown) => void },
  { url, headers, intervalMs, openAgent }: OtlpSettings,
): Promise<Otlp> {
  const [api, trace, metrics, resources, spansOut, metricsOut, { collectRegistry }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/sdk-metrics'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/exporter-metrics-otlp-http'),
    import('./collect-registry.ts'),
  ])
  // Without this handler an unreachable collector would go unnoticed.
  const [ignore, logger] = [() => {}, { error: onFault }]
  api.diag.setLogger({ warn: ignore, info: ignore, debug: ignore, verbose: ignore, ...logger }, { suppressOverrideMessage: true })
  const resource = resources.resourceFromAttributes({ 'service.name': 'sepia' })
  const way = { headers, ...(openAgent && { httpAgentOptions: openAgent }) }
  const exporter = new spansOut.OTLPTraceExporter({ url: `${url}/v1/traces`, ...way })
  const spans = new trace.TracerProvider({
    resource,
    sampler: new trace.ParentBasedSampler({ root: new trace.AlwaysOnSampler() }),
    spanProcessors: [new trace.BatchSpanProcessor({ exporter })],
  })
  const reader = new metrics.PeriodicExportingMetricReader({
    exporter: new metricsOut.OTLPMetricExporter({ url: `${url}/v1/metrics`, ...way }),
    exportIntervalMillis: intervalMs,
    exportTimeoutMillis: Math.min(intervalMs, 10_000),
    metricProducers: [{ collect: async () => ({ resourceMetrics: { resource, scopeMetrics: collectRegistry(registry) }, errors: [] }) }],
  })
  const meters = new metrics.MeterProvider({ resource, readers: [reader] })
  const tracer = spans.getTracer('sepia')
  const kinds = {
    server: api.SpanKind.SERVER,
    consumer: api.SpanKind.CONSUMER,
    client: api.SpanKind.CLIENT,
    internal: api.SpanKind.INTERNAL,
  }

  const begin: BeginSpan = (name, { kind, parent, at, attributes }) => {
    const flags = parent?.sampled === false ? api.TraceFlags.NONE : api.TraceFlags.SAMPLED
    const above =
      parent === undefined
        ? api.ROOT_CONTEXT
        : api.trace.setSpanContext(api.ROOT_CONTEXT, {
            traceId: parent.traceId,
            spanId: parent.spanId,
            traceFlags: flags,
            isRemote: kind !== 'internal',
          })
    const options = { kind: kinds[kind], ...(at !== undefined && { startTime: at }), ...(attributes && { attributes: { ...attributes } }) }
    const span = tracer.startSpan(name, options, above)
    const { traceId, spanId, traceFlags } = span.spanContext()
    return {
      context: { traceId, spanId, sampled: (traceFlags & api.TraceFlags.SAMPLED) !== 0 },
      end({ at: endedAt, name: known, attributes: more, failed = false } = {}) {
        if (known !== undefined) span.updateName(known)
        if (more !== undefined) span.setAttributes({ ...more })
        if (failed) span.setStatus({ code: api.SpanStatusCode.ERROR })
        span.end(endedAt)
      },
    }
  }
  return {
    begin,
    async [Symbol.asyncDispose]() {
      const { promise: late, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, exportTimeoutMs)
      await Promise.race([Promise.allSettled([spans.shutdown(), meters.shutdown()]), late])
      clearTimeout(timer)
    },
  }
}
