/** Label values of one time series, in the order the metric declares its labels. */
export type Labels = readonly string[]

export interface Counter {
  readonly add: (labels: Labels, amount?: number) => void
  /** Over all series whose labels fit. */
  readonly sum: (fits: (labels: Labels) => boolean) => number
}

export interface Histogram {
  readonly observe: (labels: Labels, value: number) => void
  /** Over all series; its values are seconds. */
  readonly total: () => { readonly count: number; readonly seconds: number }
}

interface Description {
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
}

/** Values of one series of a histogram; `counts` has those up to each bound. */
interface Distribution {
  readonly labels: Labels
  readonly counts: number[]
  sum: number
  count: number
}

/** A metric with its series, as they are now. */
export type Family = { readonly description: Description } & (
  | { readonly type: 'counter' | 'gauge'; readonly series: readonly (readonly [Labels, number])[] }
  | { readonly type: 'histogram'; readonly bounds: readonly number[]; readonly series: readonly Distribution[] }
)

/** Numbers of this process in memory, rendered in the Prometheus text format (version 0.0.4). */
export class MetricsRegistry {
  /** Since when counters and histograms count, in Unix milliseconds. */
  readonly startedAt = Date.now()
  readonly #families: (() => Family)[] = []

  /** A number that only grows; its name ends in `_total`. */
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

  /** Numbers that are read when the metrics are. */
  gauge(description: Description, collect: () => Iterable<readonly [Labels, number]>): void {
    this.#families.push(() => ({ description, type: 'gauge', series: [...collect()] }))
  }

  /** Counts of values up to each bound, with their sum. */
  histogram(description: Description, bounds: readonly number[]): Histogram {
    const series = new Map<string, Distribution>()
    this.#families.push(() => ({ description, type: 'histogram', bounds, series: [...series.values()] }))
    return {
      observe: (labels, value) => {
        const entry = remember(series, labels, () => ({ labels, counts: bounds.map(() => 0), sum: 0, count: 0 }))
        // From the last bound down: those that a value is within end where it is over one.
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

  /** Every metric as it is now. */
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
