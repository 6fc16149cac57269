/** The figures of one moment, by the name of their series; those with labels by each of them. */
export type MetricsReading = ReadonlyMap<string, readonly MetricsSample[]>

interface MetricsSample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Reads Prometheus' text format, as far as the service's own metrics use it; lines of another kind are passed over. */
export function readMetrics(text: string): MetricsReading {
  const reading = new Map<string, MetricsSample[]>()
  for (const line of text.split('\n')) {
    const [, name, labelText = '', number] = /^([a-z_:][a-z0-9_:]*)(?:\{(.*)\})? (\S+)$/i.exec(line) ?? []
    if (name === undefined || number === undefined || name.endsWith('_bucket')) continue
    const labels = Object.fromEntries([...labelText.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', value = '']) => [key, value]))
    const known = reading.get(name)
    const sample = { labels, value: Number(number) }
    if (known === undefined) reading.set(name, [sample])
    else known.push(sample)
  }
  return reading
}

/** The sum over all samples of a series, or over those with these labels. */
export function sumOf(reading: MetricsReading, name: string, labels: Readonly<Record<string, string>> = {}): number {
  return (reading.get(name) ?? [])
    .filter((sample) => Object.entries(labels).every(([key, value]) => sample.labels[key] === value))
    .reduce((sum, { value }) => sum + value, 0)
}
