/** Label values of a time series, in the order of the metric's label names. */
export type Labels = readonly string[]

export interface Counter {
  readonly add: (labels: Labels, amount?: number) => void
  /** Sum over all series whose labels match. */
  readonly sum: (fits: (labels: Labels) => boolean) => number
}

export interface Histogram {
  readonly observe: (labels: Labels, value: number) => void
  /** Totals over all series, in seconds. */
  readonly total: () => { readonly count: number; readonly seconds: number }
}

interface Description {
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
}

/** Values of one series of a histogram; `counts` are cumulative per bound. */
interface Distribution {
  readonly labels: Labels
  readonly counts: number[]
  sum: number
  count: number
}

/** A metric with its current series. */
export type Family = { readonly description: Description } & (
  | { readonly type: 'counter' | 'gauge'; readonly series: readonly (readonly [Labels, number])[] }
  | { readonly type: 'histogram'; readonly bounds: readonly number[]; readonly series: readonly Distribution[] }
)

/** Metrics of this process, rendered in the Prometheus text format (version 0.0.4). */
export class MetricsRegistry {
  /** Start of counters and histograms in Unix milliseconds. */
  readonly startedAt = Date.now()
  readonly #families: (() => Family)[] = []

  /** A counter; its name ends in `_total`. */
  counter(description: Description): Counter {
    const series = new Map<string, { readonly labels: Labels; value: number }>()
    this.#families.push(() => ({
      description,
      type: 'counter',
      series: Array.from(series.values(), ({ labels, value }) => [labels, value]),
    }))
    return {
      add: (labels, amount = 1) => {
        const entry = remember(series, labels, () => ({ labels, value: 0 }))
        entry.value += amount
      },
      sum: (fits) => series.values().reduce((sum, { labels, value }) => (fits(labels) ? sum + value : sum), 0),
    }
  }

  /** A gauge whose values are read when metrics are collected. */
  gauge(description: Description, collect: () => Iterable<readonly [Labels, number]>): void {
    this.#families.push(() => ({ description, type: 'gauge', series: [...collect()] }))
  }

  /** A histogram with cumulative counts per bound. */
  histogram(description: Description, bounds: readonly number[]): Histogram {
    const series = new Map<string, Distribution>()
    this.#families.push(() => ({ description, type: 'histogram', bounds, series: [...series.values()] }))
    return {
      observe: (labels, value) => {
        const entry = remember(series, labels, () => ({ labels, counts: bounds.map(() => 0), sum: 0, count: 0 }))
        // From the last bound down, stopping at the first one below the value.
        for (let index = bounds.length - 1; value <= (bounds[index] ?? Number.NEGATIVE_INFINITY); index -= 1)
          entry.counts[index] = (entry.counts[index] ?? 0) + 1
        entry.sum += value
        entry.count += 1
      },
      total: () =>
        series
          .values()
          .reduce((all, { count, sum }) => ({ count: all.count + count, seconds: all.seconds + sum }), { count: 0, seconds: 0 }),
    }
  }

  /** Current values of all metrics. */
  families(): readonly Family[] {
    return this.#families.map((read) => read())
  }

  render(): string {
    return this.families().map(renderFamily).join('')
  }
}

function remember<Entry>(series: Map<string, Entry>, labels: Labels, make: () => Entry): Entry {
  const key = labels.length === 1 ? (labels[0] ?? '') : labels.join('\0')
  const known = series.get(key)
  if (known !== undefined) return known
  const made = make()
  series.set(key, made)
  return made
}

function renderFamily(family: Family): string {
  const { name, help, labels: names } = family.description
  const lines =
    family.type === 'histogram'
      ? family.series.flatMap((series) => renderDistribution(family.description, family.bounds, series))
      : family.series.map(([labels, value]) => `${name}${renderLabels(names, labels)} ${value}`)
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${family.type}`, ...lines, ''].join('\n')
}

function renderDistribution({ name, labels: names }: Description, bounds: readonly number[], series: Distribution): readonly string[] {
  const { labels, counts, sum, count } = series
  const key = renderLabels(names, labels)
  return [
    ...bounds.map((bound, index) => `${name}_bucket${renderLabels([...names, 'le'], [...labels, String(bound)])} ${counts[index] ?? 0}`),
    `${name}_bucket${renderLabels([...names, 'le'], [...labels, '+Inf'])} ${count}`,
    `${name}_sum${key} ${sum}`,
    `${name}_count${key} ${count}`,
  ]
}

function renderLabels(names: readonly string[], values: Labels): string {
  if (names.length === 0) return ''
  return `{${names.map((name, index) => `${name}="${escapeLabel(values[index] ?? '')}"`).join(',')}}`
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
