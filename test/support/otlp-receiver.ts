import { EventEmitter, on } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

export interface ReceivedSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  /** Absent = it begins its trace. */
  readonly parentSpanId?: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
}

interface Export {
  readonly resourceSpans?: readonly { readonly scopeSpans: readonly { readonly spans: readonly ReceivedSpan[] }[] }[]
  readonly resourceMetrics?: readonly { readonly scopeMetrics: readonly { readonly metrics: readonly ReceivedMetric[] }[] }[]
}

export interface ReceivedMetric {
  readonly name: string
  readonly sum?: { readonly isMonotonic: boolean; readonly dataPoints: readonly { readonly asDouble: number }[] }
  readonly gauge?: { readonly dataPoints: readonly unknown[] }
  readonly histogram?: {
    readonly dataPoints: readonly { readonly count: string | number; readonly bucketCounts: readonly (string | number)[] }[]
  }
}

/** A collector of OpenTelemetry's signals that keeps what it is sent. */
export interface OtlpReceiver extends AsyncDisposable {
  readonly url: string
  readonly spans: readonly ReceivedSpan[]
  readonly metrics: ReadonlyMap<string, ReceivedMetric>
  /** The headers of the last parcel. */
  readonly headers: () => NodeJS.Dict<string | string[]>
  /** Resolves as soon as this is true of what has come. */
  until(holds: () => boolean): Promise<void>
}

/** Listens for OTLP over HTTP in JSON. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = []
  const metrics = new Map<string, ReceivedMetric>()
  const news = new EventEmitter()
  let headers: NodeJS.Dict<string | string[]> = {}
  const server = createServer(async (request, response) => {
    const { resourceSpans = [], resourceMetrics = [] } = (await json(request)) as Export
    headers = request.headers
    spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)))
    for (const metric of resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics)))
      metrics.set(metric.name, metric)
    response.setHeader('content-type', 'application/json').end('{}')
    news.emit('parcel')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    metrics,
    headers: () => headers,
    async until(holds) {
      const parcels = on(news, 'parcel')
      while (!holds()) await parcels.next()
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
