import { type HrTime, ValueType } from '@opentelemetry/api'
import { millisToHrTime } from '@opentelemetry/core'
import { AggregationTemporality, type DataPoint, DataPointType, type MetricData, type ScopeMetrics } from '@opentelemetry/sdk-metrics'
import type { Family, MetricsRegistry } from '../metrics-registry.ts'

/** Converts the metrics of `/metrics` to OpenTelemetry's data: cumulative since the start of the process. */
export function collectRegistry(registry: MetricsRegistry): ScopeMetrics[] {
  const times = { startTime: millisToHrTime(registry.startedAt), endTime: millisToHrTime(Date.now()) }
  return [{ scope: { name: 'sepia' }, metrics: registry.families().map((family) => toMetricData(family, times)) }]
}

function toMetricData(family: Family, times: { readonly startTime: HrTime; readonly endTime: HrTime }): MetricData {
  const { name, help, labels: names } = family.description
  const base = {
    descriptor: { name, description: help, unit: unitOf(name), valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  }
  const point = <Value>(labels: readonly string[], value: Value): DataPoint<Value> => ({
    ...times,
    attributes: Object.fromEntries(names.map((label, index) => [label, labels[index] ?? ''])),
    value,
  })
  if (family.type === 'histogram')
    return {
      ...base,
      dataPointType: DataPointType.HISTOGRAM,
      dataPoints: family.series.map(({ labels, counts, sum, count }) =>
        point(labels, { buckets: { boundaries: [...family.bounds], counts: perBucket(counts, count) }, sum, count }),
      ),
    }
  const dataPoints = family.series.map(([labels, value]) => point(labels, value))
  return family.type === 'counter'
    ? { ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
    : { ...base, dataPointType: DataPointType.GAUGE, dataPoints }
}

/** Converts cumulative counts to counts per bucket. */
function perBucket(cumulative: readonly number[], count: number): number[] {
  return [...cumulative, count].map((upTo, index) => upTo - (cumulative[index - 1] ?? 0))
}

function unitOf(name: string): string {
  if (name.endsWith('_seconds')) return 's'
  return name.endsWith('_bytes') ? 'By' : '1'
}
